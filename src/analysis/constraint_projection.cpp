#include "analysis/constraint_projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "nonlinear/homotopy.h"

namespace daedalus {
namespace {

class LevelConstraints final : public ConstraintSet {
 public:
  LevelConstraints(const System& system, const std::vector<double>& scale)
      : system_(system), scale_(scale) {
    unknowns = system.size;
    rank_threshold = 1e-9;  // derivatives by differences
    for (const ConstraintLevel& level : system.levels)
      equations.insert(equations.end(), level.equations.begin(), level.equations.end());
    // Each level next to nothing beside the one before: squares of these ratios leak.
    for (int j = 0; j < system.size; ++j)
      freedom.push_back(system.algebraic_variable[j]  ? 1e10
                        : system.velocity_variable[j] ? 1e5
                                                      : 1.0);
  }

  void evaluate(double t, const double* y, double* r) const override {
    for (const ConstraintLevel& level : system_.levels) {
      level.residual(t, y, r);
      r += level.size();
    }
  }

  void linearize(double t, const double* y, double* jacobian) const override {
    const std::size_t rows = equations.size();
    std::vector<double> moved(y, y + system_.size), plus(rows), minus(rows);
    for (int j = 0; j < system_.size; ++j, jacobian += rows) {
      const double s = 6e-6 * std::max(std::abs(y[j]), scale_[j]);  // eps^(1/3)
      moved[j] = y[j] + s;
      evaluate(t, moved.data(), plus.data());
      moved[j] = y[j] - s;
      evaluate(t, moved.data(), minus.data());
      moved[j] = y[j];
      for (std::size_t i = 0; i < rows; ++i) jacobian[i] = (plus[i] - minus[i]) / (2 * s);
    }
  }

