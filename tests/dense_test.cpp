// The solution between mesh points: continuous, as accurate as at mesh points, on the constraints,
// exact for polynomials; and where it is refused.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "exact_problems.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

/// Largest error over rtol (1 + |y|) among variables [from, to) at `count` equidistant times.
double worst_error(const exact::Exact& e, const Solution& s, double rtol, int count, int from,
                   int to) {
  const auto [begin, end] = e.problem.t_span;
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const double t = i == count ? end : begin + (end - begin) * i / count;
    const Vector y = s(t), exact = e.solution(t);
    for (int k = from; k < to; ++k)
      worst = std::max(worst, std::abs(y[k] - exact[k]) / (rtol * (1 + std::abs(exact[k]))));
  }
  return worst;
}

/// y' = d/dt of t^degree, in two variables with a product, so that Newton has work to do; an
/// algebraic variable follows the first.
Problem polynomial(int degree) {
  return {.form = SemiExplicit{.differential = 1,
                               .algebraic = 1,
                               .f =
                                   [degree](auto t, auto, auto, auto& out) {
                                     using std::pow;
                                     auto power = 0 * t + degree;
                                     for (int i = 1; i < degree; ++i) power *= t;
                                     out[0] = power;
                                   },
                               .g = [](auto x, auto z, auto& out) { out[0] = z[0] - 2.0 * x[0]; }},
          .t_span = {0, 1},
          .start = {0, 0}};
}

TEST(DenseOutput, IsContinuousAtMeshPoints) {
  for (const exact::Exact& e : exact::problems_of_every_index())
    for (const char* method : {"radau", "radau_iia_1", "radau_iia_3", "radau_iia_5", "gauss_4",
                               "sdirk_hairer_wanner_4", "lobatto_iiia_4", "lobatto_iiic_4"}) {
      const double rtol = std::string(method) == "radau_iia_1" ? 1e-4 : 1e-6;
      // Only stiffly accurate methods determine the multipliers of higher index at mesh points,
      // and only the positions of index 3 are controlled to the tolerance.
      const std::string name = method;
      if (e.name >= "index 2" && !name.starts_with("radau")) continue;
      if (e.name == "index 3" && name == "radau_iia_1") continue;
      const int controlled = e.name == "index 3" ? 2 : static_cast<int>(e.problem.start.size());
      const Solution s = solve(e.problem, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << e.name << " " << method << ": " << s.message.text();
      for (int i = 1; i + 1 < s.rows(); ++i) {
        const double t = s.t[i], d = 1e-9 * (s.t[i] - s.t[i - 1]);
        const Vector left = s(t - d), here = s(t), right = s(t + d);
        for (int k = 0; k < controlled; ++k) {
          // Jumps of the size of the tolerance are what two Newton iterations may differ by.
          const double scale = rtol * (1 + std::abs(here[k]));
          EXPECT_NEAR(left[k], here[k], scale) << e.name << " " << method << " t = " << t;
          EXPECT_NEAR(right[k], here[k], scale) << e.name << " " << method << " t = " << t;
        }
      }
    }
}

TEST(DenseOutput, EqualsTheMeshValuesAtMeshPoints) {
  for (const exact::Exact& e : exact::problems_of_every_index()) {
    const Solution s = solve(e.problem, {.rtol = 1e-6});
    for (int i = 0; i < s.rows(); ++i)
      for (int k = 0; k < s.size(); ++k)
        // The last one is the end of a polynomial: equal up to rounding.
        EXPECT_NEAR(s(s.t[i])[k], s.y(i)[k], 1e-13 * (1 + std::abs(s.y(i)[k])))
            << e.name << ", row " << i;
  }
}

TEST(DenseOutput, IsAsAccurateBetweenMeshPointsAsOnThem) {
  for (const exact::Exact& e : exact::problems_of_every_index())
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const Solution s = solve(e.problem, {.rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << e.name << ": " << s.message.text();
      const int n = s.size();
      double mesh = 0;
      for (int i = 0; i < s.rows(); ++i) {
        const Vector exact = e.solution(s.t[i]);
        for (int k = 0; k < n; ++k)
          mesh = std::max(mesh, std::abs(s.y(i)[k] - exact[k]) / (rtol * (1 + std::abs(exact[k]))));
      }
      const double between = worst_error(e, s, rtol, 200, 0, n);
      // Index 3 as it stands: order s for velocities and multipliers, whose errors count with h
      // and h^2, so that only positions meet the tolerance.
      const int controlled = e.name == "index 3" ? 2 : n;
      EXPECT_LE(worst_error(e, s, rtol, 200, 0, controlled), 30) << e.name << " rtol " << rtol;
      // Steps of 5 and 7 stages are far more accurate at their ends than was asked for.
      EXPECT_LE(between, std::max(10 * mesh, 5.0)) << e.name << " rtol " << rtol;
    }
}

TEST(DenseOutput, OfEveryKindOfMethodIsAccurate) {
  for (const char* method : {"radau_iia_3", "radau_iia_5", "radau_iia_9", "gauss_4", "gauss_6",
                             "sdirk_hairer_wanner_4", "lobatto_iiia_4", "lobatto_iiic_4"})
    for (const exact::Exact& e : {exact::oscillator(), exact::index_1()}) {
      const double rtol = 1e-6;
      const Solution s = solve(e.problem, {.method = method, .rtol = rtol});
      EXPECT_LE(worst_error(e, s, rtol, 100, 0, s.size()), 30) << method << " " << e.name;
    }
}

TEST(DenseOutput, SatisfiesTheConstraintsBetweenSteps) {
  for (const exact::Exact& e : exact::problems_of_every_index())
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
      const Solution s = solve(e.problem, {.rtol = rtol});
      const auto [begin, end] = e.problem.t_span;
      for (int i = 0; i <= 100; ++i) {
        const double t = begin + (end - begin) * i / 100;
        // Index 1: at mesh points, and where the step is solved anew, Newton leaves a part of the
        // tolerance, times dg/dz (up to 30). Otherwise the projection ends at 1e-10 of the size.
        EXPECT_LE(e.violation(t, s(t)), e.name == "index 1" ? 30 * rtol : 1e-10)
            << e.name << " t = " << t;
      }
    }
}

TEST(DenseOutput, OfMechanicsSatisfiesPositionAndVelocityConstraints) {
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::direct, Formulation::index_2, Formulation::index_1}) {
    const Solution s = solve(exact::pendulum(2), {.formulation = formulation, .rtol = 1e-5});
    for (int i = 0; i <= 100; ++i) {
      const Vector y = s(0.02 * i);
      EXPECT_NEAR(y[0] * y[0] + y[1] * y[1], 1, 1e-11) << name_of(formulation);
      EXPECT_NEAR(y[0] * y[2] + y[1] * y[3], 0, 1e-11) << name_of(formulation);
      // lambda = v^2 - y, from the second derivative of the constraint.
      EXPECT_NEAR(y[4], y[2] * y[2] + y[3] * y[3] - y[1], 1e-9) << name_of(formulation);
    }
  }
}

