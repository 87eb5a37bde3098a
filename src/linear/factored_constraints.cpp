#include "linear/factored_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr int most_sweeps = 40;
// Matrices in place, so that nothing is allocated in a step.
constexpr int most_in_place = 32;
using InPlace = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                              most_in_place, most_in_place>;

}  // namespace

FactoredConstraints::FactoredConstraints(int rows, int columns)
    : ConstraintMatrix(rows, columns),
      lower_(area(rows, rows)),
      work_(static_cast<std::size_t>(rows)) {
  pairs_ = rows;
}

std::shared_ptr<ConstraintMatrix> FactoredConstraints::copy() const {
  return std::make_shared<FactoredConstraints>(*this);
}

/// By the power method where the singular values are not known.
void FactoredConstraints::learn_reference() {
  constexpr int iterations = 12;
  if (decomposed_) {
    for (const double sigma : sigma_) reference_ = std::max(reference_, sigma);
    return;
  }
  double largest = 0;
  for (int i = 0; i < m_; ++i) work_[i] = 1 + 0.1 * std::sin(i + 1.0);
  for (int k = 0; k < (m_ == 1 ? 1 : iterations); ++k) {
    const double size = std::sqrt(dot(work_.data(), work_.data(), m_));
    if (!(size > 0)) return;
    std::fill(turn_.begin(), turn_.end(), 0.0);
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < n_; ++j) turn_[j] += rows_or_right(i)[j] * (work_[i] / size);
    largest = std::sqrt(dot(turn_.data(), turn_.data(), n_));
    for (int i = 0; i < m_; ++i) work_[i] = dot(rows_or_right(i), turn_.data(), n_);
  }
  reference_ = std::max(reference_, largest);
}

