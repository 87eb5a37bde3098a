// Starts of models: what is found, what is refused and by which names. None may take long.
#include <cmath>
#include <gmock/gmock.h>
#include <map>

#include "daedalus/analysis.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

using testing::UnorderedElementsAreArray;

struct Case {
  const char* name;
  const char* declarations;
  const char* equations;
  std::map<std::string, double> found = {};  ///< values of the consistent start
  std::vector<Names> contradictions = {};    ///< or what stands in its way
  const char* initial = "";
};

void PrintTo(const Case& which, std::ostream* out) {
  *out << which.name;
}

class InitialValues : public testing::TestWithParam<Case> {
 protected:
  static Model model_of(const Case& c) {
    return Model::from_text(std::string("model M\n") + c.declarations + "\ninitial equation\n" +
                            c.initial + "\nequation\n" + c.equations + "\nend M;\n");
  }
};

TEST_P(InitialValues, HaveTheExpectedOutcome) {
  const Case& expected = GetParam();
  const Model model = model_of(expected);
  const Analysis a = analyze(model);
  // The run finds its own, in the formulation that it chooses.
  const Solution run = Integrator(model.problem(), model.scaled({})).solution();
  if (expected.found.empty()) {
    EXPECT_THAT(run.message.where, testing::HasSubstr("\"")) << "names an equation";
  }
  std::vector<testing::Matcher<Names>> sets;
  for (const Names& names : expected.contradictions)
    sets.push_back(UnorderedElementsAreArray(names));
  EXPECT_THAT(a.contradictions, UnorderedElementsAreArray(sets));
  EXPECT_EQ(a.inconsistent, expected.found.empty()) << testing::PrintToString(a.warnings);
  EXPECT_EQ(run.reason == Reason::inconsistent_start, expected.found.empty()) << run.message.text();
  for (const auto& [name, value] : expected.found) {
    if (a.consistent_start.empty()) continue;
    const auto j = static_cast<std::size_t>(
        std::find(a.variables.begin(), a.variables.end(), name) - a.variables.begin());
    const double tolerance = 1e-9 * std::max(1.0, std::abs(value));  // some digits above rounding
    EXPECT_NEAR(a.consistent_start.at(j), value, tolerance) << name;
    EXPECT_NEAR(run.value(0, name), value, tolerance) << name << " of the run";
  }
}

constexpr const char* square = "Real x(start = 4, fixed = true), z(start = 1);";
constexpr const char* square_law = "der(x) = -x; z^2 = x \"square\";";
constexpr const char* pendulum =
    "der(x) = u \"vx\"; der(y) = v \"vy\"; der(u) = -x*f \"ax\"; der(v) = -y*f - 10 \"ay\"; x^2 + "
    "y^2 = 1 \"rod\";";