TEST(DenseOutput, WithoutProjectionIsOnlyAsCloseAsTheTolerance) {
  const exact::Exact e = exact::index_2();
  const double rtol = 1e-5;
  const Solution s = solve(e.problem, {.rtol = rtol, .project_output = false});
  double worst = 0;
  for (int i = 0; i <= 100; ++i) worst = std::max(worst, e.violation(0, s(0.005 * i)));
  EXPECT_GT(worst, 1e-11) << "nothing was projected";
  EXPECT_LE(worst_error(e, s, rtol, 100, 0, 2), 30);
}

TEST(DenseOutput, ReproducesPolynomials) {
  struct Case {
    const char* method;
    int degree;
  };
  // Collocation with s stages: degree s, and s + 1 by the corrected polynomial.
  for (const Case& c : {Case{"radau_iia_1", 1},
                        {"radau_iia_3", 3},
                        {"radau_iia_5", 4},
                        {"radau_iia_9", 6},
                        {"gauss_4", 3},
                        {"gauss_6", 4},
                        {"lobatto_iiia_4", 3},
                        {"sdirk_hairer_wanner_4", 3}})
    for (int degree = 1; degree <= c.degree; ++degree) {
      const Solution s = solve(polynomial(degree), {.method = c.method, .fixed_step = 0.25});
      ASSERT_TRUE(s.succeeded());
      for (int i = 0; i <= 40; ++i) {
        const double t = i / 40.0;
        EXPECT_NEAR(s(t)[0], std::pow(t, degree), 1e-13) << c.method << " degree " << degree;
        EXPECT_NEAR(s(t)[1], 2 * std::pow(t, degree), 1e-13) << c.method << " degree " << degree;
      }
    }
}

