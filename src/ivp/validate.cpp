#include "ivp/validate.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "problem/system_of.h"

namespace daedalus {
namespace {

void require_finite(const Vector& values, const char* field) {
  for (int i = 0; i < values.size(); ++i)
    require(std::isfinite(values[i]), "{}[{}] = {}, must be finite", field, i, values[i]);
}

}  // namespace

void validate_problem(const Problem& problem) {
  const auto [t0, t1] = problem.t_span;
  require(std::isfinite(t0) && std::isfinite(t1), "t_span = [{}, {}], both ends must be finite", t0,
          t1);
  require(t0 != t1, "t_span = [{}, {}] is empty: the end must differ from the begin", t0, t1);
  const int size = size_of(problem.form);
  if (size <= 0) return;  // making the system tells which size is wrong
  require(problem.start.size() <= size, "start has {} values, the problem has {} variables",
          problem.start.size(), size);
  require(problem.start_derivative.size() <= size,
          "start_derivative has {} values, the problem has {} variables",
          problem.start_derivative.size(), size);
  require_finite(problem.start, "start");
  require_finite(problem.start_derivative, "start_derivative");
}

void validate(const Problem& problem, const Options& options) {
  validate_problem(problem);
  require(options.rtol > 0 && options.rtol < 1, "rtol = {}, must lie between 0 and 1",
          options.rtol);
  require(options.rtol >= 1e-14,
          "rtol = {}, below what double precision can give; use at least 1e-14", options.rtol);
  for (int i = 0; i < options.atol.size(); ++i)
    require(options.atol[i] > 0 && std::isfinite(options.atol[i]),
            "atol[{}] = {}, must be positive and finite", i, options.atol[i]);
  require(options.fixed_step >= 0 && std::isfinite(options.fixed_step),
          "fixed_step = {}, must be positive (or 0 for error control)", options.fixed_step);
  require(options.baumgarte_rate >= 0 && std::isfinite(options.baumgarte_rate),
          "baumgarte_rate = {}, must be positive (or 0 for automatic)", options.baumgarte_rate);
  require(options.first_step >= 0 && std::isfinite(options.first_step),
          "first_step = {}, must be positive (or 0 for automatic)", options.first_step);
  require(options.branch >= 0, "branch = {}, must be 1, 2, ... (or 0 for the first)",
          options.branch);
  require(options.max_step > 0, "max_step = {}, must be positive", options.max_step);
  require(options.max_steps > 0, "max_steps = {}, must be positive", options.max_steps);
  require(options.time_limit > 0, "time_limit = {}, must be positive", options.time_limit);
  require(options.points == 0 || options.points >= 2, "points = {}, must be at least 2",
          options.points);
  require(options.points == 0 || options.at.empty(), "points and at are both given: choose one");
  if (options.method != "auto") require_method(options.method);
  for (std::size_t e = 0; e < options.events.size(); ++e)
    require(bool(options.events[e].value), "events[{}] (\"{}\") has no value function", e,
            options.events[e].name);
}

void require_tolerances(const Vector& atol, int variables) {
  require(atol.size() == variables,
          "atol has {} values, needs one, or one for each of the {} variables", atol.size(),
          variables);
}

Vector absolute_tolerance(const Problem& problem, const Options& options, const System& system) {
  const Vector& given = options.atol;
  Vector all = Vector::Constant(system.size, given.size() == 0 ? options.rtol : given.minCoeff());
  if (given.size() > 1) {
    require_tolerances(given, system.visible);
    all.head(system.visible) = given;
  }
  // In a run of nanoseconds derivatives are large beside their variables. The root is half way
  // between a tolerance that they cannot meet and one that lets the variables suffer.
  const double unit = std::sqrt(std::min(1.0, std::abs(problem.t_span.end - problem.t_span.begin)));
  const std::size_t first =
      static_cast<std::size_t>(system.size - system.stabilizing) - system.higher_derivatives.size();
  for (std::size_t k = 0; k < system.higher_derivatives.size(); ++k) {
    const auto [variable, order] = system.higher_derivatives[k];
    all[static_cast<int>(first + k)] = all[variable] / std::pow(unit, order);
  }
  all.tail(system.stabilizing).setConstant(std::numeric_limits<double>::infinity());
  return all;
}

std::vector<double> output_times(const Problem& problem, const Options& options) {
  const auto [t0, t1] = problem.t_span;
  std::vector<double> times = options.at;
  for (int i = 0; i < options.points; ++i)
    times.push_back(i + 1 == options.points ? t1 : t0 + (t1 - t0) * i / (options.points - 1));
  for (double t : times)
    require((t - t0) * (t - t1) <= 0, "at contains {}, outside of t_span = [{}, {}]", t, t0, t1);
  const auto is_before = [forward = t1 > t0](double a, double b) {
    return forward ? a < b : a > b;
  };
  if (!std::is_sorted(times.begin(), times.end(), is_before))
    std::stable_sort(times.begin(), times.end(), is_before);
  return times;
}

}  // namespace daedalus
