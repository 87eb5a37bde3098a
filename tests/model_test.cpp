// Models from text to numbers: what the language means, and what is said about wrong models.
#include "daedalus/model.h"

#include <cmath>
#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace daedalus {
namespace {

using testing::HasSubstr;

Solution solved(const std::string& text, const ModelOptions& model_options = {}) {
  const Model model = Model::from_text(text, "test.mo", model_options);
  Options options = model.options();
  options.rtol = 1e-9;
  Solution s = solve(model.problem(), model.scaled(options));
  EXPECT_TRUE(s.succeeded()) << s.message.text();
  return s;
}

std::string body(const std::string& declarations, const std::string& equations) {
  return "model M\n" + declarations + "\nequation\n" + equations +
         "\nannotation(experiment(StopTime = 1));\nend M;\n";
}

TEST(Model, SolvesADecayWithAParameter) {
  const std::string text =
      body("parameter Real k = 2; Real x(start = 1, fixed = true);", "der(x) = -k*x;");
  EXPECT_NEAR(solved(text).value(-1, "x"), std::exp(-2.0), 1e-8);
  EXPECT_NEAR(solved(text, {.parameters = {{"k", 3}}}).value(-1, "x"), std::exp(-3.0), 1e-8);
  EXPECT_NEAR(solved(text, {.start = {{"x", 2}}}).value(-1, "x"), 2 * std::exp(-2.0), 2e-8);
  EXPECT_NEAR(solved(text, {.stop_time = 0.5}).value(-1, "x"), std::exp(-1.0), 1e-8);
}

TEST(Model, UnrollsLoopsAndArrays) {
  // x_i' = -i x_i, s their sum.
  const Solution s =
      solved(body("parameter Integer N = 3; Real x[N](each start = 1, each fixed = true); Real s;",
                  "for i in 1:N loop der(x[i]) = -i*x[i]; end for; s = sum(x);"));
  EXPECT_NEAR(s.value(-1, "x[3]"), std::exp(-3.0), 1e-8);
  EXPECT_NEAR(s.value(-1, "s"), std::exp(-1.0) + std::exp(-2.0) + std::exp(-3.0), 1e-8);
}

TEST(Model, MultipliesMatricesAsModelicaDoes) {
  const Solution s =
      solved(body("parameter Real A[2,2] = {{0, 1}, {-1, 0}}; Real x[2](start = {1, 0}, each fixed "
                  "= true); Real e;",
                  "der(x) = A*x; e = x*x;"));
  EXPECT_NEAR(s.value(-1, "x[1]"), std::cos(1.0), 1e-8);
  EXPECT_NEAR(s.value(-1, "e"), 1, 1e-8);
}

TEST(Model, InlinesFunctions) {
  const std::string text =
      "function cube input Real a; output Real b; protected Real c; algorithm c := a*a; b := c*a; "
      "end cube;\n" +
      body("Real x(start = 1, fixed = true); Real y;", "der(x) = -cube(x)/2; y = cube(x) + 1;");
  // x' = -x^3/2: x = 1/sqrt(1 + t).
  EXPECT_NEAR(solved(text).value(-1, "x"), 1 / std::sqrt(2.0), 1e-8);
}

TEST(Model, KeepsHigherDerivatives) {
  const Solution s = solved(
      "model M Real x(start = 0, fixed = true); initial equation der(x) = 1; equation der(x, 2) = "
      "-x;"
      " annotation(experiment(StopTime = 1)); end M;");
  EXPECT_EQ(s.size(), 1);  // the hidden first derivative is not shown
  EXPECT_NEAR(s.value(-1, "x"), std::sin(1.0), 1e-8);
}

TEST(Model, FindsHiddenConstraintsOfAPendulum) {
  const Solution s = solved(
      "model P Real x(start = 1), y(start = 0.3), u, v, lambda; equation der(x) = u; der(y) = v;"
      " der(u) = -x*lambda; der(v) = -y*lambda - 1; x^2 + y^2 = 1;"
      " annotation(experiment(StopTime = 2)); end P;");
  for (int i = 0; i < s.rows(); ++i) {
    const Input y = s.y(i);
    EXPECT_NEAR(y[0] * y[0] + y[1] * y[1], 1, 1e-8);
    EXPECT_NEAR(y[0] * y[2] + y[1] * y[3], 0, 1e-7);
  }
}

TEST(Model, FormsTheAlgebraicRowsOfCoupledDerivatives) {
  // der(a) - der(b) in both rows: their sum is algebraic, a + b = 2 cos t... and a - b decays.
  const Solution s =
      solved(body("Real a(start = 2), b(start = 0);",
                  "der(a) - der(b) = -(a - b) + (a + b - 2); der(b) - der(a) = (a - b);"));
  EXPECT_NEAR(s.value(-1, "a") + s.value(-1, "b"), 2, 1e-8);
  EXPECT_NEAR(s.value(-1, "a") - s.value(-1, "b"), 2 * std::exp(-1.0), 1e-8);
}

struct WrongModel {
  const char* declarations;
  const char* equations;
  const char* message;
  int line;
  int column = 0;  ///< 0: any
};

class Wrong : public testing::TestWithParam<WrongModel> {};

TEST_P(Wrong, IsRefusedWithItsPlaceAndReason) {
  const WrongModel& wrong = GetParam();
  try {
    (void)Model::from_text(body(wrong.declarations, wrong.equations), "wrong.mo");
    FAIL() << "accepted: " << wrong.equations;
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr(wrong.message));
    const std::string column = wrong.column > 0 ? std::to_string(wrong.column) + ":" : "";
    EXPECT_THAT(error.what(), HasSubstr("wrong.mo:" + std::to_string(wrong.line) + ":" + column));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Wrong,
    testing::Values(
        WrongModel{"Real lambda;", "lamda = 1;", "did you mean 'lambda'?", 4},
        WrongModel{"Real x;", "x = sine(1);", "did you mean 'sin'?", 4},
        WrongModel{"Real x[3];", "x = {1, 2};",
                   "the left side is an array [3], the right side an array [2]", 4},
        WrongModel{"Real x[3];", "x[4] = 1; x[1] = 1; x[2] = 1;",
                   "subscript 4 of 'x' is outside of 1..3", 4},
        WrongModel{"Real x[2];", "x[0] = 1; x[1] = 2;", "subscripts count from 1", 4},
        WrongModel{"Real x; Real x;", "x = 1;", "'x' is declared twice", 2},
        WrongModel{"parameter Real a = b; parameter Real b = a; Real x;", "x = a;",
                   "depends on itself", 2},
        WrongModel{"parameter Real a; Real x;", "x = a;", "parameter 'a' has no value", 2},
        WrongModel{"parameter Integer n = 1.5; Real x;", "x = n;",
                   "Integer parameter 'n' has the value 1.5", 2},
        WrongModel{"Real x, y;", "x = 1;", "'y' occurs in no equation", 2},
        WrongModel{"Real x, y;", "x + y = 1;", "1 equations for 2 unknowns", 1},
        WrongModel{"Real x;", "x = 1; x = 2;", "2 equations for 1 unknowns", 1},
        WrongModel{"Real x;", "x = 1; 2 = 3;", "contains no unknown and cannot hold", 4},
        WrongModel{"Real x;", "x = 1; 3 = 3;", "says nothing", 4},
        WrongModel{"Real x;", "x = sin(1, 2);", "'sin' takes 1 argument, 2 given", 4},
        WrongModel{"Real x[2];", "x = {1, 2}*{1, 2; 3, 4};", "expected", 4},
        WrongModel{"Real x[2], y[3];", "x = {1, 2}; y = x + {1, 2, 3};",
                   "'+' cannot join an array [2] and an array [3]", 4},
        WrongModel{"Real x;", "x = sum({i for i in 1:x});", "must be known before the run", 4},
        WrongModel{"Real x(nominal = -1);", "x = 1;", "nominal of 'x' must be positive", 2},
        WrongModel{"Real sin;", "sin = 1;", "is the name of a function of the language", 2},
        WrongModel{"Real x;", "x = der(x, 0);", "the order of a derivative must be 1..9", 4}));

INSTANTIATE_TEST_SUITE_P(
    MoreModels, Wrong,
    testing::Values(
        WrongModel{"Real x(start=0);", "der(x)=1; when x>1 then x = 2; end when;",
                   "in a when clause only discrete variables get values", 4, 25},
        WrongModel{"discrete Real n(start=0); Real x;",
                   "x = 1; when time>1 then reinit(n, 2); n = 1; end when;",
                   "reinit needs a scalar continuous variable", 4, 25},
        WrongModel{"Real x;", "der(x) = 1; terminate(\"x\");",
                   "terminate() outside of a when clause would end every run at once", 4, 13},
        WrongModel{"discrete Real n(start=0);", "when time>0.5 then n = n + 1; end when;",
                   "'n' is computed from itself", 4, 20},
        WrongModel{"discrete Real n(start=0); Real x;", "x = n;", "'n' never gets a value", 2, 15},
        WrongModel{"discrete Real n(start=0);",
                   "when time>0.5 then n = 1; end when; when time > 0.7 then n = 2; end when;",
                   "'n' gets its value in two places", 4, 37},
        WrongModel{"Real x;", "der(x) = if der(x) > 1 then 1 else 2;",
                   "a relation must not contain der()", 4, 13},
        WrongModel{"Real x, y;", "if x > 1 then x = 1; y = 2; else x = 2; end if; y = 1;",
                   "the branches have 2 and 1 equations", 4, 1},
        WrongModel{"Real x;", "der(x) = 1; when x > 1 then assert(x > 0, \"a\"); end when;",
                   "in a when clause only reinit, assignments and terminate are allowed", 4, 29},
        WrongModel{"Real x;", "der(x) = pre(x);", "pre() needs a scalar discrete variable", 4, 10},
        WrongModel{"Real x(start = time);", "der(x) = 1;",
                   "attribute start of 'x' must be known before the run", 2, 16},
        WrongModel{"Real x[2,2];", "x = {{1, 2}, {3}};",
                   "the elements of an array must all have the same shape", 4, 14},
        WrongModel{"Real x;", "x = atan2(1);", "'atan2' takes 2 arguments, 1 given", 4, 5},
        WrongModel{"Real x[2];", "x = 1 / {1, 2};", "division by an array", 4, 7},
        WrongModel{"Real x[2];", "x = {1, 2}^2;", "'^' needs scalars", 4, 11},
        WrongModel{"Real x[3];", "x = cross({1, 2}, {3, 4});",
                   "cross needs two vectors of length 3", 4, 5},
        WrongModel{"Real x;", "x = size({1, 2}, 3);", "there is no dimension 3 in an array [2]", 4,
                   18},
        WrongModel{"Real x;", "x = sum(x);", "this equation says nothing: it holds for all values",
                   4, 1},
        WrongModel{"Real x;", "for i in 1.5 loop x = 1; end for;",
                   "a loop runs over a range or a vector", 4, 10},
        WrongModel{"Real x;", "for i in x loop x = 1; end for;",
                   "a loop runs over a range or a vector", 4, 10},
        WrongModel{"Real x[:];", "x = {1, 2};", "the size of this array must be given", 2, 8},
        WrongModel{"Real x[-1];", "x = 1;", "a dimension must not be negative, found -1", 2, 8},
        WrongModel{"Real x(start = {1,2});", "x = 1;",
                   "attribute start of 'x' is an array [2], expected a scalar", 2, 16},
        WrongModel{"Real x; Boolean b = x > 1;", "x = 1; b = x > 2;",
                   "'b' gets its value in two places", 4, 8},
        WrongModel{"Real x;", "x = identity(1.5);",
                   "the size of the identity must be a whole number, found 1.5", 4, 14},
        WrongModel{"Real x;", "x = min();", "'min' takes 1 to 2 arguments, 0 given", 4, 5},
        WrongModel{"Real x[2];", "x = zeros(3);",
                   "the left side is an array [2], the right side an array [3]", 4, 1},
        WrongModel{"Real x; Real y[2];", "x = y; y = {1, 2};",
                   "the left side is a scalar, the right side an array [2]", 4, 1},
        WrongModel{"Real x;", "x = 1; x[1] = 2;", "'x' has 1 subscripts but is a scalar", 4, 8},
        WrongModel{"constant Real c; Real x;", "x = c;", "parameter 'c' has no value", 2, 15},
        WrongModel{"parameter Real p = x; Real x;", "x = 1;",
                   "the value of a parameter 'p' must be known before the run", 2, 20},
        WrongModel{"parameter Real p[2] = {1, 2, 3}; Real x;", "x = p[1];",
                   "the value of a parameter 'p' is an array [3], expected an array [2]", 2, 23},
        WrongModel{"Real x;", "x = der(1, 2, 3);", "der takes a variable and, optionally, an order",
                   4, 5},
        WrongModel{"Real x;", "x = smooth(1);", "'smooth' takes 2 arguments, 1 given", 4, 5},
        WrongModel{"Real x;", "x = edge(time > 1);", "expected a variable", 4, 10},
        WrongModel{"Real x(nominal = 0);", "x = 1;", "nominal of 'x' must be positive", 2, 8},
        WrongModel{"parameter Integer n = 2; Real x[n];", "for i in 1:n+1 loop x[i] = i; end for;",
                   "subscript 3 of 'x' is outside of 1..2", 4, 23}));

TEST(Model, NamesUnknownParametersAndVariables) {
  const std::string text = body("parameter Real gravity = 9.81; Real x;", "x = gravity;");
  EXPECT_THROW((void)Model::from_text(text, "m.mo", {.parameters = {{"gravty", 1}}}), InvalidInput);
  EXPECT_THROW((void)Model::from_text(text, "m.mo", {.start = {{"z", 1}}}), InvalidInput);
  EXPECT_THROW((void)Model::from_file("no such file.mo"), InvalidInput);
}

}  // namespace
}  // namespace daedalus
