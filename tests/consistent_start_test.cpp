// The consistent point nearest to the guesses: what moves, what stays, and what is said when no
// such point exists.
#include <cmath>
#include <limits>

#include "daedalus/model.h"
#include "expectations.h"

namespace daedalus {
namespace {

using testing::expect_failure;
using ::testing::HasSubstr;
using testing::refusal;

// Newton's iteration ends at the level of rounding errors.
constexpr double rounding = 1e-12;

Solution started(const Problem& problem) {
  return Integrator(problem).solution();
}

Problem index_one(Values start) {
  Problem problem;
  problem.form = SemiExplicit{1, 1, [](auto x, auto z, auto f) { f[0] = -x[0] * z[0]; },
                              [](auto x, auto z, auto g) {
                                g[0] = z[0] * z[0] * z[0] + z[0] - x[0];  // x = 10: z = 2
                              }};
  problem.t_span = {0, 1}, problem.start = std::move(start);
  return problem;
}

TEST(ConsistentStart, MovesOnlyTheAlgebraicVariablesOfIndexOne) {
  const Solution solution = started(index_one({10, 0.3}));
  EXPECT_NEAR(solution.y(0)[1], 2, rounding);
  ASSERT_EQ(solution.start_shift.size(), 2u);
  EXPECT_NEAR(solution.start_shift[0], 0, 10 * rounding);
  EXPECT_NEAR(solution.start_shift[1], 1.7, rounding);
}

TEST(ConsistentStart, TakesMissingValuesForGuessesOfZero) {
  EXPECT_NEAR(started(index_one({10})).y(0)[1], 2, rounding);
}

TEST(ConsistentStart, FindsASolutionFromFarAway) {
  const Solution solution = started(index_one({10, 1e6}));
  EXPECT_NEAR(solution.y(0)[1], 2, 1e-9);
}

TEST(ConsistentStart, LeavesAConsistentStartAlone) {
  for (const double shift : started(index_one({10, 2})).start_shift) EXPECT_EQ(shift, 0);
}

TEST(ConsistentStart, HoldsFixedVariablesAndMovesTheOthers) {
  Problem problem = index_one({9, 2});
  problem.fixed = {"z"};
  const Solution solution = started(problem);
  EXPECT_NEAR(solution.y(0)[0], 10, 1e-9);
  EXPECT_EQ(solution.y(0)[1], 2);
  EXPECT_NEAR(solution.start_shift[0], 1, 1e-9);
}

TEST(ConsistentStart, NamesTheEquationAndTheFixedValuesInContradiction) {
  Problem problem = index_one({9, 2});
  problem.equations = {"reaction", "balance"};
  problem.fixed = {"x", "z"};
  const Solution solution = solve(problem);
  expect_failure(solution, Reason::inconsistent_start);
  EXPECT_THAT(solution.message.where, HasSubstr("balance"));
  EXPECT_THAT(solution.message.where, HasSubstr("x = 9"));
  EXPECT_THAT(solution.message.where, HasSubstr("z = 2"));
  EXPECT_EQ(solution.rows(), 1);
}

TEST(ConsistentStart, NamesTheNearestVariableWhenAFixedOneIsUnknown) {
  Problem problem = index_one({10, 2});
  problem.variables = {"pressure", "flow"};
  problem.fixed = {"presure"};
  const std::string message = refusal(problem);
  EXPECT_THAT(message, HasSubstr("fixed"));
  EXPECT_THAT(message, HasSubstr("\"presure\""));
  EXPECT_THAT(message, HasSubstr("pressure"));
}

TEST(ConsistentStart, SaysWhichEquationHasNoSolution) {
  Problem problem = index_one({1, 0});
  std::get<SemiExplicit>(problem.form).g = [](auto x, auto z, auto g) {
    g[0] = z[0] * z[0] + x[0] * x[0] + 1;
  };
  problem.equations = {"motion", "impossible"};
  const Solution solution = solve(problem);
  expect_failure(solution, Reason::inconsistent_start);
  EXPECT_THAT(solution.message.where, HasSubstr("impossible"));
}

TEST(ConsistentStart, SaysWhichEquationIsNotDefined) {
  Problem problem = index_one({-1, 1});
  std::get<SemiExplicit>(problem.form).g = [](auto x, auto z, auto g) { g[0] = z[0] - sqrt(x[0]); };
  problem.equations = {"motion", "root"};
  const Solution solution = solve(problem);
  expect_failure(solution, Reason::inconsistent_start);
  EXPECT_THAT(solution.message.where, HasSubstr("root"));
  EXPECT_EQ(solution.y(0)[0], -1);
}

TEST(ConsistentStart, KeepsTheDifferentialCombinationsOfASingularMass) {
  // (y1 + y2)' = ..., 0 = y1 - 2 y2: the sum stays, the split is found.
  Problem problem;
  problem.form = LinearlyImplicit{2, Matrix(Matrix::Ones(2, 2)),
                                  [](auto y, auto f) { f << -y[0], -y[0] + y[0] - 2 * y[1]; }};
  problem.t_span = {0, 1}, problem.start = {3, 0};
  const Solution solution = started(problem);
  EXPECT_NEAR(solution.y(0)[0], 2, 1e-10);
  EXPECT_NEAR(solution.y(0)[1], 1, 1e-10);
}

Problem index_two(Values start) {
  Problem problem;
  problem.form = HessenbergIndex2{
      2, 1, [](auto y, auto z, auto f) { f << -y[1] + y[0] * z[0], y[0] + y[1] * z[0]; },
      [](auto y, auto g) { g[0] = y[0] * y[0] + y[1] * y[1] - 1; }};
  problem.t_span = {0, 1}, problem.start = std::move(start);
  return problem;
}

TEST(ConsistentStart, ProjectsOntoTheCircleAndFindsTheMultiplierOfIndexTwo) {
  const Solution solution = started(index_two({0.6 * 1.1, 0.8 * 1.1, 5}));
  EXPECT_NEAR(solution.y(0)[0], 0.6, 1e-9);  // the nearest point is along the radius
  EXPECT_NEAR(solution.y(0)[1], 0.8, 1e-9);
  EXPECT_NEAR(solution.y(0)[2], 0, 1e-9);
}

TEST(ConsistentStart, HoldsACoordinateOnTheCircle) {
  Problem problem = index_two({0.6, 0.5, 0});
  problem.fixed = {"y1"};
  const Solution solution = started(problem);
  EXPECT_EQ(solution.y(0)[0], 0.6);
  EXPECT_NEAR(solution.y(0)[1], 0.8, 1e-9);
  problem.start = {1.5, 0.5, 0};
  const Solution outside = solve(problem);
  expect_failure(outside, Reason::inconsistent_start);
  EXPECT_THAT(outside.message.where, HasSubstr("y1 = 1.5"));
}

TEST(ConsistentStart, FindsAllLevelsOfIndexThree) {
  Problem problem;
  problem.form = HessenbergIndex3{
      2,
      2,
      1,
      [](auto, auto z, auto f) { f = z; },
      [](auto y, auto, auto u, auto k) { k << -2 * y[0] * u[0], -2 * y[1] * u[0] - 1; },
      [](auto y, auto g) { g[0] = y[0] * y[0] + y[1] * y[1] - 1; }};
  problem.t_span = {0, 1}, problem.start = {1.2, 0, 0.5, 1, 0};
  const Solution solution = started(problem);
  const Input y = solution.y(0);
  EXPECT_NEAR(y.head<2>().squaredNorm(), 1, 1e-9);
  EXPECT_NEAR(y[0] * y[2] + y[1] * y[3], 0, 1e-9);
  // d^2/dt^2: 2 |z|^2 + 2 y . k = 0, so 2 u = |z|^2 - y2.
  EXPECT_NEAR(2 * y[4], y.segment<2>(2).squaredNorm() - y[1], 1e-8);
}

Problem pendulum(Values start) {
  Problem problem;
  problem.form = Mechanical{2,
                            1,
                            0,
                            {},
                            [](auto, auto, auto f) { f << 0.0, -1.0; },
                            [](auto q, auto g) { g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; }};
  problem.t_span = {0, 1}, problem.start = std::move(start);
  return problem;
}

TEST(ConsistentStart, ProjectsPositionAndVelocityOfAPendulum) {
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::direct, Formulation::index_2, Formulation::index_1}) {
    Options options;
    options.formulation = formulation;
    const Solution solution = Integrator(pendulum({1.1, 0, 0.3, 0.5}), options).solution();
    const Input y = solution.y(0);
    // Level by level: the radius is put right by the position, the radial speed by the velocity.
    EXPECT_NEAR(y[0], 1, 1e-9) << name_of(formulation);
    EXPECT_NEAR(y[1], 0, 1e-9) << name_of(formulation);
    EXPECT_NEAR(y[2], 0, 1e-9) << name_of(formulation);
    EXPECT_NEAR(y[3], 0.5, 1e-9) << name_of(formulation);
    EXPECT_NEAR(y[4], y.segment<2>(2).squaredNorm() - y[1], 1e-8) << name_of(formulation);
  }
}

