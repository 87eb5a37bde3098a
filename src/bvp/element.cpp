#include "bvp/element.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bvp/constant.h"

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr double reciprocal[] = {0,       1.0,     1.0 / 2, 1.0 / 3, 1.0 / 4,
                                 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8};

}  // namespace

ElementKernel::ElementKernel(const CollocationSystem& system, const Basis& basis)
    : system_(system),
      basis_(basis),
      n_(system.components()),
      d_(system.algebraic()),
      states_(system.states()),
      rows_(system.rows()),
      k_(basis.points()),
      width_(system.slots() + system.rows()),
      kernels_(dense_kernels(best_instruction_set(), k_ * n_)) {
  points_.resize(at(k_ * rows_ * width_));
  local_.resize(at(k_ * n_ * k_ * n_));
  slots_.resize(at(system.slots() * lanes));
  f_.resize(at(rows_ * lanes));
  powers_.assign(at(basis.highest() + 1), 1);
  weights_.resize(at(basis.weights()));
  for (int i = 0; i < k_; ++i) rho_.push_back(basis.rho(i));
  rho_.push_back(1);
  rho_.resize(at(Basis::padded(k_ + 1)));
  times_.resize(at(k_)), row_scale_.resize(at(rows_));
  order_.resize(at(rows_));
  with_constant<Basis::most_points>(k_, [this]<int k>() {
    fill_ = &ElementKernel::fill_states_of<k>;
    assemble_ = &ElementKernel::assemble<k>;
    inside_ = &ElementKernel::slots_inside_of<k>;
    solve_ = &ElementKernel::solve_of<k>;
    complete_ = &ElementKernel::complete_of<k>;
    add_end_ = &ElementKernel::add_end_of<k>;
  });
}

void ElementKernel::set_length(double h) {
  for (std::size_t r = 1; r < powers_.size(); ++r) powers_[r] = powers_[r - 1] * h;
}

template <int k>
void ElementKernel::fill_states_of(double h, const double* left, const double* w) {
  constexpr int points = Basis::padded(k + 1);
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)];
    const double* x = left + system_.offset[at(c)];
    for (int l = 0; l < m; ++l) {
      // Summed apart from x, which is larger: rounding errors of z are what remains in the end.
      using Points = Eigen::Array<double, points, 1>;
      const double* table = basis_.integrals_at_points(m - l, 0);
      Points own = w[c] * Eigen::Map<const Points>(table), taylor = Points::Zero();
      for (int j = 1; j < k; ++j)
        own += w[j * n_ + c] * Eigen::Map<const Points>(table + j * points);
      for (int p = m - 1; p > l; --p)
        taylor =
            (taylor + x[p]) * (Eigen::Map<const Points>(rho_.data()) * (h * reciprocal[p - l]));
      Eigen::Map<Points> z(slots_.data() + (system_.offset[at(c)] + l) * lanes);
      z = (taylor + x[l]) + power(m - l) * own;
    }
  }
}

void ElementKernel::fill_states(double h, const double* left, const double* w) {
  set_length(h);
  (this->*fill_)(h, left, w);
}

template <int k>
double ElementKernel::assemble(int i, int r, const double* row) {
  const int size = k * n_;
  double largest = 0;
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)];
    const double* of_states = row + system_.offset[at(c)];
    double sums[k] = {};
    for (int l = 0; l < m; ++l) {
      const double factor = power(m - l) * of_states[l];
      const double* table = basis_.integrals_of_point(m - l, i);
      for (int j = 0; j < k; ++j) sums[j] += factor * table[j];
    }
    sums[i] += row[states_ + c];
    double* to = local_.data() + c * size + i * n_ + r;
    for (int j = 0; j < k; ++j) {
      to[j * n_ * size] = sums[j];
      largest = std::max(largest, std::abs(sums[j]));
    }
  }
  return largest;
}

