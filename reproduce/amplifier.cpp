// The transistor amplifier at Tol = 1e-4, and Figure 1.4: entry voltage U_e and output U_5.
// [HairerWanner1996, VI.1] counts 556 accepted steps of RADAU5; the count moves between 454 and
// 640 with the reading of Tol, the first step and the controller.
#include <cmath>
#include <numbers>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/problems.h"
#include "reproduce/reproduction.h"
#include "reproduce/svg_plot.h"

namespace daedalus::reproduce {
namespace {

constexpr int fewest_steps = 454;
constexpr int printed_steps = 556;
constexpr int most_steps = 640;

Solution run(const ReferenceProblem& amplifier, double tolerance) {
  Options options = amplifier.suggested;
  options.method = "radau_iia_5";
  options.rtol = tolerance;
  options.atol = {tolerance};
  return solve(amplifier.problem, options);
}

Plot figure(const Solution& solution) {
  Curve entry = {.label = "U_e (entry)"};
  Curve output = {.label = "U_5 (output)"};
  constexpr int points = 1600;
  for (int i = 0; i <= points; ++i) {
    const double t = 0.2 * i / points;
    entry.x.push_back(t);
    entry.y.push_back(0.4 * std::sin(200 * std::numbers::pi * t));
    output.x.push_back(t);
    output.y.push_back(solution(t)[4]);
  }
  return {.title = "Transistor amplifier (Hairer & Wanner 1996, Fig. VI.1.4)",
          .x_label = "t",
          .y_label = "voltage",
          .curves = {entry, output}};
}

}  // namespace

ReproduceSummary reproduce_amplifier(const ReproduceOptions& options, std::ostream& out) {
  const ReferenceProblem amplifier = one_transistor_amplifier();
  const Solution rough = run(amplifier, 1e-4);
  const Solution fine = run(amplifier, 1e-12);
  const Vector exact = amplifier.at_end();
  ReproduceSummary summary;

  const auto steps = rough.statistics.steps;
  ++summary.entries;
  if (rough.succeeded() && fewest_steps <= steps && steps <= most_steps) ++summary.agree;
  for (int i = 0; i < 5; ++i) {
    ++summary.entries;
    // Ten digits of the reference: half a unit of the tenth, relative to the largest voltage.
    if (std::abs(fine.y_end()[i] - exact[i]) < 5e-10) ++summary.agree;
  }
  const std::vector<Plot> plots = {figure(rough)};
  if (!options.output_path.empty()) write_svg(options.output_path, plots);
  if (options.csv) {
    out << curves_csv(plots);
    return summary;
  }
  fmt::print(out, "Tol = 1e-4, {}: {} accepted steps, {} rejected (printed: {} accepted)\n",
             rough.method, steps, rough.statistics.rejected, printed_steps);
  fmt::print(out, "\n{:>4} {:>20} {:>20} {:>20}\n", "", "Tol = 1e-4", "Tol = 1e-12", "reference");
  for (int i = 0; i < 5; ++i) {
    fmt::print(out, "{:>4} {:>20.12f} {:>20.12f} {:>20.12f}\n", amplifier.problem.variables[i],
               rough.y_end()[i], fine.y_end()[i], exact[i]);
  }
  return summary;
}

}  // namespace daedalus::reproduce