TEST(ConsistentStart, HoldsTheVelocityThatTheUserFixed) {
  Problem problem = pendulum({0.6, -0.8, 0.4, 0});
  problem.fixed = {"q1", "v1"};
  const Solution solution = started(problem);
  const Input y = solution.y(0);
  EXPECT_EQ(y[0], 0.6);
  EXPECT_EQ(y[2], 0.4);
  EXPECT_NEAR(y[1], -0.8, 1e-9);
  EXPECT_NEAR(y[3], 0.3, 1e-9);
}

TEST(ConsistentStart, NamesHiddenConstraintsInContradiction) {
  Problem problem = pendulum({1, 0, 0.5, 0});
  problem.fixed = {"q1", "q2", "v1", "v2"};
  problem.equations = {"q1' = v1", "q2' = v2", "motion 1", "motion 2", "rod"};
  const Solution solution = solve(problem);
  expect_failure(solution, Reason::inconsistent_start);
  EXPECT_THAT(solution.message.where, HasSubstr("d/dt rod"));
  EXPECT_THAT(solution.message.where, HasSubstr("v1 = 0.5"));
}

TEST(ConsistentStart, AcceptsRedundantConstraintsThatAgree) {
  Problem problem = pendulum({1.1, 0, 0.3, 0.5});
  auto& form = std::get<Mechanical>(problem.form);
  form.holonomic = 2;
  form.constraint = [](auto q, auto g) {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    g[1] = 3 * g[0];
  };
  const Solution solution = started(problem);
  EXPECT_EQ(solution.message.what, "");
  EXPECT_NEAR(solution.y(0).head<2>().squaredNorm(), 1, 1e-9);
  // Each multiplier is arbitrary, but the motion and the force lambda1 + 3 lambda2 are not.
  problem.start = {1, 0, 0, 0.5};
  const Solution run = solve(problem), single = solve(pendulum({1, 0, 0, 0.5}));
  if (!run.succeeded()) return expect_failure(run, Reason::singular_matrix);
  EXPECT_LE((run.y_end().head<4>() - single.y_end().head<4>()).cwiseAbs().maxCoeff(), 1e-4);
  // Multipliers of a singular system may be huge: their sum is known to the rounding of the parts.
  const double parts = std::abs(run.y_end()[4]) + 3 * std::abs(run.y_end()[5]);
  const double rounding = std::numeric_limits<double>::epsilon() * parts;
  EXPECT_NEAR(run.y_end()[4] + 3 * run.y_end()[5], single.y_end()[4], 1e-4 + 4 * rounding);
}