void ElementKernel::fill_slots(double h, const double* left, const double* w, const double* y) {
  fill_states(h, left, w);
  double* to = slots_.data() + states_ * lanes;
  for (int c = 0; c < n_; ++c, to += lanes)
    for (int i = 0; i < k_; ++i) to[i] = w[i * n_ + c];
  for (int c = 0; c < d_; ++c, to += lanes)
    for (int i = 0; i < k_; ++i) to[i] = y[i * d_ + c];
}

void ElementKernel::slots_at_end(double h, const double* left, const double* w, const double* y,
                                 double* s) {
  fill_states(h, left, w);
  for (int j = 0; j < states_; ++j) s[j] = slots_[at(j * lanes + k_)];
  const auto extrapolate = [&](const double* from, int count, double* to) {
    for (int c = 0; c < count; ++c) {
      to[c] = 0;
      for (int j = 0; j < k_; ++j) to[c] += basis_.integral(0, j, k_) * from[j * count + c];
    }
  };
  extrapolate(w, n_, s + states_);
  extrapolate(y, d_, s + states_ + n_);
}

void ElementKernel::slots_inside(double sigma, double h, const double* left, const double* w,
                                 const double* y, double* s) {
  basis_.integrals(sigma, weights_.data());
  slots_inside(sigma, weights_.data(), h, left, w, y, s);
}

void ElementKernel::slots_inside(double sigma, const double* weights, double h, const double* left,
                                 const double* w, const double* y, double* s) const {
  (this->*inside_)(sigma, weights, h, left, w, y, s);
}

template <int k>
void ElementKernel::slots_inside_of(double sigma, const double* weights, double h,
                                    const double* left, const double* w, const double* y,
                                    double* s) const {
  const double step = sigma * h;
  const auto combined = [&](int r, const double* values) {
    double sum = 0;
    for (int j = 0; j < k; ++j) sum += weights[r * k + j] * values[j];
    return sum;
  };
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)], first = system_.offset[at(c)];
    double own[k], scale = 1;
    for (int j = 0; j < k; ++j) own[j] = w[j * n_ + c];
    for (int l = m - 1; l >= 0; --l) {
      scale *= h;
      double sum = 0;
      for (int p = m - 1; p > l; --p) sum = (sum + left[first + p]) * step * reciprocal[p - l];
      s[first + l] = sum + left[first + l] + scale * combined(m - l, own);
    }
    s[states_ + c] = combined(0, own);
  }
  for (int c = 0; c < d_; ++c) {
    double own[k];
    for (int j = 0; j < k; ++j) own[j] = y[j * d_ + c];
    s[states_ + n_ + c] = combined(0, own);
  }
}

void ElementKernel::residual(double t, double h, const double* left, const double* w,
                             const double* y, double* f, double* end) {
  fill_slots(h, left, w, y);
  for (int i = 0; i < k_; ++i) times_[at(i)] = t + basis_.rho(i) * h;
  system_.residuals({k_, lanes, times_.data(), slots_.data()}, f_.data(), scratch_);
  for (int r = 0; r < rows_; ++r) std::copy_n(f_.data() + r * lanes, k_, f + r * k_);
  for (int j = 0; j < states_; ++j) end[j] = slots_[at(j * lanes + k_)];
}

/// Gauss and Jordan for y; with the largest pivots the rows that are left combine the given ones
/// with factors of at most 1. order_ then holds the rows that give y_1, y_2, ..., and behind them
/// those that are left.
bool ElementKernel::eliminate_algebraic(double* point) {
  const int y = states_ + n_;
  std::iota(order_.begin(), order_.end(), 0);
  for (int a = 0; a < d_; ++a) {
    int best = -1;
    double size = 0;
    for (int k = a; k < rows_; ++k) {
      const int r = order_[at(k)];
      const double own = std::abs(point[r * width_ + y + a]);
      if (own > size) size = own, best = k;
    }
    if (best < 0 || !std::isfinite(size)) return false;
    // The rows behind keep their order.
    std::rotate(order_.begin() + a, order_.begin() + best, order_.begin() + best + 1);
    double* pivot = point + order_[at(a)] * width_;
    const double inverse = 1 / pivot[y + a];
    for (int c = 0; c < width_; ++c) pivot[c] *= inverse;
    for (int r = 0; r < rows_; ++r) {
      double* row = point + r * width_;
      const double factor = row[y + a];
      if (row == pivot || factor == 0) continue;
      for (int c = 0; c < width_; ++c) row[c] -= factor * pivot[c];
    }
  }
  return true;
}

