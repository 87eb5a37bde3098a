#include "nonlinear/nearest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>

namespace daedalus {
namespace {

constexpr double rounding = 1e-14;       // change in units of the scale that is nothing
constexpr double noise = 1e-8;           // derivatives by differences: no iteration gets below
constexpr double most_rounding = 1e-11;  // in large systems, whose factors leave more of it
constexpr double shortest_step = 1e-4;
constexpr double largest_dense = 1e3;  // entries of a matrix that needs no other treatment
constexpr double full = 0.1;           // part of entries from which on a matrix is dense

/// Four sums that do not wait for each other.
double dot(const double* a, const double* b, int n) {
  double sum[4] = {};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int l = 0; l < 4; ++l) sum[l] += a[k + l] * b[k + l];
  for (; k < n; ++k) sum[0] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void subtract(double factor, const double* what, double* from, int n) {
  for (int k = 0; k < n; ++k) from[k] -= factor * what[k];
}

}  // namespace

NearestPoint::NearestPoint(int equations, std::vector<double> scale, std::vector<double> freedom,
                           double rank_threshold)
    : count_(equations),
      unknowns_(static_cast<int>(scale.size())),
      rank_threshold_(rank_threshold),
      scale_(std::move(scale)),
      freedom_(std::move(freedom)) {
  residual_.resize(count_), trial_residual_.resize(count_);
  step_.resize(unknowns_), natural_.resize(unknowns_);
  trial_.resize(static_cast<std::size_t>(unknowns_));
}

void NearestPoint::prepare(const PointEquations& equations) {
  if (dense_ || sparse_) return;
  const double all = static_cast<double>(count_) * unknowns_;
  auto* const kept = equations.kept_linearization();
  std::vector<std::pair<int, int>> places;
  if (kept && *kept)
    sparse_ = **kept;
  else if (all > largest_dense)
    places = equations.places();
  dense_ = !sparse_ && (places.empty() || static_cast<double>(places.size()) > full * all);
  if (dense_) jacobian_.resize(count_, unknowns_);
  if (dense_ || sparse_) return;
  sparse_.emplace(std::move(places), count_, unknowns_);
  if (kept) *kept = std::make_shared<SparseLinearization>(*sparse_);
}

void NearestPoint::differentiate(const PointEquations& equations, const double* x) {
  prepare(equations);
  if (dense_)
    equations.linearize(x, jacobian_.data());
  else
    equations.linearize_sparse(x, sparse_->values());
}

/// J^T = Q L^T without exchanges, several times cheaper than a decomposition that reveals ranks: in
/// place, by Gram-Schmidt, twice where much cancels [GiraudLangouRozloznik2005]. False where rows
/// depend, or nearly so, on each other.
bool NearestPoint::factor_independent_rows() {
  if (count_ > unknowns_) return false;
  q_.resize(unknowns_, count_);
  lower_.setZero(count_, count_);
  solved_.resize(count_);
  for (int j = 0; j < unknowns_; ++j)
    for (int i = 0; i < count_; ++i)
      q_(j, i) = row_scale_[i] * jacobian_(i, j) * scale_[j] * freedom_[j];
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (int k = 0; k < count_; ++k) {
    double* const column = q_.col(k).data();
    double length = std::sqrt(dot(column, column, unknowns_));
    for (int pass = 0; pass < 2 && k > 0; ++pass) {
      constexpr double enough_is_left = 0.5;
      const double last = length;
      for (int i = 0; i < k; ++i) solved_[i] = dot(q_.col(i).data(), column, unknowns_);
      for (int i = 0; i < k; ++i) {
        subtract(solved_[i], q_.col(i).data(), column, unknowns_);
        lower_(k, i) += solved_[i];
      }
      length = std::sqrt(dot(column, column, unknowns_));
      if (length > enough_is_left * last) break;
    }
    smallest = std::min(smallest, length), largest = std::max(largest, length);
    if (!(length > 0)) return false;
    lower_(k, k) = 1 / length;
    for (int j = 0; j < unknowns_; ++j) column[j] *= lower_(k, k);
  }
  // A diagonal entry only bounds the smallest singular value from above: with room to spare.
  constexpr double room = 1e4;
  return smallest > room * rank_threshold_ * largest && q_.allFinite();
}

void NearestPoint::linearize(const PointEquations& equations, const double* x) {
  ++changes_;
  differentiate(equations, x);
  factor();
}

void NearestPoint::factor() {
  if (sparse_) {
    std::vector<double> size = scale_;
    for (std::size_t j = 0; j < size.size(); ++j) size[j] *= freedom_[j];
    factored_ = sparse_->factor(size);
    return;
  }
  // Rows of very different size (a position beside an acceleration) must not decide the rank. A
  // row that no free unknown reaches (all held) takes no part.
  row_scale_.setZero(count_);
  for (int j = 0; j < unknowns_; ++j)
    row_scale_ += (scale_[j] * freedom_[j] * jacobian_.col(j)).cwiseAbs2();
  factored_ = row_scale_.allFinite();
  if (!factored_) return;
  for (double& row : row_scale_) row = row > 0 ? 1 / std::sqrt(row) : 0.0;
  independent_ = factor_independent_rows();
  if (independent_) return;
  Matrix scaled = row_scale_.asDiagonal() * jacobian_;
  for (int j = 0; j < unknowns_; ++j) scaled.col(j) *= scale_[j] * freedom_[j];
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(rank_threshold_);
  decomposition.compute(scaled);
  pseudo_inverse_ = decomposition.pseudoInverse();
  factored_ = pseudo_inverse_.allFinite();
}

/// The shortest step that takes the linearised residual away.
void NearestPoint::apply_inverse(const Vector& residual, Vector& step) {
  if (sparse_) return sparse_->apply_inverse(residual, step);
  solved_ = row_scale_.cwiseProduct(residual);
  if (!independent_) {
    step.noalias() = pseudo_inverse_ * solved_;
    return;
  }
  step.setZero();
  for (int k = 0; k < count_; ++k) {
    solved_[k] *= lower_(k, k);
    for (int i = k + 1; i < count_; ++i) solved_[i] -= lower_(i, k) * solved_[k];
    subtract(-solved_[k], q_.col(k).data(), step.data(), unknowns_);
  }
}

/// Largest change in units of the scale of its unknown, or of a part of its size if that is far
/// above the scale.
double NearestPoint::extent(const Vector& step, const double* x) const {
  double largest = 0;
  for (int j = 0; j < unknowns_; ++j) {
    double change = std::abs(step[j]) * freedom_[j];
    const double part = 1e-3 * std::abs(x[j]);
    if (part > scale_[j]) change *= scale_[j] / part;
    if (!(change <= largest)) largest = change;
  }
  return largest;
}

bool NearestPoint::is_outworn(double last, double change, double next, double enough) const {
  if (!sparse_) return last > 0 && change > 0.1 * last;
  // Sparse factors cost as much as three to ten solutions with them; the next point needs none.
  const double dear = goes_along_ ? 3 : 8;
  return std::log(next / std::max(enough, most_rounding)) > dear * std::log(change / next);
}

bool NearestPoint::iterate(const PointEquations& equations, double* x, int max_iterations,
                           double enough) {
  equations.evaluate(x, residual_.data());
  if (!residual_.allFinite()) return false;
  double last = 0;
  bool fresh = false, known = false;  // known: natural_ is the next step
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!factored_) linearize(equations, x), fresh = true;
    if (!factored_) return false;
    if (known)
      step_.swap(natural_);
    else
      apply_inverse(residual_, step_);
    const double change = extent(step_, x);
    if (!std::isfinite(change)) return false;
    // Near enough before the step: what it leaves need not be known.
    if (change <= enough && !fresh) {
      for (int j = 0; j < unknowns_; ++j) x[j] -= scale_[j] * freedom_[j] * step_[j];
      return true;
    }
    // Damping: the natural step of the frozen linearisation must shrink. A step to far beyond the
    // size of the unknowns (from the flat part of an exponential) may be cut to what is left of it.
    double fraction = 1, next = 0;
    const double shortest = std::min(shortest_step, 1 / change);
    for (;; fraction *= 0.5) {
      for (int j = 0; j < unknowns_; ++j)
        trial_[j] = x[j] - fraction * scale_[j] * freedom_[j] * step_[j];
      equations.evaluate(trial_.data(), trial_residual_.data());
      apply_inverse(trial_residual_, natural_);
      next = trial_residual_.allFinite() ? extent(natural_, x) : INFINITY;
      if (next <= (1 - 0.25 * fraction) * change || change <= 1e-11 || fraction < shortest) break;
    }
    if (fraction < shortest && !fresh) {
      forget(), known = false;
      continue;
    }
    if (fraction < shortest && change <= noise) return true;
    if (!trial_residual_.allFinite()) return false;
    std::copy(trial_.begin(), trial_.end(), x);
    residual_ = trial_residual_;
    if (fraction < shortest) return false;
    if (change <= rounding || next <= enough) return true;
    // Corrections that no longer shrink are rounding, unless an old linearisation is to blame.
    if (iteration > 0 && change >= 0.3 * last && change <= (fresh ? 1e-10 : 1e-13)) return true;
    if (sparse_ && change <= most_rounding && next >= 0.3 * change) return true;
    if (is_outworn(last, change, next, enough)) forget();
    known = factored_;
    fresh = false;
    last = change;
  }
  return last <= noise;
}