TEST(ConsistentStart, FindsTheDerivativeOfAFullyImplicitEquation) {
  Problem problem;
  problem.form = FullyImplicit{
      1, [](auto y, auto yp, auto r) { r[0] = yp[0] + yp[0] * yp[0] * yp[0] - 10 * y[0]; }};
  problem.t_span = {0, 1e-3}, problem.start = {1};
  const Solution solution = solve(problem);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_EQ(solution.start_shift[0], 0);
  // y' = 2 at y = 1; y'' = 10 y' / (1 + 3 y'^2) = 20 / 13.
  EXPECT_NEAR(solution.y_end()[0], 1 + 2e-3 + 10e-6 / 13, 1e-8);
}

TEST(ConsistentStart, FindsAlgebraicVariablesThatDerivativesDetermine) {
  // y^3 - y^2 - y = 3/2 at x = 1, x' = -1 - y: one root, far from most of these guesses.
  for (const double guess : {-5.0, -1.0, -1.0 / 3, 0.0, 0.5, 1.0, 20.0}) {
    Problem problem;
    problem.form = FullyImplicit{2, [](auto y, auto yp, auto r) {
                                   r[0] = yp[0] + y[0] + y[1];
                                   r[1] = y[1] * y[1] * y[1] + y[1] - y[0] + 0.5 - yp[0] * yp[0];
                                 }};
    problem.t_span = {0, 0.1}, problem.start = {1, guess}, problem.fixed = {"y1"};
    const Solution solution = solve(problem);
    ASSERT_TRUE(solution.succeeded()) << guess << ": " << solution.message.text();
    EXPECT_EQ(solution.y(0)[0], 1);
    EXPECT_NEAR(solution.y(0)[1], 1.9245685227655163, 1e-12) << guess;
  }
}