void ElementKernel::factor(double t, double h, const double* left, const double* w, const double* y,
                           double* f, double* end, ElementFactors& to) {
  const int size = k_ * n_, slots = system_.slots(), of_slots = states_ + n_;
  residual(t, h, left, w, y, f, end);
  std::fill(points_.begin(), points_.end(), 0.0);
  for (int i = 0; i < k_; ++i)
    for (int r = 0; r < rows_; ++r) points_[at((i * rows_ + r) * width_ + slots + r)] = 1;
  system_.jacobians({k_, lanes, times_.data(), slots_.data()},
                    {points_.data(), rows_ * width_, width_, 1}, scratch_);
  to.is_regular = true;
  for (int i = 0; i < k_; ++i) {
    double* point = points_.data() + i * rows_ * width_;
    if (!eliminate_algebraic(point)) to.is_regular = false;
    for (int a = 0; a < d_; ++a) {
      const double* row = point + order_[at(a)] * width_;
      double* own = to.y_of_slots + a * of_slots * k_ + i;
      for (int c = 0; c < of_slots; ++c) own[c * k_] = -row[c];
    }
    for (int r = 0; r < n_; ++r) {
      // F_w where j = i, and F_z Q_ij.
      const double* row = point + order_[at(d_ + r)] * width_;
      const double largest = (this->*assemble_)(i, r, row);
      if (!(largest > 0 && std::isfinite(largest))) to.is_regular = false;
      const double scale = largest > 0 ? 1 / largest : 1;
      double* own = local_.data() + i * n_ + r;
      for (int j = 0; j < size; ++j) own[j * size] *= scale;
      // F_z P_i
      const double step = basis_.rho(i) * h;
      double* of_left = to.w_of_left + i * n_ + r;
      for (int c = 0; c < n_; ++c) {
        const int m = system_.order[at(c)], first = system_.offset[at(c)];
        for (int p = 0; p < m; ++p) {
          double sum = row[first + p], taylor = 1;
          for (int l = p - 1; l >= 0; --l) {
            taylor *= step * reciprocal[p - l];
            sum += taylor * row[first + l];
          }
          of_left[(first + p) * size] = -scale * sum;
        }
      }
      row_scale_[at(r)] = scale;
    }
    double* q = to.q + i;
    for (int k = 0; k < rows_; ++k) {
      const double* row = point + order_[at(k)] * width_ + slots;
      const double scale = k < d_ ? -1 : -row_scale_[at(k - d_)];
      for (int c = 0; c < rows_; ++c, q += k_) *q = scale * row[c];
    }
  }
  if (!to.is_regular) return;
  to.is_regular = kernels_.factor_real(to.lu, local_.data(), local_.data(), 0) < 0;
  double least = HUGE_VAL, most = 0;
  for (int k = 0; k < size; ++k) {
    const double inverse = std::abs(to.lu.inverse_re[k]);
    least = std::min(least, inverse), most = std::max(most, inverse);
  }
  if (!(least > 1e-15 * most)) to.is_regular = false;
  for (int column = 0; column < states_; ++column)
    kernels_.solve_real(to.lu, to.w_of_left + column * size);
}

template <int k>
void ElementKernel::solve_of(const ElementFactors& factors, const double* f, double* dw,
                             double* dy) const {
  const double* q = factors.q;
  for (int row = 0; row < rows_; ++row) {
    double sums[k] = {};
    for (int c = 0; c < rows_; ++c, q += k)
      for (int i = 0; i < k; ++i) sums[i] += q[i] * f[c * k + i];
    double* to = row < d_ ? dy + row : dw + row - d_;
    const int step = row < d_ ? d_ : n_;
    for (int i = 0; i < k; ++i) to[i * step] = sums[i];
  }
}

