// Models of higher index, reduced with all constraints kept: against exact solutions.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <sstream>

#include "daedalus/model.h"

namespace daedalus {
namespace {

struct Exact {
  const char* name;
  int index;
  std::string text;
  std::function<double(double)> value;  ///< of the first variable
};

std::string model(const std::string& declarations, const std::string& equations) {
  return "model M\n" + declarations + "\nequation\n" + equations +
         "\nannotation(experiment(StopTime = 3));\nend M;\n";
}

/// x_1 is prescribed, each of the others is the derivative of the one before: index = length.
Exact integrator_chain(int length) {
  std::string equations = "x[1] = sin(time);";
  for (int i = 1; i < length; ++i)
    equations += "der(x[" + std::to_string(i) + "]) = x[" + std::to_string(i + 1) + "];";
  return {"chain", length, model("Real x[" + std::to_string(length) + "];", equations),
          [](double t) { return std::sin(t); }};
}

std::vector<Exact> problems() {
  return {
      integrator_chain(4),
      integrator_chain(5),
      integrator_chain(7),
      // A nonlinear chain: x = sin t through x' = exp(y), y' = z + x, z' = u y: u follows. Index 4.
      {"nonlinear", 4,
       model("Real u, x(start = 2), y(start = 0), z(start = 0);",
             "x = 2 + time + 0.1*sin(time); der(x) = exp(y); der(y) = z + x; der(z) = u - y;"),
       [](double t) {
         const double a = 0.1 * std::cos(t), e = 1 + a, e1 = -0.1 * std::sin(t), e2 = -a,
                      e3 = 0.1 * std::sin(t);
         const double y2 = e2 / e - e1 * e1 / (e * e);
         (void)e3;
         return y2 - e + std::log(e);  // u = z' + y, z = y' - x
       }},
  };
}

TEST(IndexReduction, SolvesHighIndexToEightDigits) {
  for (const Exact& exact : problems()) {
    const Model m = Model::from_text(exact.text, "m.mo");
    const Solution s = solve(m.problem(), m.scaled({.rtol = 1e-10}));
    ASSERT_EQ(s.status, Status::success) << exact.name << exact.index << s.message.text();
    EXPECT_EQ(s.formulation, "projected");
    for (int i = 0; i < s.rows(); ++i)
      EXPECT_NEAR(s.y(i)[0], exact.value(s.t[i]), 1e-8) << exact.name << exact.index;
    for (double t = 0; t < 3; t += 0.01)
      EXPECT_NEAR(s(t)[0], exact.value(t), 1e-8) << exact.name << exact.index << " t = " << t;
    for (const ConstraintResidual& level : s.constraint_residual)
      EXPECT_LE(level.maximum, 1e-9) << exact.name << exact.index << " " << level.level;
  }
}

TEST(IndexReduction, KeepsEveryLevelBetweenStepsToo) {
  const Model m = Model::from_text(
      "model P Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, lambda; "
      "equation der(x) = u; der(y) = v; der(u) = -x*lambda; der(v) = -y*lambda - 9.81; "
      "x^2 + y^2 = 1; annotation(experiment(StopTime = 10)); end P;",
      "p.mo");
  const double atol = 1e-8;
  const Solution s = solve(m.problem(), m.scaled({.rtol = 1e-8, .atol = {atol}}));
  ASSERT_EQ(s.status, Status::success);
  for (double t = 0; t <= 10; t += 0.013) {
    const Vector y = s(t);
    EXPECT_LE(std::abs(y[0] * y[0] + y[1] * y[1] - 1), 10 * atol);
    EXPECT_LE(std::abs(y[0] * y[2] + y[1] * y[3]), 10 * atol);
    EXPECT_LE(std::abs(y[2] * y[2] + y[3] * y[3] - y[4] - 9.81 * y[1]), 10 * atol) << t;
  }
}

TEST(IndexReduction, AgreesWithTheEquationsAsTheyStand) {
  const Model m = Model::from_text(
      "model P Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, lambda; "
      "equation der(x) = u; der(y) = v; der(u) = -x*lambda; der(v) = -y*lambda - 9.81; "
      "x^2 + y^2 = 1; annotation(experiment(StopTime = 2)); end P;",
      "p.mo");
  Options direct = m.scaled({.rtol = 1e-10});
  direct.formulation = Formulation::direct;
  const Solution a = solve(m.problem(), m.scaled({.rtol = 1e-10})), b = solve(m.problem(), direct);
  EXPECT_EQ(b.formulation, "direct");
  for (int j = 0; j < a.size(); ++j) EXPECT_NEAR(a.y_end()[j], b.y_end()[j], 1e-6) << j;
}

TEST(IndexReduction, KeepsConstraintsByMultipliersAndByDampingToo) {
  for (const Exact& exact : problems())
    for (const Formulation formulation :
         {Formulation::stabilized_index_2, Formulation::baumgarte, Formulation::index_1}) {
      const Model m = Model::from_text(exact.text, "m.mo");
      Options options = m.scaled({.rtol = 1e-10});
      options.formulation = formulation;
      const Solution s = solve(m.problem(), options);
      ASSERT_EQ(s.status, Status::success) << exact.name << exact.index << s.message.text();
      EXPECT_EQ(s.formulation, name_of(formulation));
      // Rows are put onto the constraints, so the errors are those of the unconstrained part.
      for (int i = 0; i < s.rows(); ++i)
        EXPECT_NEAR(s.y(i)[0], exact.value(s.t[i]), 1e-8) << exact.name << exact.index;
    }
}

/// Largest residual that the steps themselves leave at the level of positions.
double left_by_steps(const Model& m, Formulation formulation, double rate = 0) {
  Options options = m.scaled({.rtol = 1e-6});
  options.formulation = formulation, options.baumgarte_rate = rate;
  const Solution s = solve(m.problem(), options);
  EXPECT_EQ(s.status, Status::success) << s.message.text();
  return s.constraint_residual[0].maximum;
}

TEST(IndexReduction, StabilisedConstraintsDoNotDrift) {
  const auto swinging_until = [](const char* end) {
    return Model::from_text(
        "model P Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, lambda; "
        "equation der(x) = u; der(y) = v; der(u) = -x*lambda; der(v) = -y*lambda - 9.81; "
        "x^2 + y^2 = 1; annotation(experiment(StopTime = " +
            std::string(end) + ")); end P;",
        "p.mo");
  };
  const Model once = swinging_until("5"), often = swinging_until("50");
  // Index 1 drifts quadratically; what is kept does not know how long the run is.
  EXPECT_GE(left_by_steps(often, Formulation::index_1),
            20 * left_by_steps(once, Formulation::index_1));
  EXPECT_LE(left_by_steps(often, Formulation::stabilized_index_2),
            5 * left_by_steps(once, Formulation::stabilized_index_2));
  EXPECT_LE(left_by_steps(often, Formulation::baumgarte, 20),
            5 * left_by_steps(once, Formulation::baumgarte, 20));
  EXPECT_LE(left_by_steps(often, Formulation::projected), 1e-14);
}

TEST(IndexReduction, DampsViolationsBackwardsInTimeToo) {
  const Model m = Model::from_text(
      "model P Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, lambda; "
      "equation der(x) = u; der(y) = v; der(u) = -x*lambda; der(v) = -y*lambda - 9.81; "
      "x^2 + y^2 = 1; annotation(experiment(StopTime = -10)); end P;",
      "p.mo");
  EXPECT_LE(left_by_steps(m, Formulation::baumgarte), 1e-5);
}

TEST(IndexReduction, OnlyMechanicsHasAnIndex2WithoutStabilisation) {
  const Model m = Model::from_text("model M Real x; equation x = time; end M;", "m.mo");
  Options options;
  options.formulation = Formulation::index_2;
  EXPECT_THROW((void)solve(m.problem(), options), InvalidInput);
}

TEST(IndexReduction, ResumesToTheSameBits) {
  const Model m = Model::from_text(
      "model P Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, lambda; "
      "equation der(x) = u; der(y) = v; der(u) = -x*lambda; der(v) = -y*lambda - 9.81; "
      "x^2 + y^2 = 1; annotation(experiment(StopTime = 2)); end P;",
      "p.mo");
  const Options options = m.scaled({.rtol = 1e-8});
  const Solution whole = solve(m.problem(), options);
  for (const int steps : {1, 5, 17}) {
    Integrator first(m.problem(), options);
    for (int k = 0; k < steps; ++k) first.step();
    std::stringstream stream;
    first.save(stream);
    Integrator second = Integrator::resume(m.problem(), options, stream);
    while (second.step()) {
    }
    for (int j = 0; j < whole.size(); ++j)
      EXPECT_EQ(second.solution().y_end()[j], whole.y_end()[j]) << j;
  }
}

}  // namespace
}  // namespace daedalus