bool NearestPoint::polish(const PointEquations& equations, double* x, double enough) {
  return iterate(equations, x, 20, enough);
}

void NearestPoint::save(std::vector<double>& memory) const {
  memory.push_back(factored_ ? 1 : 0);
  if (!factored_) return;
  const double* const values = sparse_ ? sparse_->values() : jacobian_.data();
  memory.insert(memory.end(), values, values + (sparse_ ? sparse_->count() : jacobian_.size()));
}

void NearestPoint::restore(SavedState& memory, const PointEquations& equations) {
  if (!memory.flag()) return;
  prepare(equations);
  double* const values = sparse_ ? sparse_->values() : jacobian_.data();
  const auto count = sparse_ ? sparse_->count() : static_cast<int>(jacobian_.size());
  memory.fill(values, static_cast<std::size_t>(count));
  factor();
}

Vector NearestPoint::reach(const double* x) const {
  std::vector<double> size = scale_;
  for (std::size_t j = 0; j < size.size(); ++j) size[j] = std::max(size[j], std::abs(x[j]));
  if (sparse_) return sparse_->largest(size);
  Vector result = Vector::Zero(count_);
  for (int j = 0; j < unknowns_; ++j)
    result = result.cwiseMax(size[static_cast<std::size_t>(j)] * jacobian_.col(j).cwiseAbs());
  return result;
}

