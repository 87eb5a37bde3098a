// Functions recorded into an expression graph: the same residuals and Jacobians, and all that is
// known of a graph.
#include <gmock/gmock.h>
#include <random>

#include <gtest/gtest.h>

#include "analysis/signature.h"
#include "daedalus/record.h"
#include "expectations.h"
#include "expression/equation_set.h"
#include "problem/jacobian.h"
#include "problem/system.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;

Problem amplifier() {
  Matrix mass = Matrix::Zero(5, 5);
  const double c1 = 1e-6, c2 = 2e-6, c3 = 3e-6;
  mass(0, 0) = mass(1, 1) = -c1, mass(0, 1) = mass(1, 0) = c1, mass(2, 2) = -c2;
  mass(3, 3) = mass(4, 4) = -c3, mass(3, 4) = mass(4, 3) = c3;
  return {.form = LinearlyImplicit{.size = 5,
                                   .mass = mass,
                                   .f =
                                       [](auto t, auto y, auto& out) {
                                         const auto ue = 0.4 * sin(200 * M_PI * t);
                                         const auto d = 1e-6 * (exp((y[1] - y[2]) / 0.026) - 1.0);
                                         out[0] = (y[0] - ue) / 1000;
                                         out[1] = y[1] / 9000 + (y[1] - 6) / 9000 + 0.01 * d;
                                         out[2] = y[2] / 9000 - d;
                                         out[3] = (y[3] - 6) / 9000 + 0.99 * d;
                                         out[4] = y[4] / 9000;
                                       }},
          .t_span = {0, 0.05},
          .start = {0, 3, 3, 6, 0}};
}

/// Two bars with a mass matrix that depends on the angle, its end on a line.
Problem crank() {
  return {
      .form = Mechanical{.coordinates = 2,
                         .holonomic = 1,
                         .mass =
                             [](auto q, auto& m) {
                               m(0, 0) = 3.0, m(1, 1) = 1.0;
                               m(0, 1) = m(1, 0) = cos(q[0] - q[1]);
                             },
                         .force =
                             [](auto t, auto q, auto v, auto& f) {
                               f[0] = -9.81 * cos(q[0]) - 0.1 * v[0] + sin(t);
                               f[1] = -9.81 * cos(q[1]);
                             },
                         .constraint = [](auto q, auto& g) { g[0] = sin(q[0]) + 2.0 * sin(q[1]); }},
      .t_span = {0, 1},
      .start = {0.6, -0.28}};
}

Problem pendulum() {
  return {.form = HessenbergIndex3{.position = 2,
                                   .velocity = 2,
                                   .algebraic = 1,
                                   .f = [](auto, auto z, auto& out) { out = z; },
                                   .k =
                                       [](auto y, auto, auto u, auto& out) {
                                         out[0] = -u[0] * y[0];
                                         out[1] = -u[0] * y[1] - 9.81;
                                       },
                                   .g = [](auto y, auto& out) { out[0] = y.squaredNorm() - 1.0; }},
          .t_span = {0, 2},
          .start = {1, 0, 0, 0, 0}};
}

Problem skate() {
  return {.form = Mechanical{
              .coordinates = 3,
              .nonholonomic = 1,
              .force = [](auto, auto, auto& f) { f[0] = 1.0, f[1] = 0.0, f[2] = 0.0; },
              .velocity_constraint = [](auto q, auto v,
                                        auto& g) { g[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]); }},
          .t_span = {0, 1},
          .start = {0, 0, 0, 0, 0, 1}};
}

Problem layer() {
  return {
      .form = SingularlyPerturbed{
          .slow = 1,
          .fast = 1,
          .epsilon = 1e-3,
          .f = [](auto y, auto z, auto& out) { out[0] = z[0] - y[0]; },
          .g = [](auto t, auto y, auto z, auto& out) { out[0] = cos(t) - pow(y[0], 3) - z[0]; }},
      .t_span = {0, 1},
      .start = {1, 0}};
}

Problem second_order() {
  return {.form = HigherOrder{
              .order = 2,
              .size = 1,
              .algebraic = 1,
              .f = [](auto x, auto y, auto& out) { out[0] = -x[0] * y[0]; },
              .g = [](auto x, auto y, auto& out) { out[0] = y[0] - 1.0 - 0.1 * tanh(x[0]); }},
          .t_span = {0, 3},
          .start = {1, 0, 1}};
}

Problem implicit() {
  return {.form = FullyImplicit{.size = 2,
                                .residual =
                                    [](auto y, auto yp, auto& out) {
                                      out[0] = yp[0] + y[0] * y[1];
                                      out[1] = exp(y[1]) - 1.0 - y[0];
                                    }},
          .t_span = {0, 2},
          .start = {1, 0.7}};
}

struct Case {
  const char* name;
  Problem (*problem)();
  int index;  ///< structural
};

