#include "linear/constraint_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr int most_sweeps = 40;
constexpr double surely_vanishing = 1e-3;

std::size_t area(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

ConstraintMatrix::ConstraintMatrix(int rows, int columns)
    : m_(rows),
      n_(columns),
      given_(area(rows, columns)),
      scale_(static_cast<std::size_t>(rows)),
      v_(area(rows, columns)),
      u_(area(rows, rows)),
      lower_(area(rows, rows)),
      sigma_(static_cast<std::size_t>(rows)),
      work_(static_cast<std::size_t>(rows)),
      turn_(static_cast<std::size_t>(columns)),
      free_(static_cast<std::size_t>(columns)) {}

void ConstraintMatrix::learn() {
  for (int i = 0; i < m_; ++i) scale_[i] = std::max(scale_[i], std::sqrt(dot(row(i), row(i), n_)));
}

void ConstraintMatrix::learn_reference() {
  for (const double sigma : sigma_) reference_ = std::max(reference_, sigma);
}

bool ConstraintMatrix::scale_rows() {
  double sum = 0;
  for (int i = 0; i < m_; ++i) {
    const double factor = scale_[i] > 0 ? 1 / scale_[i] : 1;
    const double* from = row(i);
    double* to = scaled(i);
    for (int k = 0; k < n_; ++k) to[k] = from[k] * factor, sum += to[k];
  }
  decomposed_ = false;
  return std::isfinite(sum);
}

/// False: a pivot, the square of the distance of a row from those before it, is small.
bool ConstraintMatrix::cholesky() {
  double smallest = reference_ * reference_;
  const double limit = smallest * suspicious * suspicious;
  for (int i = 0; i < m_; ++i) {
    double* l = lower_.data() + area(i, m_);
    for (int j = 0; j <= i; ++j) {
      const double* lj = lower_.data() + area(j, m_);
      const double rest = dot(scaled(i), scaled(j), n_) - dot(l, lj, j);
      if (j < i) {
        l[j] = rest * lj[j];
      } else {
        if (!(rest > limit)) return false;
        smallest = std::min(smallest, rest);
        l[i] = 1 / std::sqrt(rest);  // inverse pivots: solves multiply
      }
    }
  }
  health_ = std::sqrt(smallest) / reference_;
  return true;
}

bool ConstraintMatrix::factor() {
  if (!scale_rows()) return false;
  if (reference_ > 0 && cholesky()) return true;
  return decompose();
}

/// One-sided Jacobi rotations of the rows until they are orthogonal: small singular values come
/// out with their relative accuracy. [GolubVanLoan2013, 8.6.3]
bool ConstraintMatrix::decompose() {
  if (!scale_rows()) return false;
  std::fill(u_.begin(), u_.end(), 0.0);
  for (int i = 0; i < m_; ++i) u_[area(i, m_) + i] = 1;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (int i = 0; i < m_; ++i)
      for (int j = i + 1; j < m_; ++j) {
        double *a = scaled(i), *b = scaled(j);
        const double aa = dot(a, a, n_), bb = dot(b, b, n_), ab = dot(a, b, n_);
        if (std::abs(ab) <= eps * std::sqrt(aa * bb) || ab == 0) continue;
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0, zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        const auto turn = [c, s](double* x, double* y, int count) {
          for (int k = 0; k < count; ++k) {
            const double xk = x[k];
            x[k] = c * xk - s * y[k], y[k] = s * xk + c * y[k];
          }
        };
        turn(a, b, n_);
        turn(u_.data() + area(i, m_), u_.data() + area(j, m_), m_);
      }
  }
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m_; ++i) {
    double* a = scaled(i);
    sigma_[i] = std::sqrt(dot(a, a, n_));
    largest = std::max(largest, sigma_[i]), smallest = std::min(smallest, sigma_[i]);
    if (sigma_[i] > 0)
      for (int k = 0; k < n_; ++k) a[k] /= sigma_[i];
  }
  if (reference_ == 0) reference_ = largest;
  health_ = reference_ > 0 ? smallest / reference_ : 0;
  decomposed_ = true;
  return true;
}

