#include "analysis/constraint_projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace daedalus {
namespace {
constexpr double freely = 1e6;
}

ConstraintProjection::ConstraintProjection(const System& system, const std::vector<double>& scale,
                                           const std::vector<char>& fixed)
    : system_(system),
      fixed_(fixed),
      x_(static_cast<std::size_t>(system.constraints->unknowns), 0.0) {
  const ConstraintSet& set = *system.constraints;
  std::vector<double> size(scale.begin(), scale.begin() + system.size);
  for (int j = 0; j < system.size; ++j)
    freedom_.push_back(fixed[static_cast<std::size_t>(j)]                       ? 0.0
                       : system.algebraic_variable[static_cast<std::size_t>(j)] ? freely
                                                                                : 1.0);
  for (int of : set.derivative_of)
    size.push_back(scale[static_cast<std::size_t>(of)]), freedom_.push_back(freely);
  solver_ = std::make_unique<NearestPoint>(
      NearestPoint::Equations{
          set.unknowns, static_cast<int>(set.equations.size()),
          [this](const double* x, double* r) { system_.constraints->evaluate(t_, x, r); },
          [this](const double* x, double* j) { system_.constraints->linearize(t_, x, j); }},
      size, freedom_);
}

bool ConstraintProjection::solve(double t, double* y, double* yp, int max_iterations) {
  t_ = t;
  const auto n = static_cast<std::size_t>(system_.size);
  const ConstraintSet& set = *system_.constraints;
  std::copy(y, y + n, x_.begin());
  std::fill(x_.begin() + static_cast<std::ptrdiff_t>(n), x_.end(), 0.0);
  std::vector<char> seen(n, 0);
  for (std::size_t k = 0; k < set.derivative_of.size(); ++k) {
    const auto of = static_cast<std::size_t>(set.derivative_of[k]);
    if (!seen[of]) x_[n + k] = yp[of], seen[of] = 1;  // first derivatives come first
  }
  const bool done = solver_->solve(x_.data(), max_iterations);
  std::copy(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n), y);
  std::fill(seen.begin(), seen.end(), 0);
  for (std::size_t k = 0; k < set.derivative_of.size(); ++k) {
    const auto of = static_cast<std::size_t>(set.derivative_of[k]);
    if (!seen[of]) yp[of] = x_[n + k], seen[of] = 1;
  }
  started_ = true;
  return done;
}

bool ConstraintProjection::polish(double t, double* y) {
  t_ = t;
  const auto n = static_cast<std::size_t>(system_.size);
  std::copy(y, y + n, x_.begin());
  bool done = false;
  if (started_) done = solver_->polish(x_.data());
  if (!done) {
    solver_->forget();
    std::copy(y, y + n, x_.begin());
    std::fill(x_.begin() + static_cast<std::ptrdiff_t>(n), x_.end(), 0.0);
    done = solver_->solve(x_.data(), 30);
    started_ = done;
  }
  if (done) std::copy(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n), y);
  return done;
}

std::string ConstraintProjection::contradiction(double t, const double* y) {
  t_ = t;
  std::copy(y, y + system_.size, x_.begin());
  const Names& names = system_.constraints->equations;
  const Vector stuck = solver_->unreachable(x_.data());
  const Vector all = solver_->residual();
  const bool reachable = stuck.cwiseAbs().maxCoeff() < 1e-3 * all.cwiseAbs().maxCoeff();
  const Vector& share = reachable ? all : stuck;
  std::vector<int> rows(names.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(),
            [&](int a, int b) { return std::abs(share[a]) > std::abs(share[b]); });
  std::string text, held;
  for (int i : rows) {
    if (!(std::abs(share[i]) >= 1e-3 * std::abs(share[rows[0]])) || text.size() > 300) break;
    text += fmt::format("{}\"{}\" (residual {:.3g})", text.empty() ? "" : ", ",
                        names[static_cast<std::size_t>(i)], all[i]);
    for (int j = 0; j < system_.size; ++j)
      if (fixed_[static_cast<std::size_t>(j)] && solver_->jacobian()(i, j) != 0 &&
          held.find(system_.variables[static_cast<std::size_t>(j)] + " =") == std::string::npos)
        held += fmt::format("{}{} = {:.6g}", held.empty() ? "" : ", ",
                            system_.variables[static_cast<std::size_t>(j)], y[j]);
  }
  return held.empty() ? text : text + " with the fixed values " + held;
}

}  // namespace daedalus