 private:
  const System& system_;
  std::vector<double> scale_;
};

struct AtTime final : PointEquations {
  const ConstraintSet& set;
  double t;
  AtTime(const ConstraintSet& constraints, double time) : set(constraints), t(time) {}
  void evaluate(const double* x, double* r) const override { set.evaluate(t, x, r); }
  void linearize(const double* x, double* j) const override { set.linearize(t, x, j); }
  std::vector<std::pair<int, int>> places() const override { return set.places(); }
  void linearize_sparse(const double* x, double* values) const override {
    set.linearize_sparse(t, x, values);
  }
  std::shared_ptr<SparseLinearization>* kept_linearization() const override {
    return &set.kept_linearization;
  }
};

NearestPoint make_solver(const ConstraintSet& set, const std::vector<double>& scale,
                         const std::vector<char>& fixed) {
  std::vector<double> size = scale, freedom = set.freedom;
  for (const int of : set.derivative_of) size.push_back(scale[of]);
  for (std::size_t j = 0; j < fixed.size(); ++j)
    if (fixed[j]) freedom[j] = 0;
  return {static_cast<int>(set.equations.size()), std::move(size), std::move(freedom),
          set.rank_threshold};
}

/// Variables that lie below the highest derivative of their own, and those that are fixed.
std::vector<char> held_below_top(const ConstraintSet& set, const std::vector<char>& fixed,
                                 std::size_t size) {
  std::vector<char> result(size, 0);
  if (!set.below_top.empty()) result = set.below_top;
  for (const int of : set.derivative_of) result[of] = 1;
  for (std::size_t j = 0; j < fixed.size(); ++j)
    if (fixed[j]) result[j] = 1;
  return result;
}

}  // namespace

std::shared_ptr<ConstraintSet> level_constraints(const System& system,
                                                 const std::vector<double>& scale) {
  return std::make_shared<LevelConstraints>(system, scale);
}

bool can_be_projected(const System& system, int largest) {
  const ConstraintSet* const set = system.constraints.get();
  if (set && set->unknowns > largest && !set->is_sparse()) return false;
  return !system.levels.empty() || system.hidden_constraints;
}

ConstraintProjection::ConstraintProjection(const System& system, std::shared_ptr<ConstraintSet> set,
                                           const std::vector<double>& scale,
                                           const std::vector<char>& fixed)
    : system_(&system),
      set_(std::move(set)),
      fixed_(fixed),
      x_(static_cast<std::size_t>(set_->unknowns), 0.0),
      guess_(x_.size() - static_cast<std::size_t>(system.size), 0.0),
      first_(static_cast<std::size_t>(system.size), -1),
      solver_(make_solver(*set_, scale, fixed)) {
  if (!set_->derivative_of.empty() || !set_->below_top.empty())
    derivatives_ = make_solver(*set_, scale, held_below_top(*set_, fixed, scale.size()));
  // First derivatives stand before higher ones.
  const std::vector<int>& of = set_->derivative_of;
  for (std::size_t k = of.size(); k-- > 0;) first_[of[k]] = system.size + static_cast<int>(k);
}

void ConstraintProjection::prepare(double t) {
  solver_.prepare(AtTime(*set_, t));
  if (!set_->derivative_of.empty()) derivatives_->prepare(AtTime(*set_, t));
}

void ConstraintProjection::take(const double* y, const double* yp) {
  std::copy(y, y + first_.size(), x_.begin());
  std::fill(x_.begin() + std::ssize(first_), x_.end(), 0.0);
  for (std::size_t j = 0; j < first_.size(); ++j)
    if (first_[j] >= 0) x_[first_[j]] = yp[j];
}

void ConstraintProjection::give(double* y, double* yp) const {
  std::copy(x_.begin(), x_.begin() + std::ssize(first_), y);
  for (std::size_t j = 0; j < first_.size(); ++j)
    if (first_[j] >= 0) yp[j] = x_[first_[j]];
}

bool ConstraintProjection::follow(double t, double* y, double* yp) {
  take(y, yp);
  if (!follow_residual(AtTime(*set_, t), solver_, x_.data())) return false;
  give(y, yp);
  return true;
}

bool ConstraintProjection::solve(double t, double* y, double* yp, int max_iterations) {
  take(y, yp);
  // The highest derivatives first, to what y says: far-off ones would drag y along.
  bool done = false;
  if (derivatives_) {
    derivatives_->solve(AtTime(*set_, t), x_.data(), max_iterations);
    // Then y is left alone: beside a kink the smallest move could change the branch.
    done = derivatives_->holds(AtTime(*set_, t), x_.data(), 1e-12);
  }
  if (!done) done = solver_.solve(AtTime(*set_, t), x_.data(), max_iterations);
  give(y, yp);
  return done;
}

bool ConstraintProjection::polish(double t, double* y, double enough) {
  const auto n = static_cast<std::ptrdiff_t>(system_->size);
  std::copy(y, y + n, x_.begin());
  std::copy(guess_.begin(), guess_.end(), x_.begin() + n);
  if (!set_->derivative_of.empty()) derivatives_->polish(AtTime(*set_, t), x_.data(), enough);
  if (!solver_.polish(AtTime(*set_, t), x_.data(), enough)) return false;
  std::copy(x_.begin(), x_.begin() + n, y);
  return true;
}

void ConstraintProjection::begin_derivatives_with(const std::vector<double>& yp) {
  std::fill(guess_.begin(), guess_.end(), 0.0);
  for (std::size_t j = 0; j < yp.size(); ++j)
    if (first_[j] >= 0) guess_[static_cast<std::size_t>(first_[j]) - first_.size()] = yp[j];
}

void ConstraintProjection::begin_derivatives_here() {
  std::copy(x_.end() - std::ssize(guess_), x_.end(), guess_.begin());
}

void ConstraintProjection::forget() {
  solver_.forget();
  if (derivatives_) derivatives_->forget();
}

long ConstraintProjection::changes() const {
  return solver_.changes() + (derivatives_ ? derivatives_->changes() : 0);
}

void ConstraintProjection::go_along() {
  solver_.go_along();
  if (derivatives_) derivatives_->go_along();
}

void ConstraintProjection::save(std::vector<double>& memory) const {
  save_list(memory, guess_);
  solver_.save(memory);
  if (!set_->derivative_of.empty()) derivatives_->save(memory);
}

void ConstraintProjection::restore(SavedState& memory, double t) {
  memory.list(guess_);
  solver_.restore(memory, AtTime(*set_, t));
  if (!set_->derivative_of.empty()) derivatives_->restore(memory, AtTime(*set_, t));
}

std::string ConstraintProjection::contradiction(double t, const double* y) {
  const AtTime equations(*set_, t);
  std::copy(y, y + system_->size, x_.begin());
  const Vector stuck = solver_.unreachable(equations, x_.data());
  const Vector all = solver_.residual();
  const bool reachable = stuck.cwiseAbs().maxCoeff() < 1e-3 * all.cwiseAbs().maxCoeff();
  const Vector& share = reachable ? all : stuck;
  std::vector<int> rows(set_->equations.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(),
            [&](int a, int b) { return std::abs(share[a]) > std::abs(share[b]); });
  std::string text, held;
  for (const int i : rows) {
    if (!(std::abs(share[i]) >= 1e-3 * std::abs(share[rows[0]])) || text.size() > 300) break;
    text += fmt::format("{}\"{}\" (residual {:.3g})", text.empty() ? "" : ", ", set_->equations[i],
                        all[i]);
    const auto entries = solver_.row(i);
    double length = 0;
    for (const auto& [j, value] : entries) length = std::hypot(length, value);
    for (const auto& [j, value] : entries)
      if (j < system_->size && fixed_[j] && std::abs(value) > 1e-8 * length &&
          held.find(system_->variables[j] + " =") == std::string::npos)
        held += fmt::format("{}{} = {:.6g}", held.empty() ? "" : ", ", system_->variables[j], y[j]);
  }
  return held.empty() ? text : fmt::format("{} with the fixed values {}", text, held);
}

}  // namespace daedalus
