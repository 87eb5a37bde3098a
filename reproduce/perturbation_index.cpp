// y1' - y3 y2' + y2 y3' = 0, y2 = y3 = 0: differentiation index 1, perturbation index 2. The defect
// (0, e sin wt, e cos wt) of size e changes y1 by e^2 w t, however small e is.
// [HairerLubichRoche1989, Section 1]
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/problems.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {

ReproduceSummary reproduce_perturbation_index(const ReproduceOptions& options, std::ostream& out) {
  struct Case {
    double size;
    double frequency;
  };
  ReproduceSummary summary;
  if (options.csv) {
    fmt::print(out, "e,w,y1,computed,agrees\n");
  } else {
    fmt::print(out, "y1(1) with the defect (0, e sin wt, e cos wt); without it, y1 = 0\n\n");
    fmt::print(out, "{:>8} {:>8} {:>14} {:>18} {:>8}\n", "e", "w", "e^2 w", "computed", "steps");
  }
  for (const Case& c : {Case{1e-2, 1e2}, Case{1e-3, 1e2}, Case{1e-3, 1e3}, Case{1e-3, 1e4}}) {
    const ReferenceProblem problem = perturbation_index(c.size, c.frequency);
    // A defect of the stages is amplified like the one we put in, by w: the tolerance must be as
    // much smaller.
    const Solution solution =
        solve(problem.problem, {.rtol = 1e-12, .atol = {1e-12 * c.size}, .dense = false});
    const double expected = c.size * c.size * c.frequency;
    const double computed = solution.succeeded() ? solution.y_end()[0] : std::nan("");
    ++summary.entries;
    const bool agrees = std::abs(computed / expected - 1) < 1e-6;
    if (agrees) ++summary.agree;
    if (options.csv) {
      fmt::print(out, "{:g},{:g},{:g},{:.9e},{}\n", c.size, c.frequency, expected, computed,
                 agrees ? "yes" : "no");
    } else {
      fmt::print(out, "{:>8.0e} {:>8.0e} {:>14.6e} {:>18.9e} {:>8}\n", c.size, c.frequency,
                 expected, computed, solution.statistics.steps);
    }
  }
  return summary;
}

}  // namespace daedalus::reproduce