void ElementKernel::solve(const ElementFactors& factors, const double* f, double* dw,
                          double* dy) const {
  (this->*solve_)(factors, f, dw, dy);
  kernels_.solve_real(factors.lu, dw);
}

template <int k>
void ElementKernel::complete_of(const ElementFactors& factors, const double* dw, double* dy) const {
  const double* row = factors.y_of_slots;
  for (int a = 0; a < d_; ++a) {
    double sums[k] = {};
    for (int j = 0; j < states_; ++j, row += k)
      for (int i = 0; i < k; ++i) sums[i] += row[i] * slots_[at(j * lanes + i)];
    for (int c = 0; c < n_; ++c, row += k)
      for (int i = 0; i < k; ++i) sums[i] += row[i] * dw[i * n_ + c];
    for (int i = 0; i < k; ++i) dy[i * d_ + a] += sums[i];
  }
}

void ElementKernel::complete(const ElementFactors& factors, double h, const double* dz, double* dw,
                             double* dy) {
  const int size = k_ * n_;
  const double* from = factors.w_of_left;
  for (int column = 0; column < states_; ++column, from += size)
    for (int k = 0; k < size; ++k) dw[k] += from[k] * dz[column];
  if (d_ == 0) return;
  fill_states(h, dz, dw);
  (this->*complete_)(factors, dw, dy);
}

template <int k>
void ElementKernel::add_end_of(const double* dw, double* end) const {
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)];
    double* to = end + system_.offset[at(c)];
    for (int l = 0; l < m; ++l) {
      const double* table = basis_.integrals_of_point(m - l, k);
      double own = 0;
      for (int j = 0; j < k; ++j) own += table[j] * dw[j * n_ + c];
      to[l] += power(m - l) * own;
    }
  }
}

void ElementKernel::add_end(double h, const double* dw, double* end) {
  set_length(h);
  (this->*add_end_)(dw, end);
}

void ElementKernel::transfer(const ElementFactors& factors, double h, double* to) {
  const int size = k_ * n_;
  std::fill_n(to, states_ * states_, 0.0);
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)], first = system_.offset[at(c)];
    for (int p = 0; p < m; ++p) {
      double taylor = 1;
      for (int l = p; l >= 0; --l) {
        to[(first + p) * states_ + first + l] = taylor;
        taylor *= h / (p - l + 1);
      }
    }
  }
  for (int column = 0; column < states_; ++column)
    add_end(h, factors.w_of_left + column * size, to + column * states_);
}

void ElementStore::resize(const ElementKernel& kernel, int elements) {
  const auto lines = [](int numbers) { return at((numbers + 7) / 8); };
  const int size = kernel.k_ * kernel.n_, stride = (size + 7) / 8 * 8;
  const std::size_t lu = lines(stride * stride), vector = lines(stride);
  const std::size_t q = lines(kernel.k_ * kernel.rows_ * kernel.rows_);
  const std::size_t y = lines(kernel.k_ * kernel.d_ * (kernel.states_ + kernel.n_));
  const std::size_t w = lines(size * kernel.states_);
  const std::size_t each = lu + 2 * vector + q + y + w;
  numbers_.resize(each * at(elements));
  rows_.resize(at(2 * stride * elements));
  factors_.resize(at(elements));
  for (int i = 0; i < elements; ++i) {
    const auto place = [&](std::size_t line) {
      return reinterpret_cast<double*>(numbers_.data() + at(i) * each + line);
    };
    ElementFactors& to = (*this)[i];
    to.lu = {};
    to.lu.n = size, to.lu.stride = stride;
    to.lu.re = place(0), to.lu.inverse_re = place(lu), to.lu.work_re = place(lu + vector);
    to.lu.pivot = rows_.data() + at(2 * stride * i), to.lu.order = to.lu.pivot + stride;
    to.q = place(lu + 2 * vector), to.y_of_slots = place(lu + 2 * vector + q);
    to.w_of_left = place(lu + 2 * vector + q + y);
  }
}

}  // namespace daedalus::bvp
