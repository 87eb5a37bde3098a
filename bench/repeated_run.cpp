// One problem of a suite solved so many times, for those who count or sample:
//   repeated_run SUITE PROBLEM METHOD RTOL REPEATS
// prints the shortest time of a run, what of it went before the first step, and its steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/suite/own_runs.h"
#include "bench/suite/suites.h"

int main(int count, char** arguments) try {
  using namespace daedalus;
  if (count != 6) {
    std::fprintf(stderr, "usage: %s SUITE PROBLEM METHOD RTOL REPEATS\n", arguments[0]);
    return 2;
  }
  const reproduce::TestProblem test = bench::find_problem(arguments[1], arguments[2]).make();
  const bench::Stated stated =
      bench::stated_as_functions(test, arguments[3], std::atof(arguments[4]), {});
  double shortest = bench::unknown, start = bench::unknown;
  for (int left = std::atoi(arguments[5]); left > 0; --left) {
    const double begin = bench::cpu_microseconds();
    Integrator run(stated.problem, stated.options);
    const double started = bench::cpu_microseconds();
    while (run.step()) {
    }
    shortest = std::fmin(shortest, bench::cpu_microseconds() - begin);
    start = std::fmin(start, started - begin);
    if (left > 1) continue;
    const Statistics& made = run.solution().statistics;
    std::printf("%.2f us, %.2f us before the first step, %lld steps, %lld rejected\n", shortest,
                start, static_cast<long long>(made.steps), static_cast<long long>(made.rejected));
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