class Recorded : public ::testing::TestWithParam<Case> {};
/// Those whose rows `direct` evaluates as they are written.
class RecordedRows : public Recorded {};

TEST_P(Recorded, HasTheStructureOfItsForm) {
  const Problem problem = recorded(GetParam().problem());
  const auto& graph = std::get<ExpressionGraph>(problem.form);
  const StructuralAnalysis structure =
      analyze_structure(signature_of(*graph.equations, graph.size));
  EXPECT_TRUE(structure.regular);
  EXPECT_EQ(structure.index, GetParam().index);
}

TEST_P(RecordedRows, HaveTheSameResidualAndJacobian) {
  const Problem given = GetParam().problem();
  const auto called = make_system(given, Formulation::direct);
  const Problem graph_problem = recorded(given);
  const auto& equations = *std::get<ExpressionGraph>(graph_problem.form).equations;
  const EquationJacobian derivatives(equations, {0, 1});
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0.1, 1);
  const int n = called->size;
  std::vector<double> y(n), yp(n), r(n), expected(n);
  for (double& x : y) x = number(random);
  for (double& x : yp) x = number(random);
  const double* x[] = {y.data(), yp.data()};
  equations.residual({0.3, x, nullptr}, r.data());
  called->residual(0.3, y.data(), yp.data(), expected.data());
  for (int i = 0; i < n; ++i) EXPECT_NEAR(r[i], expected[i], 1e-14 * (1 + std::abs(expected[i])));

  Jacobian jacobian(*called, LinearAlgebra::dense, 0.3, y.data(), yp.data());
  Pencil pencil = jacobian.make_pencil();
  ASSERT_TRUE(jacobian.evaluate(0.3, y.data(), yp.data(), pencil));
  Matrix a = Matrix::Zero(n, n), e = Matrix::Zero(n, n);
  std::vector<double> values(derivatives.entries().size());
  derivatives.evaluate({0.3, x, nullptr}, values.data());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& entry = derivatives.entries()[k];
    (entry.order == 0 ? a : e)(entry.row, entry.variable) += values[k];
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const std::size_t at = static_cast<std::size_t>(i + j * n);
      EXPECT_NEAR(a(i, j), pencil.a[at], 1e-12 * (1 + std::abs(a(i, j)))) << i << ' ' << j;
      EXPECT_NEAR(e(i, j), pencil.e[at], 1e-12 * (1 + std::abs(e(i, j)))) << i << ' ' << j;
    }
}

TEST_P(Recorded, HasTheSameSolution) {
  const Problem problem = GetParam().problem();
  const Options options = {.method = "radau", .rtol = 1e-8};
  const Solution called = solve(problem, options), graph = solve(recorded(problem), options);
  ASSERT_TRUE(called.succeeded()) << called.message.text();
  ASSERT_TRUE(graph.succeeded()) << graph.message.text();
  EXPECT_EQ(called.variables, graph.variables);
  EXPECT_THAT(graph.jacobian, HasSubstr("symbolic"));
  for (int i = 0; i < called.size(); ++i)
    EXPECT_NEAR(called.y_end()[i], graph.y_end()[i], 1e-5 * (1 + std::abs(called.y_end()[i])))
        << called.variables[i];
}

const auto name_of_case = [](const auto& test) { return std::string(test.param.name); };
const auto as_written = ::testing::Values(
    Case{"Crank", crank, 3}, Case{"Pendulum", pendulum, 3}, Case{"Skate", skate, 2},
    Case{"Layer", layer, 0}, Case{"SecondOrder", second_order, 1}, Case{"Implicit", implicit, 1});
INSTANTIATE_TEST_SUITE_P(Forms, Recorded, as_written, name_of_case);
INSTANTIATE_TEST_SUITE_P(Forms, RecordedRows, as_written, name_of_case);
// That rows of M are dependent is no matter of structure.
INSTANTIATE_TEST_SUITE_P(Combined, Recorded, ::testing::Values(Case{"Amplifier", amplifier, 0}),
                         name_of_case);

