// Rosenbrock methods: their tables, their orders at steps and between them, and what they refuse.
#include "method/rosenbrock.h"

#include <cmath>

#include <Eigen/Dense>

#include "exact_problems.h"
#include "expectations.h"
#include "reproduce/problems.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

TEST(RosenbrockTable, AgreesWithTheSumsThatItsTimesAre) {
  // Gamma^-1 = I/gamma - C, alpha = a Gamma; c_i = sum_j alpha_ij, d_i = sum_j gamma_ij.
  for (const RosenbrockTable* table : rosenbrock_tables) {
    const int s = table->stages;
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(s, s) / table->gamma;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(s, s);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < i; ++j) a(i, j) = table->a[i][j], inverse(i, j) = -table->coupling[i][j];
    const Eigen::VectorXd d = inverse.inverse() * Eigen::VectorXd::Ones(s), c = a * d;
    for (int i = 0; i < s; ++i) {
      // Sixteen published digits, and sums of terms up to 100.
      EXPECT_NEAR(c[i], table->c[i], 1e-13) << table->name << " " << i;
      EXPECT_NEAR(d[i], table->d[i], 1e-13) << table->name << " " << i;
    }
  }
}

struct Errors {
  double y = 0, z = 0, dense_y = 0, dense_z = 0;
};

/// With `count` fixed steps: at the end, and at inner points of all steps as the polynomial has it.
Errors errors(const exact::Exact& e, const char* method, int count) {
  const double end = e.problem.t_span.end;
  const Solution s =
      solve(e.problem, {.method = method, .project_output = false, .fixed_step = end / count});
  EXPECT_TRUE(s.succeeded()) << s.message.text();
  Errors result;
  const auto note = [&](const Vector& y, double t, double& of_y, double& of_z) {
    const Vector error = (y - e.solution(t)).cwiseAbs();
    of_y = std::max(of_y, error.head(e.algebraic_from).maxCoeff());
    if (error.size() > e.algebraic_from)
      of_z = std::max(of_z, error.tail(error.size() - e.algebraic_from).maxCoeff());
  };
  note(s.y_end(), end, result.y, result.z);
  for (int i = 0; i < count; ++i)
    for (const double theta : {0.2, 0.5, 0.8}) {
      const double t = (i + theta) * end / count;
      note(s(t), t, result.dense_y, result.dense_z);
    }
  return result;
}

TEST(Rosenbrock, HasItsOrderForIndexOne) {
  for (const RosenbrockTable* table : rosenbrock_tables) {
    const exact::Exact e = exact::index_1();
    const Errors coarse = errors(e, table->name, 40), fine = errors(e, table->name, 80);
    EXPECT_NEAR(std::log2(coarse.y / fine.y), table->order, 0.15) << table->name;
    // z of rodas_5p changes its sign nearby and is at 1e-12: 4.4 measured there.
    EXPECT_GE(std::log2(coarse.z / fine.z), table->order - 0.7) << table->name;
    // One order below, locally: the errors shrink as those of the steps do; z of rodas_4 and
    // rodas_5p loses one more, which the projection of the output brings back.
    EXPECT_NEAR(std::log2(coarse.dense_y / fine.dense_y), table->order, 0.15) << table->name;
    EXPECT_GE(std::log2(coarse.dense_z / fine.dense_z), table->dense_order - 0.15) << table->name;
  }
}

TEST(Rosenbrock, HasTheMeasuredOrderForIndexTwo) {
  // idx2b: steps so short that the orders 2/1, 2/1 and 3/2 show.
  const reproduce::ReferenceProblem r = reproduce::idx2b();
  const auto error = [&](const char* method, int count) {
    const double span = r.problem.t_span.end - r.problem.t_span.begin;
    const Solution s =
        solve(r.problem, {.method = method, .project_output = false, .fixed_step = span / count});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    const Solution fine = solve(r.problem, {.rtol = 1e-13, .project_output = false});
    const int m = std::get<HessenbergIndex2>(r.problem.form).algebraic;
    const Vector e = (s.y_end() - fine.y_end()).cwiseAbs();
    return std::pair{e.head(e.size() - m).maxCoeff(), e.tail(m).maxCoeff()};
  };
  for (const RosenbrockTable* table : rosenbrock_tables) {
    const auto [y1, z1] = error(table->name, 100);
    const auto [y2, z2] = error(table->name, 200);
    EXPECT_NEAR(std::log2(y1 / y2), table->index_2[0], 0.4) << table->name;
    EXPECT_NEAR(std::log2(z1 / z2), table->index_2[1], 0.4) << table->name;
  }
}

TEST(Rosenbrock, SolvesStiffAndDifferentialAlgebraicProblemsToTheTolerance) {
  for (const reproduce::ReferenceProblem& r :
       {reproduce::van_der_pol_standard(), reproduce::two_transistor_amplifier(),
        reproduce::one_transistor_amplifier()}) {
    const Solution fine = solve(r.problem, {.rtol = 1e-11, .dense = false});
    for (const RosenbrockTable* table : rosenbrock_tables) {
      const double rtol = 1e-4;
      const Solution s = solve(r.problem, {.method = table->name, .rtol = rtol, .dense = false});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      for (int k = 0; k < s.size(); ++k)
        // Measured: below 1.
        EXPECT_LE(std::abs(s.y_end()[k] - fine.y_end()[k]),
                  5 * rtol * (1 + std::abs(fine.y_end()[k])))
            << table->name;
    }
  }
}

TEST(Rosenbrock, TakesFullyImplicitEquationsThatAreLinearInTheDerivatives) {
  const Problem p{.form = FullyImplicit{.size = 2,
                                        .residual =
                                            [](auto t, auto y, auto yp, auto& r) {
                                              using std::cos;
                                              r[0] = 2.0 * yp[0] + yp[1] + 3.0 * y[0] - cos(t);
                                              r[1] = y[0] * y[0] - y[1];
                                            }},
                  .t_span = {0, 2},
                  .start = {1, 1}};
  const Solution fine = solve(p, {.rtol = 1e-11});
  const Solution s = solve(p, {.method = "rodas_4", .rtol = 1e-7});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_LE((s.y_end() - fine.y_end()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Rosenbrock, RefusesAMassThatChanges) {
  const Options o{.method = "rodas_4"};
  const Problem state{.form = FullyImplicit{.size = 2,
                                            .residual =
                                                [](auto y, auto yp, auto& r) {
                                                  r[0] = yp[0] * (1.0 + y[1] * y[1]) + y[0];
                                                  r[1] = y[1] - y[0];
                                                }},
                      .t_span = {0, 1},
                      .start = {1, 1},
                      .equations = {"charge", "node"}};
  EXPECT_THAT(refusal(state, o), HasSubstr("charge"));
  EXPECT_THAT(refusal(state, o), HasSubstr("try radau"));
  const Problem square{
      .form = FullyImplicit{1, [](auto y, auto yp, auto& r) { r[0] = yp[0] * yp[0] - y[0]; }},
      .t_span = {0, 1},
      .start = {1},
      .start_derivative = {1}};
  EXPECT_THAT(refusal(square, o), HasSubstr("constant M"));
}

TEST(Rosenbrock, RefusesIndexThree) {
  EXPECT_THAT(refusal(exact::index_3().problem, {.method = "rodas_5p"}), HasSubstr("index 3"));
}

}  // namespace
}  // namespace daedalus