TEST(DenseOutput, IsRefusedOutsideOfTheRun) {
  const Solution s = solve(exact::oscillator().problem, {.rtol = 1e-6});
  for (const double t : {-0.1, 1.1, -1e-9, 1 + 1e-9, std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()})
    EXPECT_THROW(static_cast<void>(s(t)), InvalidInput) << t;
  EXPECT_NO_THROW(static_cast<void>(s(0)));
  EXPECT_NO_THROW(static_cast<void>(s(1)));
}

TEST(DenseOutput, MayBeLeftOut) {
  const Solution s = solve(exact::oscillator().problem, {.rtol = 1e-6, .dense = false});
  EXPECT_FALSE(s.dense);
  EXPECT_THROW(static_cast<void>(s(0.5)), InvalidInput);
  EXPECT_GT(s.rows(), 2);
}

TEST(DenseOutput, GivesTheStartAndTheEnd) {
  for (const exact::Exact& e : exact::problems_of_every_index()) {
    const Solution s = solve(e.problem, {.rtol = 1e-8});
    const auto [begin, end] = e.problem.t_span;
    for (int k = 0; k < s.size(); ++k) {
      EXPECT_NEAR(s(begin)[k], s.y(0)[k], 1e-12) << e.name;
      EXPECT_NEAR(s(end)[k], s.y_end()[k], 1e-11) << e.name;
    }
  }
}

TEST(DenseOutput, WorksBackwards) {
  exact::Exact e = exact::index_1();
  std::swap(e.problem.t_span.begin, e.problem.t_span.end);
  e.problem.start = e.solution(1);
  const Solution s = solve(e.problem, {.rtol = 1e-7, .points = 11});
  ASSERT_EQ(s.rows(), 11);
  EXPECT_EQ(s.t.front(), 1);
  EXPECT_EQ(s.t.back(), 0);
  EXPECT_LE(worst_error(e, s, 1e-7, 50, 0, 3), 30);
  EXPECT_THROW(static_cast<void>(s(1.01)), InvalidInput);
}

