// Pseudo-arclength continuation. z(t_0) and the parameter determine a solution, so they are the
// coordinates in which a branch is a curve: with the unit secant s through the last two points
// and the prediction c + ds s the added condition is s . (point - prediction) = 0. [Keller1977]
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/bvp.h"
#include "daedalus/error.h"

namespace daedalus {
namespace {

/// The problem with the condition  a . z(t_0) = b  added.
BoundaryProblem with_condition(const BoundaryProblem& problem, const Vector& a, double b) {
  BoundaryProblem result = problem;
  const int given = problem.conditions;
  result.conditions = given + 1;
  if (!result.condition_names.empty()) result.condition_names.push_back("place on the branch");
  result.condition = [problem, a, b, given](auto z, auto out) {
    using Scalar = std::decay_t<decltype(z[0])>;
    problem.condition(Scalar(0), {InputOf<Scalar>(z.data(), z.size())},
                      OutputOf<Scalar>(out.data(), given));
    Scalar sum = -b;
    for (int j = 0; j < static_cast<int>(a.size()); ++j)
      if (a[j] != 0) sum = sum + a[j] * z[j];
    out[given] = sum;
  };
  return result;
}

Vector place_of(const BoundarySolution& s, int states) {
  return s.row(0).head(states);
}

}  // namespace

std::vector<BoundarySolution> follow_branch(const BoundaryProblem& problem, const Branch& branch,
                                            const BoundaryOptions& options) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw InvalidInput(message);
  };
  require(problem.parameters > 0, "follow_branch: the problem has no parameter to run along");
  require(problem.points.empty() || problem.points.front() == problem.t_span.begin,
          "follow_branch: the first point of the conditions must be the left end");
  require(branch.first_step > 0 && branch.largest_step > 0 && branch.from != branch.to,
          "follow_branch: steps must be positive and lead somewhere");
  const int states = problem.states(), last = states - 1;
  const Vector parameter = Vector::Unit(states, last);
  std::vector<BoundarySolution> solutions;
  const auto solve_at = [&](double value, const BoundarySolution* before) {
    return solve_boundary(with_condition(problem, parameter, value), options, before);
  };
  solutions.push_back(solve_at(branch.from, nullptr));
  if (!solutions.back().succeeded()) return solutions;
  const double direction = branch.to > branch.from ? 1 : -1;
  solutions.push_back(solve_at(branch.from + direction * branch.first_step, &solutions[0]));
  double step = 0;
  while (solutions.back().succeeded() &&
         static_cast<int>(solutions.size()) < branch.max_solutions) {
    const BoundarySolution& now = solutions.back();
    const Vector here = place_of(now, states);
    if (here[last] < branch.lowest || here[last] > branch.highest) break;
    Vector secant = here - place_of(solutions.end()[-2], states);
    const double length = secant.norm();
    if (!(length > 0)) break;
    secant /= length;
    if (step == 0) step = length;
    BoundarySolution next;
    for (;;) {
      next =
          solve_boundary(with_condition(problem, secant, secant.dot(here) + step), options, &now);
      // A solution far off the secant belongs to another part of the branch.
      const bool near = next.succeeded() && (place_of(next, states) - here).norm() <= 2 * step;
      if (near) break;
      step *= 0.5;
      if (step < 1e-4 * branch.first_step) {
        if (next.succeeded()) next.status = Status::failed, next.reason = Reason::newton_failed;
        next.message.what = fmt::format("the branch was lost; {}", next.message.what);
        next.message.where =
            fmt::format("beyond the parameter {:.6g}; {}", here[last], next.message.where);
        solutions.push_back(next);
        return solutions;
      }
    }
    solutions.push_back(next);
    step = std::min(1.5 * step, branch.largest_step);
  }
  return solutions;
}

}  // namespace daedalus
