// The production solver: tolerances, wrong problems, guesses, continuation.
#include <algorithm>
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bvp_known.h"
#include "daedalus/error.h"

namespace daedalus {
namespace {

using namespace boundary_problems;
using testing::HasSubstr;

/// Largest error of all variables, relative to 1 + |value|, at seven places of every element.
double true_error(const Known& known, const BoundarySolution& s) {
  double error = 0;
  for (std::size_t i = 0; i + 1 < s.t.size(); ++i)
    for (int m = 0; m <= 6; ++m) {
      const double t = m == 6 ? s.t[i + 1] : s.t[i] + (s.t[i + 1] - s.t[i]) * m / 6;
      const Vector exact = known.exact(t);
      error =
          std::max(error, ((exact - s(t)).array().abs() / (1 + exact.array().abs())).maxCoeff());
    }
  return error;
}

TEST(BoundarySolver, ReachesEveryToleranceInAllVariables) {
  const std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  const auto problems = known_problems();
  EXPECT_GE(problems.size(), 15u);
  double most = 0;
  for (const auto& [name, known] : problems) {
    std::string line;
    for (const double tolerance : tolerances) {
      const BoundarySolution s = solve_boundary(known.problem, {.tolerance = tolerance});
      ASSERT_TRUE(s.succeeded()) << name << ": " << s.message.text();
      const double error = true_error(known, s);
      most = std::max(most, error / tolerance);
      EXPECT_LE(error, 3 * tolerance) << name << ", tolerance " << tolerance;
      line += fmt::format(" {:7.0e} ({:3})", error, s.t.size() - 1);
    }
    std::printf("%-32s%s\n", name.c_str(), line.c_str());
  }
  std::printf("largest error: %.2f of the tolerance\n", most);
}

/// Elements of the last mesh.
int elements_for_thin_layer(double tolerance) {
  const BoundarySolution s = continue_boundary(
      [&](double digits, const BoundarySolution* before) {
        return solve_boundary(convection_layer(std::pow(10, -digits)).problem,
                              {.tolerance = tolerance}, before);
      },
      {.from = 2, .to = 8});
  EXPECT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_LE(true_error(convection_layer(1e-8), s), 3 * tolerance);
  return static_cast<int>(s.t.size()) - 1;
}

TEST(BoundarySolver, ReachesLayersOfAHundredMillionthByContinuation) {
  EXPECT_LT(elements_for_thin_layer(1e-3), 500);
  // High derivatives in the layer are known to the rounding of t over its width, 1e-8: tolerances
  // that differ by 1e-9 of themselves need meshes that differ by a factor of ten and more.
  std::vector<int> counts;
  for (int k = 0; k < 7; ++k) counts.push_back(elements_for_thin_layer(1e-6 * (1 + 1e-9 * k)));
  std::sort(counts.begin(), counts.end());
  std::printf("elements for a layer of 1e-8 at 1e-6: %d to %d, median %d\n", counts.front(),
              counts.back(), counts[3]);
  EXPECT_LT(counts[3], 1000);
  // Here u' times the rounding of t is 1e-8: it decides how many there are.
  EXPECT_LT(elements_for_thin_layer(1e-10), 5000);
}

TEST(BoundarySolver, WorksWithRadauAndLobattoPoints) {
  for (const auto points : {CollocationPoints::radau, CollocationPoints::lobatto})
    for (const Known& known : {bratu(), reaction_layers(1e-4), periodic()}) {
      const BoundarySolution s =
          solve_boundary(known.problem, {.tolerance = 1e-7, .points = points});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      EXPECT_LE(true_error(known, s), 3e-7);
    }
  EXPECT_THROW((void)solve_boundary(l1().problem, {.points = CollocationPoints::lobatto}),
               InvalidInput);
}

TEST(BoundarySolver, RefusesProblemsThatCannotBeRight) {
  const auto refusal = [](const BoundaryProblem& p, const BoundaryOptions& options = {}) {
    try {
      (void)solve_boundary(p, options);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  BoundaryProblem p = bratu().problem;
  p.conditions = 1;
  p.condition = [](auto z, auto out) { out[0] = z[0]; };
  EXPECT_THAT(refusal(p), HasSubstr("too few boundary conditions: 1 boundary condition"));
  p = i3().problem;  // of four states only two are free
  p.conditions = 4;
  p.condition = [](auto z, auto out) {
    out[0] = z[2], out[1] = z[6], out[2] = z[3] - 1, out[3] = z[7];
  };
  EXPECT_THAT(refusal(p), HasSubstr("too many boundary conditions: 4"));
  p = bratu().problem;
  p.t_span = {1, 0};
  EXPECT_THAT(refusal(p), HasSubstr("t_span"));
  EXPECT_THAT(refusal(bratu().problem, {.tolerance = 2}), HasSubstr("tolerance"));
  EXPECT_THAT(refusal(bratu().problem, {.stages = 12}), HasSubstr("12 collocation points"));
  EXPECT_THAT(refusal(bratu().problem, {.mesh = {0, 0.5, 0.4, 1}}), HasSubstr("mesh"));
  p = bratu().problem;
  p.f = [](double, Input, Input, Output out) { out[0] = 0; };
  EXPECT_THAT(refusal(p), HasSubstr("generic in its scalar"));
  p = l1().problem;  // y occurs nowhere
  p.f = [](auto, auto z, auto, auto out) { out[0] = z[1], out[1] = z[2], out[2] = z[0]; };
  EXPECT_THAT(refusal(p), HasSubstr("nothing determines y1"));
}

TEST(BoundarySolver, NamesWhatStandsInTheWayOfASolution) {
  BoundaryProblem p = bratu().problem;
  p.guess = [](double, Output z, Output y) { z[0] = NAN, y[0] = 1; };
  BoundarySolution s = solve_boundary(p);
  EXPECT_EQ(s.reason, Reason::not_finite);
  EXPECT_THAT(s.message.text(), HasSubstr("not finite"));

  p = bratu().problem;  // u' may be shifted by any constant: conditions for u' only
  p.f = [](auto, auto z, auto y, auto out) { out[0] = -z[1] + 0.0 * y[0]; };
  p.g = [](auto, auto, auto y, auto out) { out[0] = y[0] - 1; };
  p.condition = [](auto z, auto out) { out[0] = z[1], out[1] = z[3]; };
  s = solve_boundary(p);
  EXPECT_EQ(s.reason, Reason::singular_matrix);
  EXPECT_THAT(s.message.text(), HasSubstr("x1 at t = 0"));

  p = bratu().problem;  // beyond the fold at 3.5138 there is no solution
  p.f = [](auto, auto, auto y, auto out) { out[0] = -4 * y[0]; };
  s = solve_boundary(p);
  EXPECT_EQ(s.status, Status::failed);

  s = solve_boundary(reaction_layers(1e-8).problem, {.tolerance = 1e-10, .max_elements = 50});
  EXPECT_EQ(s.reason, Reason::max_steps);
  EXPECT_THAT(s.message.text(), HasSubstr("elements"));
}

TEST(BoundarySolver, SuggestsContinuationWhereALayerIsTooThinForAPlainGuess) {
  const BoundarySolution s = solve_boundary(convection_layer(1e-8).problem);
  EXPECT_FALSE(s.succeeded());
  EXPECT_THAT(s.message.why, testing::HasSubstr("layer of the solution is much thinner"));
  EXPECT_THAT(s.message.hint, testing::HasSubstr("continuation"));
}

TEST(BoundarySolver, BeginsWithAnEarlierSolution) {
  const Known known = junction();
  const BoundarySolution first = solve_boundary(known.problem, {.tolerance = 1e-4});
  const BoundarySolution second = solve_boundary(known.problem, {.tolerance = 1e-4}, &first);
  ASSERT_TRUE(second.succeeded());
  EXPECT_LT(second.statistics.newton, first.statistics.newton);
}

/// x, y on the unit circle under gravity and a torque that does not change: from rest below to the
/// upright position in two seconds, from a straight-line guess of the angle.
BoundaryProblem swing_up(double gravity) {
  BoundaryProblem p;
  p.orders = {2, 2}, p.algebraic = 1, p.parameters = 1;
  p.t_span = {0, 2};
  p.f = [gravity](auto, auto z, auto y, auto out) {
    out[0] = -y[0] * z[0] - z[4] * z[2];
    out[1] = -y[0] * z[2] + z[4] * z[0] - gravity;
  };
  p.g = [](auto, auto z, auto, auto out) { out[0] = z[0] * z[0] + z[2] * z[2] - 1; };
  p.conditions = 3;
  p.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[1], out[2] = z[5]; };
  p.guess = [](double t, Output z, Output y) {
    const double rate = pi / 2, angle = rate * t;
    z[0] = std::sin(angle), z[1] = rate * std::cos(angle);
    z[2] = -std::cos(angle), z[3] = rate * std::sin(angle);
    y[0] = rate * rate;
  };
  p.parameter_guess = {1};
  return p;
}

/// The same for the angle alone.
BoundaryProblem swing_up_by_angle(double gravity) {
  BoundaryProblem p;
  p.orders = {2}, p.parameters = 1;
  p.t_span = {0, 2};
  p.f = [gravity](auto, auto z, auto, auto out) { out[0] = z[2] - gravity * sin(z[0]); };
  p.conditions = 3;
  p.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[1], out[2] = z[3] - pi; };
  p.guess = [](double t, Output z, Output) { z[0] = pi / 2 * t, z[1] = pi / 2; };
  p.parameter_guess = {1};
  return p;
}

TEST(BoundarySolver, SwingsAPendulumOfIndexThreeUpByContinuation) {
  const auto torque = [](BoundaryProblem (*problem)(double), int place) {
    const BoundarySolution s = continue_boundary(
        [&](double gravity, const BoundarySolution* before) {
          return solve_boundary(problem(gravity), {.tolerance = 1e-9}, before);
        },
        {.from = 0, .to = 2});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    return s.row(0)[place];
  };
  EXPECT_NEAR(torque(swing_up, 4), torque(swing_up_by_angle, 2), 1e-8);
}

TEST(BoundarySolver, SaysHowFarContinuationCame) {
  const BoundarySolution s = continue_boundary(
      [&](double lambda, const BoundarySolution* before) {
        BoundaryProblem p = bratu().problem;
        p.f = [lambda](auto, auto, auto y, auto out) { out[0] = -lambda * y[0]; };
        return solve_boundary(p, {.tolerance = 1e-5}, before);
      },
      {.from = 1, .to = 5, .smallest_step = 1e-2});
  EXPECT_FALSE(s.succeeded());
  EXPECT_THAT(s.message.text(), HasSubstr("on the way from 1 to 5, beyond 3."));
}

TEST(BoundarySolver, FollowsABranchAroundItsFold) {
  // u'' = -p e^u: the lower solutions turn into the upper ones at p = 3.513830719.
  BoundaryProblem p;
  p.orders = {2}, p.parameters = 1;
  p.t_span = {0, 1};
  p.f = [](auto, auto z, auto, auto out) { out[0] = -z[2] * exp(z[0]); };
  p.conditions = 2;
  p.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[3]; };
  const auto solutions =
      follow_branch(p, {.from = 1, .to = 4, .first_step = 0.5, .lowest = 1, .largest_step = 0.5},
                    {.tolerance = 1e-8});
  double largest = 0;
  for (const BoundarySolution& s : solutions) {
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    largest = std::max(largest, s.row(0)[2]);
  }
  EXPECT_GT(largest, 3.49);
  EXPECT_LT(largest, 3.513830720);
  EXPECT_LT(solutions.back().row(0)[2], 1);     // back again
  EXPECT_GT(solutions.back().row(0)[1], 10.8);  // with the steep slope of the upper solution
}

TEST(InitialValuesByCollocation, ReachTheToleranceOnAPendulumOfIndexThree) {
  Known known = i3();
  for (const auto points : {CollocationPoints::gauss, CollocationPoints::radau})
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      const BoundarySolution s =
          collocate_initial_values(known.problem, known.exact(0).head(4),
                                   {.tolerance = tolerance, .points = points, .stages = 4});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      EXPECT_EQ(s.t.back(), 1);
      // The error of each element adds up, amplified by the equations.
      EXPECT_LE(true_error(known, s), 20 * tolerance);
    }
}

TEST(BoundarySolver, KeepsFastGrowthAndDecayApart) {
  // x1' = 1e3 x1, x2' = -1e3 x2 with one condition at each end: shooting would overflow.
  BoundaryProblem p;
  p.orders = {1, 1};
  p.t_span = {0, 1};
  p.f = [](auto, auto z, auto, auto out) { out[0] = 1e3 * z[0], out[1] = -1e3 * z[1]; };
  p.conditions = 2;
  p.condition = [](auto z, auto out) { out[0] = z[2] - 1, out[1] = z[1] - 1; };
  const BoundarySolution s = solve_boundary(p, {.tolerance = 1e-8});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_LT(s.condition, 1e8);
  EXPECT_NEAR(s(0.001)[1], std::exp(-1.0), 1e-8);
  EXPECT_NEAR(s(0.999)[0], std::exp(-1.0), 1e-8);
}

}  // namespace
}  // namespace daedalus