std::string name_of_case(const testing::TestParamInfo<Case>& which) {
  return which.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    BadGuesses, InitialValues,
    testing::Values(Case{"usual", square, square_law, {{"z", 2}}},
                    Case{"other_branch",
                         "Real x(start = 4, fixed = true), z(start = -1);",
                         square_law,
                         {{"z", -2}}},
                    Case{"far_away",
                         "Real x(start = 4, fixed = true), z(start = 1e6);",
                         square_law,
                         {{"z", 2}}},
                    Case{"singular_square",
                         "Real x(start = 4, fixed = true), z(start = 0);",
                         square_law,
                         {{"x", 4}}},
                    Case{"singular_cube",
                         "Real x(start = 8, fixed = true), z(start = 0);",
                         "der(x) = -x; z^3 = x;",
                         {{"z", 2}}},
                    Case{"steep_exponential",
                         "Real x(start = 0, fixed = true), z(start = 50);",
                         "der(x) = z; exp(z) = 1e-3;",
                         {{"z", std::log(1e-3)}}},
                    Case{"flat_exponential",
                         "Real x(start = 0, fixed = true), z(start = -5);",
                         "der(x) = z; exp(z) = 1e6;",
                         {{"z", std::log(1e6)}}},
                    Case{"arc_tangent",
                         "Real x(start = 0.5, fixed = true), z(start = 10);",
                         "der(x) = -x; atan(z) = x;",
                         {{"z", std::tan(0.5)}}},
                    Case{"logarithm_over_the_edge",
                         "Real x(start = 1, fixed = true), z(start = 20);",
                         "der(x) = -x; log(z) = x;",
                         {{"z", std::exp(1)}}},
                    Case{"root_at_its_end",
                         "Real x(start = 2, fixed = true), z(start = 0);",
                         "der(x) = -x; sqrt(z) = x;",
                         {{"z", 4}}},
                    Case{"diode",
                         "Real x(start = 5, fixed = true), v(start = 5), i;",
                         "der(x) = -x; x - v = 1000*i; i = 1e-9*(exp(v/0.05) - 1);",
                         {{"v", 0.7629686828473151}}},
                    Case{"sine_over_the_top",
                         "Real x(start = 0.5, fixed = true), z(start = 1.6);",
                         "der(x) = -x; sin(z) = x;",
                         {{"x", 0.5}}},
                    Case{"two_circles",
                         "Real x(start = 1, fixed = true), y(start = 100), z(start = -100);",
                         "der(x) = -x; y^2 + z^2 = 2*x; y - z = 0;",
                         {{"x", 1}}},
                    Case{"powell",
                         "Real x(start = 1, fixed = true), y(start = 0), z(start = 1);",
                         "der(x) = -x; 1e4*y*z = x; exp(-y) + exp(-z) = 1.0001;",
                         {{"y", 1.0981593296999e-05}, {"z", 9.106146739865842}}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Manifold, InitialValues,
    testing::Values(
        Case{"off_the_circle",
             "Real x(start = 0.9), y(start = 0, fixed = true), u, v, f;",
             pendulum,
             {{"x", 1}, {"y", 0}, {"u", 0}}},
        Case{"far_off_the_circle",
             "Real x(start = 100), y(start = 0, fixed = true), u, v, f;",
             pendulum,
             {{"x", 1}, {"y", 0}, {"u", 0}}},
        Case{"centre_of_the_circle",
             "Real x(start = 0), y(start = 0), u(start = 0, fixed = true), v, f;",
             pendulum,
             {{"v", 0}}},
        Case{"lower_branch",
             "Real x(start = 0.6, fixed = true), y(start = -1), u, v, f;",
             pendulum,
             {{"x", 0.6}, {"y", -0.8}}},
        Case{"upper_branch",
             "Real x(start = 0.6, fixed = true), y(start = 1), u, v, f;",
             pendulum,
             {{"x", 0.6}, {"y", 0.8}, {"f", -8}}},
        Case{
            "speed_completed",
            "Real x(start = 0.6, fixed = true), y(start = -1), u(start = 0.4, fixed = true), v, f;",
            pendulum,
            {{"v", 0.3}, {"f", 0.25 + 8}}},
        Case{"crane_from_bad_guesses",
             "Real x, z(start = 1), s(start = 1), r(start = 10), T(start = 100), u1, u2;",
             "100*der(x, 2) = -T*(x - s)/r; 100*der(z, 2) = 981 - T*z/r;"
             "10*der(s, 2) = u1 + T*(x - s)/r; 5*der(r, 2) = T - u2; (x - s)^2 + z^2 = r^2;"
             "x = 2*sin(time/2); z = 5 - cos(time)/2;",
             {{"z", 4.5}, {"s", 0}, {"r", 4.5}, {"T", 931}}},
        Case{"path_from_zeros",
             "Real a, b, F;",
             "der(a, 2) = F - 10*(a - b); 2*der(b, 2) = 10*(a - b); b = sin(time);",
             {{"a", 0}, {"b", 0}, {"F", 0}}},
        Case{"nothing_fixed",
             "Real x(start = 0.66), y(start = 0.88), u, v, f;",
             pendulum,
             {{"x", 0.6}, {"y", 0.8}}},
        Case{"nothing_fixed_far_away",
             "Real x(start = 3e3), y(start = -4e4), u(start = 0, fixed = true), v, f;",
             pendulum,
             {{"u", 0}}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Redundant, InitialValues,
    testing::Values(Case{"all_of_index_1",
                         "Real x(start = 4, fixed = true), z(start = -2, fixed = true);",
                         square_law,
                         {{"x", 4}, {"z", -2}}},
                    Case{"all_of_index_3",
                         "Real x(start = 0.6, fixed = true), y(start = -0.8, fixed = true),"
                         "u(start = 0.4, fixed = true), v(start = 0.3, fixed = true), f;",
                         pendulum,
                         {{"f", 8.25}}},
                    Case{"source_that_is_known",
                         "Real v(start = 0, fixed = true), i;",
                         "i + der(v) + v = 0; v = sin(time) \"source\";",
                         {{"v", 0}, {"i", -1}}},
                    Case{"algebraic_fixed_instead",
                         "Real x(start = 1), z(start = 2, fixed = true);",
                         square_law,
                         {{"x", 4}, {"z", 2}}},
                    Case{"initial_equation_repeats_start",
                         "Real x(start = 3, fixed = true);",
                         "der(x) = -x;",
                         {{"x", 3}},
                         {},
                         "x = 3; 2*x = 6;"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    InitialEquations, InitialValues,
    testing::Values(
        Case{"rest", "Real x(start = 7);", "der(x) = 2 - x;", {{"x", 2}}, {}, "der(x) = 0;"},
        Case{"rest_of_a_nonlinear_system",
             "Real x(start = 1), y(start = 1);",
             "der(x) = 6 - x*y; der(y) = x - y - 1;",
             {{"x", 3}, {"y", 2}},
             {},
             "der(x) = 0; der(y) = 0;"},
        Case{"circle_and_line",
             "Real x(start = 3), y(start = 3);",
             "der(x) = y; der(y) = -x;",
             {{"x", 4}, {"y", 3}},
             {},
             "x^2 + y^2 = 25; x - y = 1;"},
        Case{"circle_and_line_below",
             "Real x(start = -1), y(start = -1);",
             "der(x) = y; der(y) = -x;",
             {{"x", -3}, {"y", -4}},
             {},
             "x^2 + y^2 = 25; x - y = 1;"},
        Case{"energy_instead_of_speed",
             "Real x(start = 0, fixed = true), y(start = -1), u(start = 1), v, f;",
             pendulum,
             {{"x", 0}, {"y", -1}, {"u", 2}, {"v", 0}, {"f", 14}},
             {},
             "(u^2 + v^2)/2 = 2;"},
        Case{"tension_instead_of_speed",
             "Real x(start = 0, fixed = true), y(start = -1), u(start = 1), v, f(start = 12);",
             pendulum,
             {{"u", 3}},
             {},
             "f = 19;"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Contradictions, InitialValues,
    testing::Values(
        Case{"both_of_index_1",
             "Real x(start = 4, fixed = true), z(start = 3, fixed = true);",
             square_law,
             {},
             {{"x", "z", "square"}}},
        Case{"no_real_root",
             "Real x(start = -4, fixed = true), z(start = 1);",
             square_law,
             {},
             {{"x", "square"}}},
        Case{"no_solution_at_all",
             "Real x(start = 1), z(start = 1);",
             "der(x) = -x; x^2 + z^2 + 1 = 0 \"impossible\";",
             {},
             {{"impossible"}}},
        // Not defined at the guess: the message names the equation.
        Case{"pole", "Real x(start = 2, fixed = true), z(start = 0);",
             "der(x) = -x; 1/z = x \"pole\";"},
        Case{"beyond_the_rod",
             "Real x(start = 2, fixed = true), y, u, v, f;",
             pendulum,
             {},
             {{"x", "rod"}}},
        Case{"off_the_rod",
             "Real x(start = 1, fixed = true), y(start = 1, fixed = true), u, v, f;",
             pendulum,
             {},
             {{"x", "y", "rod"}}},
        Case{"four_digits_are_not_enough",
             "Real x(start = 0.7071, fixed = true), y(start = 0.7071, fixed = true), u, v, f;",
             pendulum,
             {},
             {{"x", "y", "rod"}}},
        Case{"speed_along_the_rod",
             "Real x(start = 0.6, fixed = true), y(start = -0.8, fixed = true),"
             "u(start = 0.4, fixed = true), v(start = 1, fixed = true), f;",
             pendulum,
             {},
             {{"x", "y", "u", "v", "vx", "vy", "rod"}}},  // by d/dt rod alone
        Case{"source_elsewhere",
             "Real v(start = 1, fixed = true), i;",
             "i + der(v) + v = 0; v = sin(time) \"source\";",
             {},
             {{"v", "source"}}},
        Case{"rate_of_a_source",
             "Real v, i;",
             "i + der(v) + v = 0; v = sin(time) \"source\";",
             {},
             {{"source", "rate"}},
             "der(v) = 5 \"rate\";"},
        Case{"two_starts",
             "Real x;",
             "der(x) = -x;",
             {},
             {{"x", "second"}},  // an initial equation x = number is the start of x
             "x = 3 \"first\"; x = 4 \"second\";"},
        Case{"start_and_initial_equation",
             "Real x(start = 3, fixed = true);",
             "der(x) = -x;",
             {},
             {{"x", "other"}},
             "x = 4 \"other\";"},
        Case{"apart",
             "Real a(start = 1, fixed = true), b(start = 1, fixed = true),"
             "c(start = 1, fixed = true), d(start = 1, fixed = true);",
             "der(a) = -a; a + b = 1 \"first\"; der(c) = -c; c + d = 1 \"second\";",
             {},
             {{"a", "b", "first"}, {"c", "d", "second"}}}),
    name_of_case);

TEST(InitialValues, NameTheRelationThatContradictsWhatItSwitches) {
  const Model model = Model::from_text(
      "model M\nReal x(start = 1), z(start = 2, fixed = true);\nequation\n"
      "der(z) = x;\nx = if x > 0 then -1 else 1;\nend M;\n");
  const Analysis a = analyze(model);
  EXPECT_TRUE(a.inconsistent);
  EXPECT_THAT(a.warnings, testing::Contains(testing::HasSubstr("x > 0")));
  const Solution run = Integrator(model.problem()).solution();
  EXPECT_EQ(run.reason, Reason::inconsistent_start);
  EXPECT_THAT(run.message.where, testing::HasSubstr("x > 0"));
}

TEST(InitialValues, NameManyContradictions) {
  std::string text(embedded("models/chain.mo"));
  const std::string free = "y[N](start = {-i*l*sqrt(0.5) for i in 1:N})";
  ASSERT_NE(text.find(free), std::string::npos);
  text.replace(text.find(free), free.size(),
               "y[N](start = {-i*l*0.8 for i in 1:N}, each fixed = true)");
  const Analysis a = analyze(Model::from_text(text));
  // Each of the ten links is too short.
  EXPECT_EQ(a.contradictions.size(), 10u);
  EXPECT_THAT(a.contradictions, testing::Each(testing::Contains("link")));
}

}  // namespace
}  // namespace daedalus
