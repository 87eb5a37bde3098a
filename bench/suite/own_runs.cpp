#include "bench/suite/own_runs.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "daedalus/model.h"
#include "io/embedded.h"

namespace daedalus::bench {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Calls once() until enough time is spent; the row of the first call, the shortest times of all.
/// Every other run is not asked when it has started: the answer takes as long as a step does.
template <class Once>
Row repeated(const Repeats& repeats, Once once) {
  const double begin = cpu_microseconds();
  Row row = once(true);
  // The second one knows what the first has found out.
  constexpr double short_us = 1e6;
  const auto goes_on = [&](int made) {
    return (made == 1 && row.cpu_us < short_us) ||
           cpu_microseconds() - begin < 1e6 * repeats.seconds;
  };
  for (int k = 1; k < repeats.most && row.succeeded() && goes_on(k); ++k) {
    const bool asks = k % 2 == 0;
    const Row again = once(asks);
    row.cpu_us = std::min(row.cpu_us, again.cpu_us);
    if (asks) row.start_us = std::min(row.start_us, again.start_us);
  }
  return row;
}

/// The same runs of a problem that remembers earlier ones, and a few of one that does not.
template <class Stated, class Once>
Row with_first(const Stated& problem, const Repeats& repeats, Once once) {
  Row row = repeated(repeats, [&](bool asks) { return once(problem, asks); });
  Stated forgetful = problem;
  forgetful.findings = Findings::none();
  constexpr int few = 3;
  Repeats some = repeats;
  some.most = std::min(few, repeats.most);
  if (row.succeeded())
    row.first_us = repeated(some, [&](bool asks) { return once(forgetful, asks); }).cpu_us;
  return row;
}

/// As `solve` does it, but for the question when it has started.
Solution solved(const Problem& problem, const Options& options, double begin, Row& row) {
  Integrator run(problem, options);
  row.start_us = cpu_microseconds() - begin;
  while (run.step()) {
  }
  row.cpu_us = cpu_microseconds() - begin;
  return run.solution();
}

/// value(solution, i): the reference variable number i in it.
template <class Value>
Row timed_run(const reproduce::TestProblem& test, const Problem& problem, const Options& options,
              bool asks_for_start, Value value) {
  Row row;
  const double begin = cpu_microseconds();
  try {
    const Solution solution =
        asks_for_start ? solved(problem, options, begin, row) : solve(problem, options);
    if (!asks_for_start) row.cpu_us = cpu_microseconds() - begin;
    const Statistics& n = solution.statistics;
    row.steps = n.steps, row.rejected = n.rejected, row.rhs = n.rhs, row.jacobians = n.jacobians;
    row.factorizations = n.factorizations, row.solves = n.solves;
    row.status = solution.succeeded()                    ? "success"
                 : solution.reason == Reason::time_limit ? "time_limit"
                                                         : "failed";
    row.message = first_line(solution.message.text());
    row.choice = solution.choice;
    if (!solution.succeeded()) return row;
    const auto at_end = [&](int i) { return value(solution, i); };
    row.digits = significant_digits(test, test.differential, at_end);
    row.digits_algebraic = significant_digits(test, test.algebraic, at_end);
  } catch (const std::exception& error) {
    row.cpu_us = cpu_microseconds() - begin;
    row.status = "failed";
    row.message = first_line(error.what());
  }
  return row;
}

Options options_for(const reproduce::TestProblem& test, Options options, const std::string& method,
                    double rtol, const Repeats& repeats, double end) {
  options.method = method;
  options.rtol = rtol;
  options.atol = {rtol * test.atol_factor};
  options.dense = false;
  options.at = {end};
  options.time_limit = repeats.time_limit;
  return options;
}

}  // namespace

double cpu_microseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

Stated stated_as_functions(const reproduce::TestProblem& test, const std::string& method,
                           double rtol, const Repeats& repeats) {
  const Problem& problem = test.statement.problem;
  return {problem, options_for(test, test.suggested, method, rtol, repeats, problem.t_span.end)};
}

Stated stated_as_text(const reproduce::TestProblem& test, const std::string& method, double rtol,
                      const Repeats& repeats) {
  const std::string file = "models/" + test.model + ".mo";
  const Model model =
      Model::from_text(std::string(embedded(file)), file, {.parameters = test.parameters});
  Options options = options_for(test, model.options(), method, rtol, repeats, model.t_span().end);
  // Beside functions the same tolerances, else those that a user of the model gets.
  if (size_of(test.statement.problem.form) == 0) options = model.scaled(options);
  return {model.problem(), options};
}

Row run_functions(const reproduce::TestProblem& test, const std::string& method, double rtol,
                  const Repeats& repeats) {
  const Stated run = stated_as_functions(test, method, rtol, repeats);
  return with_first(run.problem, repeats, [&](const Problem& problem, bool asks) {
    return timed_run(test, problem, run.options, asks, [&](const Solution& solution, int i) {
      return solution.y_end()[test.statement.place[static_cast<std::size_t>(i)]];
    });
  });
}

Row run_text(const reproduce::TestProblem& test, const std::string& method, double rtol,
             const Repeats& repeats) {
  const Stated run = stated_as_text(test, method, rtol, repeats);
  return with_first(run.problem, repeats, [&](const Problem& problem, bool asks) {
    return timed_run(test, problem, run.options, asks, [&](const Solution& solution, int i) {
      return solution.value(-1, test.names[static_cast<std::size_t>(i)]);
    });
  });
}

BoundaryRuns::BoundaryRuns(const reproduce::BoundaryTestProblem& problem)
    : problem_(problem),
      reference_(solve_boundary(problem.problem, {.tolerance = 1e-13, .stages = 7})) {}

Row BoundaryRuns::run(int stages, double tolerance, const Repeats& repeats) const {
  return with_first(problem_.problem, repeats, [&](const BoundaryProblem& stated, bool) {
    Row row;
    const double begin = cpu_microseconds();
    const BoundarySolution solution = solve_boundary(
        stated, {.tolerance = tolerance, .stages = stages, .time_limit = repeats.time_limit});
    row.cpu_us = cpu_microseconds() - begin;
    row.steps = static_cast<std::int64_t>(solution.t.size()) - 1;
    row.rejected = solution.statistics.rejected;
    row.rhs = solution.statistics.evaluations;
    row.jacobians = solution.statistics.elements * solution.statistics.stages;
    row.factorizations = solution.statistics.elements;
    row.solves = solution.statistics.newton;
    row.status = solution.succeeded() ? "success" : "failed";
    row.message = first_line(solution.message.text());
    if (!solution.succeeded()) return row;
    constexpr int intervals = 100;
    double worst[2] = {0, 0};  // differential, algebraic
    const Interval& span = problem_.problem.t_span;
    for (int k = 0; k <= intervals; ++k) {
      const double t = span.begin + (span.end - span.begin) * k / intervals;
      const Vector exact = reference_(t), found = solution(t);
      for (int i = 0; i < exact.size(); ++i) {
        double& largest = worst[i < problem_.differential ? 0 : 1];
        largest = std::max(largest, std::abs(found[i] - exact[i]) / (1 + std::abs(exact[i])));
      }
    }
    row.digits = -std::log10(std::max(worst[0], 1e-17));
    row.digits_algebraic = -std::log10(std::max(worst[1], 1e-17));
    return row;
  });
}

}  // namespace daedalus::bench
