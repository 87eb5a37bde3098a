// Index, degrees of freedom and hidden constraints of many models, as theory has them.
//
// Derived by hand from the offsets c (equations) and d (variables) of the Sigma method [Pryce2001]:
// index = max c + (1 where some d is 0), degrees of freedom = sum d - sum c. Hidden constraints are
// the c derivatives of every equation that does not merely give a derivative. Variables bound to an
// expression are unknowns with an equation, so an ODE with one of them has index 1.
#include <gmock/gmock.h>
#include <optional>

#include "daedalus/analysis.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

struct Row {
  const char* name;
  int structural;                   ///< index that the structure shows
  int index;                        ///< the true one
  int freedom;                      ///< the true degrees of freedom
  std::optional<int> hidden = {};   ///< none: the structure does not show all of them
  const char* equations = nullptr;  ///< nullptr: a model of the gallery
  const char* declarations = nullptr;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

std::string text_of(const Row& row) {
  if (!row.equations) return std::string(embedded("models/" + std::string(row.name) + ".mo"));
  return std::string("model M\n") + row.declarations + "\nequation\n" + row.equations +
         "\nend M;\n";
}

class Structure : public testing::TestWithParam<Row> {};

TEST_P(Structure, IsWhatTheorySays) {
  const Row& row = GetParam();
  const Analysis a = analyze(Model::from_text(text_of(row)));
  EXPECT_EQ(a.structural_index, row.structural);
  EXPECT_EQ(a.numerical_index, row.index);
  EXPECT_EQ(a.degrees_of_freedom, row.freedom);
  if (row.hidden) {
    EXPECT_EQ(static_cast<int>(a.hidden_constraints.size()), *row.hidden)
        << testing::PrintToString(a.hidden_constraints);
  }
  EXPECT_TRUE(a.can_be_solved()) << testing::PrintToString(a.warnings);
}

std::string name_of_row(const testing::TestParamInfo<Row>& which) {
  return which.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    TestSet, Structure,
    testing::Values(
        Row{"vdpol", 0, 0, 2, 0}, Row{"weissinger", 0, 0, 1, 0}, Row{"kamke542", 1, 1, 1, 0},
        Row{"vdpol_limit", 1, 1, 1, 0}, Row{"robertson", 1, 1, 2, 0}, Row{"chemakzo", 1, 1, 5, 0},
        Row{"heat2d_10", 1, 1, 64, 0},
        // y2' = cos t has to be known, though the index is only 1.
        Row{"brenan_index1", 1, 1, 1, 1}, Row{"kvaerno_index1", 1, 1, 2, 1},
        // Sums of two rows hold no derivatives: the mass matrix is singular beyond its structure.
        Row{"transamp", 1, 1, 5}, Row{"amplifier1", 1, 1, 3}, Row{"eta", 1, 2, 0},
        Row{"jay_index2", 2, 2, 1, 1}, Row{"ascher_petzold_index2", 2, 2, 1, 1},
        Row{"pendulum_ggl", 2, 2, 2, 2}, Row{"arevalo_index2", 2, 2, 3, 1},
        // 20 spheres and 20 tangents.
        Row{"fekete", 2, 2, 80, 40},
        // 11 nodes without buffer, two inflows, an outflow and the clock that they are made of.
        Row{"water", 2, 2, 9, 15}, Row{"pump", 2, 2, 2}, Row{"pendulum_index3", 3, 3, 2, 2},
        Row{"arevalo_index3", 3, 3, 2, 2}, Row{"jay_index3", 3, 3, 2, 2}, Row{"andrews", 3, 3, 2},
        // Two constraints, and the two coordinates of the road in them, each twice.
        Row{"caraxis", 3, 3, 4, 8}),
    name_of_row);

INSTANTIATE_TEST_SUITE_P(
    Gallery, Structure,
    testing::Values(Row{"vdpol_lienard", 0, 0, 2, 0}, Row{"lotka_volterra", 1, 1, 2, 0},
                    Row{"bouncing_ball", 0, 0, 2, 0}, Row{"projectile", 1, 1, 4, 0},
                    Row{"tank", 1, 1, 1, 0}, Row{"contact", 1, 1, 2, 0},
                    Row{"stiff_spring_pendulum", 1, 1, 4, 0}, Row{"heat3d", 0, 0, 1000, 0},
                    Row{"batch_reactor", 1, 1, 2, 0}, Row{"tppf_s", 1, 1, 3, 0},
                    Row{"rlc", 1, 1, 2, 0}, Row{"diode_bridge", 1, 1, 1, 0},
                    Row{"ring_modulator", 1, 1, 15, 0}, Row{"ring_modulator_index2", 1, 2, 10},
                    Row{"circuit_index2", 2, 2, 0, 2}, Row{"dpc_s", 2, 2, 1, 1},
                    Row{"skate", 2, 2, 4, 1}, Row{"pendulum", 3, 3, 2, 2},
                    Row{"pendulum_rest", 3, 3, 2, 2}, Row{"pendulum_second_order", 3, 3, 2, 2},
                    Row{"double_pendulum", 3, 3, 4, 4}, Row{"four_bar", 3, 3, 2, 6},
                    Row{"slider_crank", 3, 3, 2, 10},
                    // Ten links and the twenty link vectors in them, each twice.
                    Row{"chain", 3, 3, 20, 60}, Row{"path_control_index4", 4, 4, 1, 3},
                    Row{"path_control_index5", 5, 5, 0, 4},
                    // The rope twice, both paths four times.
                    Row{"crane", 5, 5, 0, 10}),
    name_of_row);

INSTANTIATE_TEST_SUITE_P(
    Circuits, Structure,
    testing::Values(
        Row{"rc", 1, 1, 1, 0, "C*der(v) = (e - v)/R; e = sin(time);",
            "parameter Real C = 1e-6, R = 1e3; Real v(start = 0, fixed = true), e;"},
        Row{"parallel_rlc", 1, 1, 2, 0, "C*der(v) + iL + v/R = i; L*der(iL) = v; i = cos(time);",
            "parameter Real C = 1e-3, L = 0.1, R = 50; Real v(start = 0, fixed = true),"
            "iL(start = 0, fixed = true), i;"},
        Row{"capacitor_source_loop", 2, 2, 0, 1,
            "i + C*der(v) + v/R = 0 \"node\"; v = sin(time) \"source\";",
            "parameter Real C = 1e-6, R = 1e3; Real v, i(nominal = 1e-3);"},
        Row{"capacitor_capacitor_loop", 2, 2, 1, 1,
            "C1*der(v1) = i1; C2*der(v2) = i2; i1 + i2 = sin(time) - v1/R; v1 = v2 \"loop\";",
            "parameter Real C1 = 1, C2 = 2, R = 3; Real v1(start = 1, fixed = true), v2, i1, i2;"},
        Row{"inductor_source_cut", 2, 2, 0, 1, "L*der(i) = v; i = sin(time) \"source\";",
            "parameter Real L = 0.1; Real i, v;"},
        Row{"inductor_inductor_cut", 2, 2, 1, 1,
            "L1*der(i1) = v1 - v2; L2*der(i2) = v2 - R*i2; i1 = i2 \"cut\"; v1 = cos(time);",
            "parameter Real L1 = 1, L2 = 2, R = 3; Real i1(start = 0, fixed = true), i2, v1, v2;"},
        // The current of a source over a capacitor controls another into an inductor
        // [Guenther, Feldmann 1999]: source twice, controlled source once.
        Row{"controlled_source", 3, 3, 0, 3,
            "iV + C*der(v) = 0; v = sin(time); iL = k*iV; L*der(iL) = vL;",
            "parameter Real C = 1, L = 1, k = 2; Real v, iV, iL, vL;"},
        // Ideal amplifiers: the inverting input is at zero, the output current is what it must be.
        Row{"opamp_integrator", 2, 2, 1, 1,
            "(m - e)/R + C*(der(m) - der(o)) = 0; m = 0; C*(der(o) - der(m)) + iO = 0;"
            "e = sin(time); iV + (e - m)/R = 0;",
            "parameter Real C = 1, R = 2; Real e, m, o(start = 0, fixed = true), iV, iO;"},
        Row{"opamp_differentiator", 2, 2, 0, 2,
            "e = sin(time); iV + C*(der(e) - der(m)) = 0; C*(der(m) - der(e)) + (m - o)/R = 0;"
            "m = 0; (o - m)/R + iO = 0;",
            "parameter Real C = 1, R = 2; Real e, m, o, iV, iO;"},
        Row{"opamp_chain_of_three", 4, 4, 0, 3,
            "v1 = sin(time); v2 = -T*der(v1); v3 = -T*der(v2); v4 = -T*der(v3);",
            "parameter Real T = 2; Real v1, v2, v3, v4;"}),
    name_of_row);

constexpr const char* two_declared =
    "parameter Real g = 1, L = 1, c = 0.1;"
    "Real x(start = 1), y(start = 0, fixed = true), p, q(start = 0, fixed = true), lam;"
    "Real u(start = 1), v(start = 0, fixed = true), r, s(start = 0, fixed = true), mu;";
constexpr const char* two_pendulums =
    "der(x) = p; der(y) = q; der(p) = -x*lam; der(q) = -y*lam - g; x^2 + y^2 = L^2;"
    "der(u) = r; der(v) = s; der(r) = -u*mu; der(s) = -v*mu - g; u^2 + v^2 = (L + c*lam)^2;";

INSTANTIATE_TEST_SUITE_P(
    Textbook, Structure,
    testing::Values(
        Row{"algebraic_only", 1, 1, 0, 0, "x + y = 1; x - y = time;", "Real x, y;"},
        Row{"chain_of_3", 3, 3, 0, 2, "x[1] = sin(time); der(x[1]) = x[2]; der(x[2]) = x[3];",
            "Real x[3];"},
        Row{"chain_of_7", 7, 7, 0, 6,
            "x[1] = sin(time); for i in 1:6 loop der(x[i]) = x[i + 1]; end for;", "Real x[7];"},
        // Pantelides' reactor with prescribed concentration: path twice, rate law once.
        Row{"pantelides_reactor", 3, 3, 0, 3,
            "der(C) = 1 - C - R; der(T) = 1 - T + R - (T - Tc); R = exp(-1/T)*C;"
            "C = 0.5 + 0.01*time;",
            "Real C(start = 0.5), T(start = 1), R(start = 0.4), Tc(start = 1);"},
        // Elastic joint: motor torque for a prescribed arm, der(x, 4) of the path.
        Row{"elastic_joint", 5, 5, 0, 4,
            "J*der(a, 2) = k*(b - a) - 9.81*sin(a); I*der(b, 2) = M - k*(b - a); a = sin(time);",
            "parameter Real J = 1, I = 2, k = 100; Real a, b, M;"},
        // The tension of each pendulum sets the length of the next [Campbell, Gear 1995; Pryce
        // 2001]. Two: first rod four times, second twice.
        Row{"two_pendulums", 5, 5, 4, 6, two_pendulums, two_declared},
        Row{"three_pendulums", 7, 7, 6, 12,
            "der(x) = p; der(y) = q; der(p) = -x*lam; der(q) = -y*lam - g; x^2 + y^2 = L^2;"
            "der(u) = r; der(v) = s; der(r) = -u*mu; der(s) = -v*mu - g; u^2 + v^2 = (L + c*lam)^2;"
            "der(w) = a; der(z) = b; der(a) = -w*nu; der(b) = -z*nu - g; w^2 + z^2 = (L + c*mu)^2;",
            "parameter Real g = 1, L = 1, c = 0.1;"
            "Real x(start = 1), y(start = 0, fixed = true), p, q(start = 0, fixed = true), lam;"
            "Real u(start = 1), v(start = 0, fixed = true), r, s(start = 0, fixed = true), mu;"
            "Real w(start = 1), z(start = 0, fixed = true), a, b(start = 0, fixed = true), nu;"}),
    name_of_row);

struct Wrong {
  const char* name;
  const char* declarations;
  const char* equations;
  Names under, over;  ///< variables and equations
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongModel : public testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsDiagnosedByName) {
  const Wrong& wrong = GetParam();
  const Analysis a = analyze(Model::from_text(std::string("model M\n") + wrong.declarations +
                                              "\nequation\n" + wrong.equations + "\nend M;\n"));
  EXPECT_FALSE(a.can_be_solved());
  EXPECT_EQ(a.problem_class, "singular");
  EXPECT_FALSE(a.structural_index.has_value());
  EXPECT_THAT(a.underdetermined, UnorderedElementsAreArray(wrong.under));
  EXPECT_THAT(a.overdetermined, UnorderedElementsAreArray(wrong.over));
  EXPECT_FALSE(a.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Structure, WrongModel,
    testing::Values(
        Wrong{"parallel_sources",
              "Real v, i1, i2;",
              "v = 1 \"first source\"; v = 2 \"second source\"; i1 + i2 + v = 0 \"node\";",
              {"i1", "i2", "node"},
              {"first source", "second source", "v"}},
        Wrong{"sources_in_series",
              "Real i, v1, v2;",
              "i = 1 \"first\"; i = sin(time) \"second\"; v1 - v2 = 3*i \"resistor\";",
              {"v1", "v2", "resistor"},
              {"first", "second", "i"}},
        Wrong{"floating_sum",
              "Real x(start = 1), y, z;",
              "der(x) = y + z \"flow\"; x = time \"level\"; x = 2*time \"other level\";",
              {"y", "z", "flow"},
              {"level", "other level", "x"}},
        Wrong{"two_outputs_for_one_control",
              "Real x, y, u, w;",
              "der(x) = -x + sin(time) \"drift\"; x = 0 \"wish\"; der(y) = u + w \"drive\";"
              "y = time \"path\";",
              {"u", "w", "drive"},
              {"drift", "wish", "x"}},
        Wrong{"rod_without_tension",
              "Real x(start = 1), y, u, v, lam, mu;",
              "der(x) = u \"a\"; der(y) = v \"b\"; der(u) = 0 \"c\"; der(v) = -1 \"d\";"
              "x^2 + y^2 = 1 \"rod\"; lam = 2*mu \"law\";",
              {"lam", "mu", "law"},
              {"a", "b", "c", "d", "rod", "x", "y", "u", "v"}},
        Wrong{"three_equations_for_two",
              "Real x, y, z, w;",
              "x + y = 1 \"one\"; x - y = 2 \"two\"; x*y = 3 \"three\"; z + w = x \"rest\";",
              {"z", "w", "rest"},
              {"one", "two", "three", "x", "y"}}),
    [](const auto& which) { return std::string(which.param.name); });

TEST(WrongModel, WithTheSameEquationTwiceIsDiagnosedByRank) {
  const Analysis a = analyze(Model::from_text(R"(model M
  Real x(start = 1, fixed = true), y, z;
equation
  der(x) = -y - z;
  x + y + z = 1 "sum";
  2*x + 2*y + 2*z = 2 "sum again";
end M;
)"));
  EXPECT_EQ(a.structural_index, 1);
  EXPECT_FALSE(a.numerical_index.has_value());
  EXPECT_FALSE(a.degrees_of_freedom.has_value());
  EXPECT_THAT(a.warnings, Contains(testing::AllOf(HasSubstr("\"sum\""), HasSubstr("\"sum again\""),
                                                  HasSubstr("redundant"))));
}

TEST(WrongModel, IsRefusedWhereACountSaysEnough) {
  const auto refusal = [](const std::string& equations) -> std::string {
    try {
      (void)Model::from_text("model M\n Real x(start = 1), y;\nequation\n" + equations +
                             "end M;\n");
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(" der(x) = -x;\n x = exp(-time);\n"), HasSubstr("'y' occurs in no equation"));
  EXPECT_THAT(refusal(" der(x) = -y;\n"), HasSubstr("1 equation"));
  EXPECT_THAT(refusal(" der(x) = -y;\n y = 1;\n y = x;\n"), HasSubstr("3 equations"));
}

}  // namespace
}  // namespace daedalus