TEST(OutputTimes, AreHitExactlyAndInTheOrderOfTheRun) {
  const exact::Exact e = exact::oscillator();
  const Solution s = solve(e.problem, {.at = {0.7, 0.1, 1.0, 0.0, 0.1}});
  EXPECT_EQ(s.t, (std::vector<double>{0, 0.1, 0.1, 0.7, 1}));
  EXPECT_THROW(static_cast<void>(solve(e.problem, {.at = {1.5}})), InvalidInput);
  const Solution points = solve(e.problem, {.points = 5});
  EXPECT_EQ(points.t, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(OutputTimes, GiveTheValuesOfTheDenseOutput) {
  for (const exact::Exact& e : exact::problems_of_every_index()) {
    const Solution s = solve(e.problem, {.rtol = 1e-6, .points = 37});
    ASSERT_EQ(s.rows(), 37);
    for (int i = 0; i < s.rows(); ++i)
      for (int k = 0; k < s.size(); ++k)
        EXPECT_NEAR(s.y(i)[k], s(s.t[i])[k], 1e-13 * (1 + std::abs(s.y(i)[k])))
            << e.name << " row " << i;
  }
}

TEST(DenseOutput, DoesNotDependOnWhatWasAskedBefore) {
  for (const LinearAlgebra storage :
       {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse}) {
    std::vector<Problem> problems = {exact::chain(40, 3), exact::pendulum(3)};
    for (const exact::Exact& e : exact::problems_of_every_index()) problems.push_back(e.problem);
    for (const Problem& p : problems) {
      const Solution s = solve(p, {.rtol = 1e-6, .linear_algebra = storage});
      std::vector<Vector> forwards;
      for (int i = 0; i <= 20; ++i) forwards.push_back(s(p.t_span.end * i / 20.0));
      for (int i = 20; i >= 0; --i)
        EXPECT_EQ(s(p.t_span.end * i / 20.0), forwards[i]) << s.variables.size() << " " << i;
    }
  }
}

/// As they stand: the derivatives are among the unknowns of what puts points onto the constraints.
Model as_it_stands(const char* name) {
  return Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo")));
}

TEST(DenseOutput, OfModelsAsTheyStandDoesNotDependOnWhatWasAskedBefore) {
  for (const char* name : {"pendulum_index3", "jay_index3", "caraxis", "andrews"}) {
    const Model m = as_it_stands(name);
    Options options = m.scaled({.method = "radau", .formulation = Formulation::direct});
    const Problem p = m.problem();
    const auto [begin, end] = p.t_span;
    const Solution s = solve(p, options);
    ASSERT_TRUE(s.succeeded()) << name << ": " << s.message.text();
    std::vector<Vector> forwards;
    constexpr int points = 41;
    for (int i = 0; i < points; ++i)
      forwards.push_back(s(i + 1 == points ? end : begin + i * (end - begin) / (points - 1)));
    for (int i = points - 2; i >= 0; i -= 3)
      EXPECT_EQ(s(begin + i * (end - begin) / (points - 1)), forwards[i]) << name << " " << i;
    // The same times, among many others and alone.
    options.points = points;
    const Solution many = solve(p, options);
    for (int i = 1; i < points - 1; i += 7) {
      options.at = {many.t[i]}, options.points = 0;
      EXPECT_EQ(solve(p, options).y(0), many.y(i)) << name << " " << i;
    }
  }
}

// Steps grow without bound where stiffness leaves their ends exact: polynomials through them were
// off by up to 56,000 rtol in between.
TEST(DenseOutput, OfLongStiffStepsIsAsExactAsTheirEnds) {
  for (const double rate : {1e2, 1e3, 1e4, 1e6})
    for (const double off : {0.0, 1.0})
      for (int digits = 3; digits <= 10; ++digits) {
        SCOPED_TRACE(std::to_string(rate) + ", digits " + std::to_string(digits));
        const double rtol = std::pow(10.0, -digits);
        const Solution s = solve(exact::follows_a_cosine(rate, off), {.rtol = rtol});
        ASSERT_TRUE(s.succeeded());
        const auto error = [&](double t, double y) {
          return std::abs(y - std::cos(t) - off * std::exp(-rate * t)) /
                 (rtol * (1 + std::abs(std::cos(t))));
        };
        double at_ends = 0, between = 0;
        for (int i = 0; i < s.rows(); ++i) at_ends = std::max(at_ends, error(s.t[i], s.y(i)[0]));
        constexpr int points = 400;
        for (int i = 1; i < points; ++i) {
          const double t = 10.0 * i / points;
          between = std::max(between, error(t, s(t)[0]));
        }
        // Shorter stiff steps may have larger errors than longer ones.
        EXPECT_LE(between, 120 + 1.5 * at_ends);
        // What the estimate is allowed, see ImplicitStepper::use, and that it may be lucky.
        EXPECT_LE(error(10, s.y_end()[0]), 2 * 30);
      }
}

TEST(OutputTimes, DoNotChangeTheSteps) {
  const exact::Exact e = exact::index_2();
  const Solution few = solve(e.problem, {.rtol = 1e-7});
  const Solution many = solve(e.problem, {.rtol = 1e-7, .points = 200});
  ASSERT_EQ(few.steps.size(), many.steps.size());
  for (std::size_t i = 0; i < few.steps.size(); ++i) EXPECT_EQ(few.steps[i].t, many.steps[i].t);
  EXPECT_EQ(few.statistics.rhs, many.statistics.rhs);
}

TEST(Interpolate, GivesTheSolutionInsideTheLastStep) {
  for (const exact::Exact& e : exact::problems_of_every_index()) {
    const double rtol = 1e-6;
    Integrator run(e.problem, {.rtol = rtol, .record = false});
    Vector y(e.solution(0).size());
    Output out(y.data(), y.size());
    EXPECT_THROW(run.interpolate(0, out), InvalidInput) << "no step yet";
    while (run.step()) {
      const double t0 = run.t() - run.step_size();
      for (const double theta : {0.0, 0.25, 0.5, 1.0}) {
        const double t = theta == 1 ? run.t() : t0 + theta * run.step_size();
        run.interpolate(t, out);
        const Vector exact = e.solution(t);
        for (int k = 0; k < y.size(); ++k)
          EXPECT_NEAR(y[k], exact[k], 30 * rtol * (1 + std::abs(exact[k]))) << e.name;
      }
      EXPECT_THROW(run.interpolate(run.t() + 0.1, out), InvalidInput);
      EXPECT_THROW(run.interpolate(t0 - 0.1, out), InvalidInput);
    }
  }
}

}  // namespace
}  // namespace daedalus
