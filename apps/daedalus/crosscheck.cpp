// daedalus crosscheck: a model solved in two ways.
#include "daedalus/crosscheck.h"

#include <cstdio>

#include <fmt/format.h>

#include "commands.h"

namespace daedalus::command {
namespace {

constexpr std::size_t most_lines = 10;

bool report_failure(const Solution& solution) {
  if (solution.succeeded()) return false;
  fmt::print(stderr, "daedalus: {} ({}): {}\n", solution.method, solution.formulation,
             solution.message.text());
  return true;
}

}  // namespace

int run_crosscheck(const CrosscheckCommand& command) {
  const Model model =
      make_model(model_text(command.run.model), command.run, assignments(command.parameters, "-p"));
  const Options options = options_for(command.run, model);
  Options other = options;
  if (command.against.empty() && command.against_formulation.empty()) {
    // What the first way is, its first step tells.
    other = another_way(options, Integrator(model.problem(), options).solution());
  } else {
    RunOptions run = command.run;
    if (!command.against.empty()) run.method = command.against;
    if (!command.against_formulation.empty()) run.formulation = command.against_formulation;
    other = options_for(run, model);
  }
  const int points = command.run.points > 0 ? command.run.points : 101;
  const CrossCheck check = crosscheck(model.problem(), options, other, points);
  const bool failures[] = {report_failure(check.first), report_failure(check.second)};
  fmt::print("{}: {} ({}) against {} ({}) at {} times\n", model.name(), check.first.method,
             check.first.formulation, check.second.method, check.second.formulation, check.rows);
  fmt::print("largest differences in units of rtol*|value| + atol, rtol = {:g}\n", options.rtol);
  for (std::size_t k = 0; k < check.differences.size() && k < most_lines; ++k) {
    const CrossCheck::Difference& d = check.differences[k];
    fmt::print("  {:<20} {:<10.3g} {:.3g} at t = {:.6g}\n", d.variable, d.tolerances, d.size, d.t);
  }
  if (check.differences.size() > most_lines)
    fmt::print("  and {} variables with less\n", check.differences.size() - most_lines);
  if (failures[0] || failures[1]) return failed;
  if (check.largest() <= command.limit) return done;
  fmt::print("they differ by more than {:g}: tighten --rtol, or trust neither\n", command.limit);
  return failed;
}

}  // namespace daedalus::command
