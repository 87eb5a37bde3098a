// One problem of a suite solved so many times, for those who count or sample:
//   repeated_run SUITE PROBLEM METHOD RTOL REPEATS [text]
// in the form of functions or of its model's text; prints the shortest time of a run, what goes
// before the first step, and the steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "bench/suite/own_runs.h"
#include "bench/suite/suites.h"

int main(int count, char** arguments) try {
  using namespace daedalus;
  const bool is_text = count == 7 && std::strcmp(arguments[6], "text") == 0;
  if (count != 6 && !is_text) {
    std::fprintf(stderr, "usage: %s SUITE PROBLEM METHOD RTOL REPEATS [text]\n", arguments[0]);
    return 2;
  }
  const reproduce::TestProblem test = bench::find_problem(arguments[1], arguments[2]).make();
  const auto as_stated = is_text ? bench::stated_as_text : bench::stated_as_functions;
  const bench::Stated stated = as_stated(test, arguments[3], std::atof(arguments[4]), {});
  double shortest = bench::unknown, start = bench::unknown;
  for (int left = std::atoi(arguments[5]); left > 0; --left) {
    const double begin = bench::cpu_microseconds();
    const Solution solution = solve(stated.problem, stated.options);
    shortest = std::fmin(shortest, bench::cpu_microseconds() - begin);
    if (left > 1) continue;
    const double again = bench::cpu_microseconds();
    const Integrator run(stated.problem, stated.options);
    start = bench::cpu_microseconds() - again;
    const Statistics& made = solution.statistics;
    std::printf("%.2f us, %.2f us before the first step, %lld steps, %lld rejected\n", shortest,
                start, static_cast<long long>(made.steps), static_cast<long long>(made.rejected));
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