std::vector<std::pair<int, double>> NearestPoint::row(int equation) const {
  if (sparse_) return sparse_->row(equation);
  std::vector<std::pair<int, double>> entries;
  for (int j = 0; j < unknowns_; ++j)
    if (jacobian_(equation, j) != 0) entries.emplace_back(j, jacobian_(equation, j));
  return entries;
}

bool NearestPoint::solve(const PointEquations& equations, double* x, int max_iterations) {
  if (count_ == 0) return true;
  forget();  // the last call may have ended at a singular point
  iterate(equations, x, max_iterations);
  return holds(equations, x, 1e-8);
}

bool NearestPoint::holds(const PointEquations& equations, const double* x, double tolerance) {
  equations.evaluate(x, residual_.data());
  if (!residual_.allFinite()) return false;
  differentiate(equations, x);
  const Vector size = reach(x);
  for (int i = 0; i < count_; ++i)
    if (!(std::abs(residual_[i]) <= tolerance * (size[i] + 1e-4))) return false;
  return true;
}

Vector NearestPoint::unreachable(const PointEquations& equations, const double* x) {
  equations.evaluate(x, residual_.data());
  linearize(equations, x);
  if (!factored_) return residual_;
  Vector moved(unknowns_);
  apply_inverse(residual_, moved);
  for (int j = 0; j < unknowns_; ++j) moved[j] *= scale_[j] * freedom_[j];
  return sparse_ ? Vector(residual_ - sparse_->times(moved))
                 : Vector(residual_ - jacobian_ * moved);
}

}  // namespace daedalus