TEST(ConsistentStart, MovesTheStateOfAnImplicitEquationWhereTheDerivativeCannotHelp) {
  // Both rows have y1' + y2'; their difference 0 = y1 - 2 y2 is hidden.
  Problem problem;
  problem.form = FullyImplicit{2, [](auto y, auto yp, auto r) {
                                 r[0] = yp[0] + yp[1] + y[0];
                                 r[1] = yp[0] + yp[1] + 2 * y[1];
                               }};
  problem.t_span = {0, 1}, problem.start = {3, 0};
  const Solution solution = solve(problem);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_NEAR(solution.y(0)[0] - 2 * solution.y(0)[1], 0, 1e-9);
  // (3 y2)' = -2 y2.
  EXPECT_NEAR(solution.y_end()[1], solution.y(0)[1] * std::exp(-2.0 / 3), 1e-5);
}

TEST(ConsistentStart, FailsWhereAnImplicitEquationHasNoRealDerivative) {
  Problem problem;
  problem.form =
      FullyImplicit{1, [](auto y, auto yp, auto r) { r[0] = yp[0] * yp[0] + 1 + y[0] * y[0]; }};
  problem.t_span = {0, 1}, problem.start = {1}, problem.start_derivative = {1};
  expect_failure(solve(problem), Reason::inconsistent_start);
}

/// At the guess zero the law has no derivative, or that of the other side; the nearest point is an
/// empty tank, which nobody asked for.
TEST(ConsistentStart, MovesAlgebraicVariablesBeforeWhatWasGiven) {
  for (const std::string law : {"z*abs(z)", "z^2", "noEvent(z*abs(z))"})
    for (const std::string guess : {"0", "1e-3", "-1"})
      for (const double atol : {1.0, 1e-3, 1e-6}) {
        const Problem tank =
            Model::from_text("model tank Real x(start = 4), z(start = " + guess +
                                 "); equation der(x) = -abs(z); " + law + " = x; end tank;",
                             "tank.mo")
                .problem();
        const Solution solution = solve(tank, {.rtol = 1e-6, .atol = {1e-6 * atol}});
        ASSERT_TRUE(solution.succeeded()) << law << guess << solution.message.text();
        EXPECT_EQ(solution.value(0, "x"), 4) << law << " " << guess << " " << atol;
        // sqrt(x) = 2 - t/2
        EXPECT_NEAR(solution.value(-1, "x"), 2.25, 3e-5) << law << " " << guess << " " << atol;
      }
}

TEST(ConsistentStart, FindsAFlowBetweenTanksThatAreFixed) {
  const Problem tanks = Model::from_text(
                            "model tanks Real a(start = 2, fixed = true), b(start = 1, fixed = "
                            "true), q; equation der(a) = -q; der(b) = q; a - b = 0.5*q*abs(q); "
                            "end tanks;",
                            "tanks.mo")
                            .problem();
  Problem short_run = tanks;
  short_run.t_span = {0, 0.25};
  const Solution solution = solve(short_run, {.rtol = 1e-6});
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_NEAR(solution.value(0, "q"), std::sqrt(2), 1e-12);
  // d = a - b: d' = -2 sqrt(2 d), sqrt(d) = 1 - sqrt(2) t
  EXPECT_NEAR(solution.value(-1, "a") - solution.value(-1, "b"),
              std::pow(1 - std::sqrt(2) * 0.25, 2), 3e-5);
}

}  // namespace
}  // namespace daedalus
