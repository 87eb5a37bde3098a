// Reference values reached, and how the error follows the tolerance.
#include <cmath>
#include <iostream>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reproduce/problems.h"

namespace daedalus::reproduce {
namespace {

Solution run(const ReferenceProblem& problem, double tolerance,
             const std::string& method = "radau") {
  Options options = problem.suggested;
  options.method = method;
  options.rtol = tolerance;
  options.atol = {tolerance};
  options.dense = false;
  return solve(problem.problem, options);
}

/// Largest error over the known variables of the groups up to `groups`, relative to max(1, |y|).
double error_of(const ReferenceProblem& problem, const Solution& solution, std::size_t groups = 9) {
  const Vector exact = problem.at_end();
  double error = 0;
  for (std::size_t k = 0; k < std::min(groups, problem.groups.size()); ++k) {
    for (const int i : problem.groups[k].variables) {
      const double difference = std::abs(solution.y_end()[i] - exact[i]);
      error = std::max(error, difference / std::max(1.0, std::abs(exact[i])));
    }
  }
  return error;
}

TEST(Reference, AmplifiersReachTenDigits) {
  for (const ReferenceProblem& problem : {one_transistor_amplifier(), two_transistor_amplifier()}) {
    const Solution solution = run(problem, 1e-12);
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    // Voltages are of size 1 to 6: ten digits.
    EXPECT_LT(error_of(problem, solution), 1e-10) << problem.name;
  }
}

TEST(Reference, AmplifierTakesTheStepsOfRadau5AtTolerance1e4) {
  const Solution solution = run(one_transistor_amplifier(), 1e-4, "radau_iia_5");
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  // 556 are printed; RADAU5 itself gives 454 to 640 over readings of Tol, first steps, controllers.
  // Our matrices are those of the middle of the step: where its limits were Newton's iteration, up
  // to a tenth less.
  EXPECT_GE(solution.statistics.steps, 0.9 * 454);
  EXPECT_LE(solution.statistics.steps, 640);
}

TEST(Reference, PendulumReachesTenDigitsInFormulationsOfLowerIndex) {
  for (const Formulation formulation :
       {Formulation::index_1, Formulation::index_2, Formulation::stabilized_index_2}) {
    const ReferenceProblem problem = pendulum(formulation);
    const Solution solution = run(problem, 1e-12);
    ASSERT_TRUE(solution.succeeded()) << problem.name << ": " << solution.message.text();
    EXPECT_LT(error_of(problem, solution, 1), 1e-10) << problem.name;
  }
}

TEST(Reference, PendulumReachesNineDigitsAsAnIndexThreeSystem) {
  const ReferenceProblem problem = pendulum(Formulation::direct);
  const Solution solution = run(problem, 1e-11);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  // 4e-10 is reached. Double precision is not the limit: 250 fixed steps of radau_iia_9 give 7e-14.
  EXPECT_LT(error_of(problem, solution, 1), 1e-9);
}

TEST(Reference, VanDerPolReachesElevenDigits) {
  for (const ReferenceProblem& problem :
       {van_der_pol_lienard(1e-3), van_der_pol_lienard(1e-5), van_der_pol_lienard(1e-6),
        van_der_pol_reduced(), van_der_pol_standard()}) {
    // For eps = 1e-3, z converges with order 3 only once eps h^3 exceeds h^5.
    const Solution solution = run(problem, 1e-13);
    ASSERT_TRUE(solution.succeeded()) << problem.name << ": " << solution.message.text();
    EXPECT_LT(error_of(problem, solution), 1e-11) << problem.name;
  }
}

TEST(Reference, StiffSpringPendulumReachesItsKnownDigits) {
  const auto reaches = [](const ReferenceProblem& problem, double bound, const char* method) {
    // An error in the length of the spring appears in the velocity divided by epsilon.
    const Solution solution = run(problem, 1e-14, method);
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    EXPECT_LT(error_of(problem, solution), bound);
  };
  // The last known digit of u and v decides.
  reaches(stiff_spring_pendulum(1e-2), 1e-10, "radau");
  // One order throughout: each change of order moves the numerical slow solution a little, and
  // that excites the stiffest spring (variable order at 1e-12: 1e-7 in u and v).
  reaches(stiff_spring_pendulum(1e-3), 1e-8, "radau_iia_5");
  reaches(stiff_spring_pendulum(1e-2, 1.01), 1e-9, "radau");
}

TEST(Reference, ProcessModelsReachTheirKnownDigits) {
  for (const ReferenceProblem& problem : {plug_flow(), pressure_control()}) {
    const Solution solution = run(problem, 1e-11);
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    EXPECT_LT(error_of(problem, solution, 1), 2e-10) << problem.name;
    EXPECT_LT(error_of(problem, solution), 1e-8) << problem.name;
  }
}

struct RingModulatorCase {
  double storage;
  double tolerance;
  double bound;
};

class RingModulator : public testing::TestWithParam<RingModulatorCase> {};

TEST_P(RingModulator, ReachesItsKnownDigits) {
  const auto [storage, tolerance, bound] = GetParam();
  const ReferenceProblem problem = ring_modulator(storage);
  Options options = problem.suggested;
  options.rtol = tolerance;
  // Currents are of size 1e-4 beside voltages of size 1.
  options.atol = {1e-3 * tolerance};
  options.dense = false;
  const Solution solution = solve(problem.problem, options);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_LT(error_of(problem, solution), bound);
}

INSTANTIATE_TEST_SUITE_P(StorageCapacitance, RingModulator,
                         testing::Values(RingModulatorCase{1e-9, 1e-10, 1e-8},
                                         RingModulatorCase{2e-12, 1e-9, 1e-8},
                                         RingModulatorCase{0, 1e-8, 2e-8}));

/// The polynomial of the last step starts Newton's iteration far off where diodes switch.
TEST(Reference, AmplifiersMeetEveryTolerance) {
  constexpr int tolerances = 180;
  for (const ReferenceProblem& problem : {one_transistor_amplifier(), two_transistor_amplifier()})
    for (int k = 0; k < tolerances; ++k) {
      const double tolerance = std::pow(10, -5 - 6.0 * k / tolerances);
      EXPECT_LE(error_of(problem, run(problem, tolerance), 1), 10 * tolerance)
          << problem.name << " at rtol " << tolerance;
    }
}

struct ToleranceCase {
  ReferenceProblem problem;
  double bound;  ///< on error / rtol
};

TEST(Reference, ErrorsFollowTheTolerance) {
  constexpr double usual = 30;
  const std::vector<ToleranceCase> cases = {
      {idx1(), usual},
      {idx2b(), usual},
      {one_transistor_amplifier(), usual},
      {two_transistor_amplifier(), usual},
      {van_der_pol_reduced(), usual},
      {van_der_pol_lienard(1e-6), usual},
      {plug_flow(), usual},
      {pressure_control(), usual},
      {pendulum(Formulation::index_2), usual},
      {pendulum(Formulation::stabilized_index_2), usual},
      {pendulum(Formulation::index_1), usual},
      {pendulum(Formulation::direct), usual},
      // For the reader only: a true oscillation of size 3 eps^3 = 3e-6 in the velocity along the
      // spring, which every Radau run damps until its steps resolve it (h << eps).
      {stiff_spring_pendulum(1e-2), std::numeric_limits<double>::infinity()},
  };
  std::string table = fmt::format("{:<26}", "error / rtol at rtol =");
  for (int digits = 3; digits <= 11; ++digits) {
    table += fmt::format(" {:>8}", fmt::format("1e-{}", digits));
  }
  for (const auto& [problem, bound] : cases) {
    table += fmt::format("\n{:<26}", problem.name);
    for (int digits = 3; digits <= 11; ++digits) {
      const double tolerance = std::pow(10, -digits);
      const Solution solution = run(problem, tolerance);
      EXPECT_TRUE(solution.succeeded()) << problem.name << " " << tolerance;
      const double ratio = error_of(problem, solution, 1) / tolerance;
      table += fmt::format(" {:>8.2g}", ratio);
      EXPECT_LE(ratio, bound) << problem.name << " at rtol " << tolerance;
    }
  }
  std::cout << table << std::endl;
}

}  // namespace
}  // namespace daedalus::reproduce