double ConstraintMatrix::left(int i, const double* c) const {
  const double* u = u_.data() + area(i, m_);
  double sum = 0;
  for (int k = 0; k < m_; ++k) sum += u[k] * (scale_[k] > 0 ? c[k] / scale_[k] : c[k]);
  return sum;
}

void ConstraintMatrix::forward_and_back(double* c) const {
  for (int i = 0; i < m_; ++i) {
    const double* l = lower_.data() + area(i, m_);
    c[i] = (c[i] - dot(l, c, i)) * l[i];
  }
  for (int i = m_ - 1; i >= 0; --i) {
    c[i] *= lower_[area(i, m_) + i];
    for (int k = 0; k < i; ++k) c[k] -= lower_[area(i, m_) + k] * c[i];
  }
}

void ConstraintMatrix::solve(const double* c, double* x, double drop_below) {
  std::fill(x, x + n_, 0.0);
  if (!decomposed_) {
    for (int i = 0; i < m_; ++i) work_[i] = scale_[i] > 0 ? c[i] / scale_[i] : c[i];
    forward_and_back(work_.data());
    for (int i = 0; i < m_; ++i)
      for (int k = 0; k < n_; ++k) x[k] += scaled(i)[k] * work_[i];
    return;
  }
  for (int i = 0; i < m_; ++i) {
    if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
    const double size = left(i, c) / sigma_[i];
    for (int k = 0; k < n_; ++k) x[k] += right(i)[k] * size;
  }
}

void ConstraintMatrix::multipliers(const double* c, double* y, double drop_below) {
  for (int i = 0; i < m_; ++i) y[i] = 0;
  if (!decomposed_) {
    for (int i = 0; i < m_; ++i) y[i] = scale_[i] > 0 ? c[i] / scale_[i] : c[i];
    forward_and_back(y);
  } else {
    for (int i = 0; i < m_; ++i) {
      if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
      const double size = left(i, c) / (sigma_[i] * sigma_[i]);
      for (int k = 0; k < m_; ++k) y[k] += u_[area(i, m_) + k] * size;
    }
  }
  for (int i = 0; i < m_; ++i) y[i] = scale_[i] > 0 ? y[i] / scale_[i] : y[i];
}

void ConstraintMatrix::turning(int i, const double* rates, double determined, double* w,
                               double* free) const {
  const double* u = u_.data() + area(i, m_);
  std::fill(w, w + n_, 0.0);
  for (int r = 0; r < m_; ++r) {
    const double weight = scale_[r] > 0 ? u[r] / scale_[r] : u[r];
    for (int k = 0; k < n_; ++k) w[k] += weight * rates[area(r, n_) + static_cast<std::size_t>(k)];
  }
  std::copy(w, w + n_, free);
  for (int k = 0; k < m_; ++k) {
    if (relative_sigma(k) < determined) continue;
    const double part = dot(right(k), w, n_);
    for (int j = 0; j < n_; ++j) free[j] -= part * right(k)[j];
  }
}

/// On the branch that is followed r = sigma V = (t - t*) w + ..., so t - t* = r w / |w|^2.
double ConstraintMatrix::since_crossing(const double* rates, double slowest) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m_; ++i) {
    if (relative_sigma(i) > in_sight) continue;
    turning(i, rates, in_sight, turn_.data(), free_.data());
    const double square = dot(free_.data(), free_.data(), n_);
    if (!(square > slowest * slowest)) continue;
    const double along = sigma_[i] > 0 ? dot(right(i), free_.data(), n_) : 0;
    // Where a singular value has its least value and does not vanish, r and w are orthogonal.
    if (relative_sigma(i) > surely_vanishing && along * along < 0.5 * square) continue;
    const double s = sigma_[i] * along / square;
    if (std::abs(s) < std::abs(nearest)) nearest = s;
  }
  return nearest;
}

void ConstraintMatrix::save(std::vector<double>& memory) const {
  memory.push_back(reference_);
  save_list(memory, scale_);
}

void ConstraintMatrix::restore(SavedState& memory) {
  reference_ = memory.number();
  memory.list(scale_);
}

}  // namespace daedalus
