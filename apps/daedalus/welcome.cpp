// daedalus without arguments: a pendulum in Cartesian coordinates, index 3 as the user states it.
#include <fmt/format.h>

#include "commands.h"
#include "daedalus/solve.h"
#include "reproduce/problems.h"

namespace daedalus::command {
namespace {

constexpr const char* equations =
    R"(A pendulum in Cartesian coordinates (m = l = g = 1), a system of index 3:

    p' = u    u' = -p lambda            q' = v    v' = -q lambda - 1
    0 = (p^2 + q^2 - 1) / 2             at rest at (p, q) = (1, 0)

)";

constexpr const char* what_next = R"(
Next:  daedalus solve models/pendulum.mo   a model written as text
       daedalus methods              the methods and their orders
       daedalus reproduce --list     published tables and figures, recomputed
       daedalus --help
)";

void print_rows(const Solution& solution) {
  fmt::print("{:>6}", "t");
  for (const std::string& name : solution.variables) fmt::print(" {:>12}", name);
  fmt::print("\n");
  for (int i = 0; i < solution.rows(); ++i) {
    fmt::print("{:>6g}", solution.t[i]);
    for (int j = 0; j < solution.size(); ++j) fmt::print(" {:>12.8f}", solution.y(i)[j]);
    fmt::print("\n");
  }
}

void print_quality(const Solution& solution) {
  const Statistics& statistics = solution.statistics;
  fmt::print("\nsolved by {} ({}): {} steps, {} rejected, {:.1f} ms\n", solution.method,
             solution.formulation, statistics.steps, statistics.rejected,
             1e3 * statistics.wall_seconds);
  for (const ConstraintResidual& residual : solution.constraint_residual) {
    fmt::print("{:<14} constraint holds to {:.1e}\n", residual.level, residual.maximum);
  }
}

}  // namespace

int run_welcome() {
  reproduce::ReferenceProblem pendulum = reproduce::pendulum(Formulation::automatic);
  fmt::print("{}", equations);
  const Solution solution = solve(pendulum.problem, {.rtol = 1e-8, .points = 6});
  print_rows(solution);
  print_quality(solution);
  if (!solution.succeeded()) {
    fmt::print(stderr, "{}\n", solution.message.text());
    return failed;
  }
  const double error = (Vector(solution.y_end()) - pendulum.at_end()).cwiseAbs().maxCoeff();
  fmt::print("{:<14} from the closed form: {:.1e} (rtol 1e-8)\n", "distance", error);
  fmt::print("{}", what_next);
  return done;
}

}  // namespace daedalus::command