TEST(Recording, KnowsEveryFunctionOfDual) {
  const auto functions = [](auto y, auto& out) {
    const auto x = y[0], z = y[1];
    out[0] = sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x);
    out[1] = sinh(x) + cosh(x) + tanh(x) + exp(x) + log(x) + log10(x) + sqrt(x);
    out[2] = abs(x - 1) + fabs(x) + pow(x, 2.5) + pow(2.0, x) + pow(x, z) + pow(x, 3);
    out[3] = atan2(x, z) + atan2(1.0, x) + atan2(x, 2.0) + hypot(x, z) + hypot(x, 1.0);
    out[4] = max(x, z) + max(0.3, x) + min(x, 0.2) + min(x, z);
    out[5] = select(x < z, x * z, 0.0) + select(x >= 0.5 && !(z == 2.0), 1.0, z);
    auto s = x;
    s += 2, s -= z, s *= x, s /= 3;
    out[6] = -s + +x;
  };
  Graph graph;
  const std::vector<Expr> in = {{graph, graph.input(0)}, {graph, graph.input(1)}};
  std::vector<Expr> out(7);
  OutputOf<Expr> recorded_out(out.data(), 7);
  functions(InputOf<Expr>(in.data(), 2), recorded_out);
  std::vector<NodeId> nodes;
  for (const Expr& e : out) nodes.push_back(e.node_in(graph));
  const Tape tape(graph, 2, nodes);
  for (const auto& [x, z] : {std::pair{0.4, 0.7}, std::pair{0.7, 0.4}}) {
    const double y[] = {x, z};
    Vector expected(7);
    Output plain_out(expected.data(), 7);
    functions(Input(y, 2), plain_out);
    std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
    memory[0] = x, memory[1] = z;
    std::copy(tape.constants().begin(), tape.constants().end(), memory.begin() + 2);
    tape.run_one(memory.data());
    for (int i = 0; i < 7; ++i)
      EXPECT_NEAR(memory[static_cast<std::size_t>(tape.outputs()[static_cast<std::size_t>(i)])],
                  expected[i], 1e-14 * std::abs(expected[i]))
          << i;
  }
}

TEST(Recording, SaysWhatToDoAboutBranches) {
  const Problem branching = {.form = LinearlyImplicit{.size = 1,
                                                      .f =
                                                          [](auto y, auto& out) {
                                                            if (y[0] < 0.5)
                                                              out[0] = -y[0];
                                                            else
                                                              out[0] = -0.5;
                                                          }},
                             .t_span = {0, 1},
                             .start = {1}};
  EXPECT_TRUE(solve(branching).succeeded());
  EXPECT_THAT(daedalus::testing::refusal([&] { (void)recorded(branching); }),
              HasSubstr("select(condition, a, b)"));
}

TEST(Recording, RefusesPlainFunctions) {
  const Problem plain_function = {
      .form = LinearlyImplicit{.size = 1, .f = [](double, Input y, Output out) { out = -y; }},
      .t_span = {0, 1},
      .start = {1}};
  EXPECT_THAT(daedalus::testing::refusal([&] { (void)recorded(plain_function); }),
              HasSubstr("form.f cannot be recorded"));
}

TEST(Recording, FindsEquationsOfEqualShape) {
  constexpr int n = 100;
  const Problem heat = {
      .form = LinearlyImplicit{.size = n,
                               .f =
                                   [](auto u, auto& out) {
                                     for (int i = 0; i < n; ++i)
                                       out[i] = (i > 0 ? u[i - 1] : 0.0 * u[i]) - 2.0 * u[i] +
                                                (i + 1 < n ? u[i + 1] : 0.0 * u[i]);
                                   }},
      .t_span = {0, 1},
      .start = Values(Vector::Ones(n))};
  const Problem graph = recorded(heat);
  EXPECT_LE(std::get<ExpressionGraph>(graph.form).equations->kernels().size(), 3u);
  EXPECT_NEAR(solve(graph).y_end()[50], solve(heat).y_end()[50], 1e-6);
}

/// Bodies in space that attract each other: six rows share what each pair has.
TEST(Recording, ComputesOnceWhatRowsOfEqualShapeShare) {
  constexpr int n = 12;
  const Problem bodies = {
      .form = LinearlyImplicit{.size = 3 * n,
                               .f =
                                   [](auto u, auto& out) {
                                     for (int i = 0; i < 3 * n; ++i) out[i] = -u[i];
                                     for (int ahead = 1; ahead < n / 2; ++ahead)
                                       for (int i = 0; i < n; ++i) {
                                         const int a = 3 * i, b = 3 * ((i + ahead) % n);
                                         const auto x = u[a] - u[b], y = u[a + 1] - u[b + 1],
                                                    z = u[a + 2] - u[b + 2];
                                         const auto pull = 1.0 / (1.0 + x * x + y * y + z * z);
                                         out[a] -= x * pull, out[b] += x * pull;
                                         out[a + 1] -= y * pull, out[b + 1] += y * pull;
                                         out[a + 2] -= z * pull, out[b + 2] += z * pull;
                                       }
                                   }},
      .t_span = {0, 1},
      .start = Values(Vector::LinSpaced(3 * n, 0.1, 1))};
  const Problem graph = recorded(bodies);
  const EquationSet& equations = *std::get<ExpressionGraph>(graph.form).equations;
  int divisions = 0;
  for (const Unit& unit : equations.program().content()->units)
    for (const Tape::Instruction& in : unit.tape.instructions())
      divisions += in.op == Op::div ? unit.count : 0;
  EXPECT_EQ(divisions, n * (n / 2 - 1));
  EXPECT_NEAR(solve(graph).y_end()[5], solve(bodies).y_end()[5], 1e-6);
}

}  // namespace
}  // namespace daedalus
