// daedalus-peer SUITE PROBLEM SOLVER RTOL SECONDS LIMIT: one other code on one problem, every
// variant of its linear algebra, a line of JSON each. Repeats for SECONDS and reports the shortest;
// the system ends the process after LIMIT seconds of CPU time.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "bench/suite/suites.h"
#include "io/keep_memory.h"
#include "peer.h"

namespace daedalus::peers {

double cpu_microseconds() {
  // Not that of the process, which the kernel only counts in ticks while a limit is set.
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

namespace {

struct Request {
  std::string solver;
  double rtol, atol, seconds;
};

PeerRun run_as_asked(GivenSystem& system, const std::string& variant, const Request& asked) {
  if (asked.solver == "ida") return run_ida(system, variant, asked.rtol, asked.atol);
  if (asked.solver == "radau5") return run_radau5(system, variant, asked.rtol, asked.atol);
  return run_daspk(system, variant, asked.rtol, asked.atol);
}

PeerRun run_once(GivenSystem& system, const std::string& variant, const Request& asked) {
  PeerRun run = run_as_asked(system, variant, asked);
  // Some codes go on with it, since no comparison with it is ever true.
  if (run.succeeded && !run.y.allFinite())
    run.succeeded = false, run.message = "the solution is not finite";
  return run;
}

PeerRun shortest(GivenSystem& system, const std::string& variant, const Request& asked) {
  constexpr int most_repeats = 200;
  const double begin = cpu_microseconds();
  PeerRun best = run_once(system, variant, asked);
  for (int k = 1;
       k < most_repeats && best.succeeded && cpu_microseconds() - begin < 1e6 * asked.seconds; ++k)
    best.cpu_us = std::min(best.cpu_us, run_once(system, variant, asked).cpu_us);
  return best;
}

void print(const std::string& variant, const PeerRun& run, const std::vector<int>& place) {
  nlohmann::json values = nlohmann::json::array();
  for (const int i : place) values.push_back(i < 0 ? 0.0 : run.y[i]);
  const nlohmann::json line = {{"method", variant},
                               {"succeeded", run.succeeded},
                               {"message", run.message},
                               {"cpu_us", run.cpu_us},
                               {"steps", run.steps},
                               {"rejected", run.rejected},
                               {"rhs", run.rhs},
                               {"jacobians", run.jacobians},
                               {"solves", run.solves},
                               {"factorizations", run.factorizations},
                               {"values", std::move(values)}};
  std::cout << line.dump() << std::endl;
}

int run(char** arguments) {
  const std::string suite = arguments[1], problem = arguments[2];
  Request asked = {arguments[3], std::atof(arguments[4]), 0, std::atof(arguments[5])};
  const reproduce::TestProblem test = bench::find_problem(suite, problem).make();
  if (!test.first_order) return 0;
  asked.atol = asked.rtol * test.atol_factor;
  const reproduce::Statement& statement =
      asked.solver != "radau5" && test.for_bdf ? *test.for_bdf : *test.first_order;
  GivenSystem system(statement);
  const rlim_t limit = static_cast<rlim_t>(1e-6 * cpu_microseconds() + std::atof(arguments[6])) + 1;
  const rlimit seconds = {limit, limit};
  setrlimit(RLIMIT_CPU, &seconds);
  const auto variants =
      asked.solver == "ida" ? ida_variants(system) : desolve_variants(asked.solver, system);
  // Of one that never ends at least the name is told.
  std::cout << nlohmann::json({{"variants", variants}}).dump() << std::endl;
  for (const std::string& variant : variants)
    print(variant, shortest(system, variant, asked), statement.place);
  return 0;
}

}  // namespace
}  // namespace daedalus::peers

int main(int count, char** arguments) {
  if (count != 7) {
    std::cerr << "usage: daedalus-peer SUITE PROBLEM ida|radau5|daspk RTOL SECONDS LIMIT\n";
    return 2;
  }
  daedalus::keep_freed_memory();  // as the program does that the other codes are compared with
  try {
    return daedalus::peers::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "daedalus-peer: " << error.what() << '\n';
    return 1;
  }
}