/// False: a pivot, the square of the distance of a row from those before it, is small.
bool FactoredConstraints::cholesky() {
  double smallest = reference_ * reference_;
  const double limit = smallest * suspect_below_ * suspect_below_;
  for (int i = 0; i < m_; ++i) {
    double* l = lower_.data() + area(i, m_);
    for (int j = 0; j <= i; ++j) {
      const double* lj = lower_.data() + area(j, m_);
      const double rest = dot(rows_or_right(i), rows_or_right(j), n_) - dot(l, lj, j);
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

/// The same judgement as that of `cholesky` on scaled rows.
bool FactoredConstraints::are_regular(const double* squares, const double* pivots, bool learning) {
  if (!(reference_ > 0)) return false;
  decomposed_ = false;
  const double *inverse = inverse_square_.data(), *largest = largest_square_.data();
  const double whole = reference_ * reference_, limit = whole * suspect_below_ * suspect_below_;
  // Two rows of comparisons, so that one need not wait for the other.
  double smallest = whole, other = whole;
  bool regular = true, longer = false;
  for (int i = 0; i < m_; ++i) {
    const double rest = pivots[i] * inverse[i];
    longer |= squares[i] > largest[i];
    regular &= rest > limit;
    smallest = std::min(other, rest);
    std::swap(smallest, other);
  }
  if (longer && learning) {
    for (int i = 0; i < m_; ++i) learn(i, squares[i]);
    return are_regular(squares, pivots, false);
  }
  if (!regular) return false;
  health_ = std::sqrt(std::min(smallest, other)) / reference_;
  return ++factorizations, true;
}

bool FactoredConstraints::factor() {
  if (!scale_rows(v_.data())) return false;
  if (reference_ == 0) learn_reference();
  if (reference_ > 0 && cholesky()) return ++factorizations, true;
  return decompose();
}

/// U from the eigenvectors of Gh Gh^T, which takes a tenth of the time: of the digits of U, twice
/// as many are lost as the condition of Gh has.
void FactoredConstraints::turn_to_eigenvectors() {
  InPlace products(m_, m_);
  for (int i = 0; i < m_; ++i)
    for (int j = 0; j <= i; ++j) products(i, j) = dot(rows_or_right(i), rows_or_right(j), n_);
  const Eigen::SelfAdjointEigenSolver<InPlace> solver(products);
  const InPlace& u = solver.eigenvectors();
  for (int i = 0; i < m_; ++i) std::copy_n(&u(0, i), m_, u_.data() + area(i, m_));
  for (int k = 0; k < n_; ++k) {
    for (int i = 0; i < m_; ++i) work_[i] = rows_or_right(i)[k];
    for (int i = 0; i < m_; ++i)
      rows_or_right(i)[k] = dot(u_.data() + area(i, m_), work_.data(), m_);
  }
}

/// One-sided Jacobi rotations of the rows until they are orthogonal: small singular values come
/// out with their relative accuracy. [GolubVanLoan2013, 8.6.3]
void FactoredConstraints::turn_until_orthogonal() {
  std::fill(u_.begin(), u_.end(), 0.0);
  for (int i = 0; i < m_; ++i) u_[area(i, m_) + static_cast<std::size_t>(i)] = 1;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (int i = 0; i < m_; ++i)
      for (int j = i + 1; j < m_; ++j) {
        double *a = rows_or_right(i), *b = rows_or_right(j);
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
}

bool FactoredConstraints::decompose() {
  // By eigenvectors while that costs no more than three digits.
  constexpr double good = 0.03;
  ++factorizations;
  if (!scale_rows(v_.data())) return false;
  double largest = 0, smallest = 0;
  const auto measure = [&] {
    for (int i = 0; i < m_; ++i) sigma_[i] = std::sqrt(dot(rows_or_right(i), rows_or_right(i), n_));
    const auto [least, most] = std::minmax_element(sigma_.begin(), sigma_.end());
    smallest = *least, largest = *most;
  };
  // What is known of the health may be that of another point.
  if (health_ > good && reference_ > 0 && m_ <= most_in_place) turn_to_eigenvectors(), measure();
  if (!(smallest > good * largest)) {
    scale_rows(v_.data());
    turn_until_orthogonal(), measure();
  }
  for (int i = 0; i < m_; ++i)
    if (sigma_[i] > 0)
      for (int k = 0; k < n_; ++k) rows_or_right(i)[k] /= sigma_[i];
  if (reference_ == 0) reference_ = largest;
  health_ = reference_ > 0 ? smallest / reference_ : 0;
  decomposed_ = true;
  return true;
}

void FactoredConstraints::forward_and_back(double* c) const {
  for (int i = 0; i < m_; ++i) {
    const double* l = lower_.data() + area(i, m_);
    c[i] = (c[i] - dot(l, c, i)) * l[i];
  }
  for (int i = m_ - 1; i >= 0; --i) {
    c[i] *= lower_[area(i, m_) + static_cast<std::size_t>(i)];
    for (int k = 0; k < i; ++k) c[k] -= lower_[area(i, m_) + static_cast<std::size_t>(k)] * c[i];
  }
}

/// Everything or nothing: a decomposition knows all pairs.
void FactoredConstraints::solve_rest(const double* c, double* x, bool) {
  std::fill(x, x + n_, 0.0);
  if (decomposed_) return;
  for (int i = 0; i < m_; ++i) work_[i] = scaled(i, c[i]);
  forward_and_back(work_.data());
  for (int i = 0; i < m_; ++i)
    for (int k = 0; k < n_; ++k) x[k] += rows_or_right(i)[k] * work_[i];
}

void FactoredConstraints::multipliers(const double* c, double* y, double drop_below) {
  for (int i = 0; i < m_; ++i) y[i] = decomposed_ ? 0 : scaled(i, c[i]);
  if (!decomposed_) forward_and_back(y);
  for (int i = 0; decomposed_ && i < m_; ++i) {
    if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
    const double size = left(i, c) / (sigma_[i] * sigma_[i]);
    for (int k = 0; k < m_; ++k) y[k] += u_[area(i, m_) + static_cast<std::size_t>(k)] * size;
  }
  for (int i = 0; i < m_; ++i) y[i] = scaled(i, y[i]);
}

void FactoredConstraints::save(std::vector<double>& memory) const {
  ConstraintMatrix::save(memory);
  save_list(memory, lower_);
  memory.push_back(suspect_below_);
}

void FactoredConstraints::restore(SavedState& memory) {
  ConstraintMatrix::restore(memory);
  memory.list(lower_);
  suspect_below_ = memory.number();
}

}  // namespace daedalus
