// What can lead a run astray: pulses behind linear stretches, corners where a phase begins, and
// several solutions close to each other.
#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "daedalus/solve.h"
#include "io/embedded.h"
#include "reproduce/testset.h"

namespace daedalus {
namespace {

Solution solved(const char* name, double rtol) {
  const Model model =
      Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo")));
  Options options = model.scaled({.rtol = rtol});
  options.dense = false;
  return solve(model.problem(), options);
}

TEST(Robustness, PulsesBehindLinearStretchesAreSeen) {
  // While the diodes block, Newton's iteration contracts to rounding at once.
  const double end = solved("diode_bridge", 1e-10).value(-1, "vp");
  for (const double rtol : {1e-5, 1e-6, 5e-7, 2e-7, 1e-7}) {
    const Solution s = solved("diode_bridge", rtol);
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_NEAR(s.value(-1, "vp"), end, 30 * rtol * end) << rtol;
    // Residuals of the nodes are currents; those of pulses are of size 0.1.
    EXPECT_LE(s.constraint_residual.at(0).maximum, 30 * rtol) << rtol;
  }
}

TEST(Robustness, CornersAreLeftWhereNoControlledStepLeadsAway) {
  // Sharper, the tolerance of the charges is what a few roundings of the time do to them.
  for (const double rtol : {1e-9, 1e-10, 1e-11}) {
    const Solution s = solved("pump", rtol);
    EXPECT_TRUE(s.succeeded()) << rtol << ": " << s.message.text();
  }
}

TEST(Robustness, MultipliersOfIndex2StayOnTheirBranch) {
  // z = exp(2 t) or half of it: 2 y2 z^2 - 3 z + y1^2 = 0.
  const reproduce::TestProblem jay = reproduce::jay_index_2();
  for (const double rtol : {1e-2, 3e-3, 1e-3, 5e-4, 1e-4, 1e-6}) {
    const Solution s = solve(jay.statement.problem, {.method = "radau", .rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << rtol << ": " << s.message.text();
    EXPECT_NEAR(s.y_end()[0], std::exp(1.0), 30 * rtol * std::exp(1.0)) << rtol;
    // Its errors are those of y over the step size.
    EXPECT_NEAR(s.y_end()[2], std::exp(2.0), 0.1 * std::exp(2.0)) << rtol;
  }
}

}  // namespace
}  // namespace daedalus
