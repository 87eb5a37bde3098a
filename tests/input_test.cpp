// Wrong calls: each is refused before any work, with the field in the message.
#include <cmath>
#include <functional>
#include <limits>

#include "expectations.h"

namespace daedalus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::refusal;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr auto decay = [](auto y, auto f) { f = -y; };

Problem valid() {
  Problem problem;
  problem.form = LinearlyImplicit{2, {}, decay};
  problem.t_span = {0, 1}, problem.start = {1, 2};
  return problem;
}

void expect_refused(const std::function<void(Problem&, Options&)>& spoil, const char* field) {
  Problem problem = valid();
  Options options;
  spoil(problem, options);
  EXPECT_THAT(refusal(problem, options), HasSubstr(field));
}

TEST(Input, RefusesListsOfTheWrongLength) {
  expect_refused([](Problem& p, Options&) { p.start = {1, 2, 3}; }, "start has 3 values");
  expect_refused([](Problem& p, Options&) { p.start_derivative = {1, 2, 3}; }, "start_derivative");
  expect_refused([](Problem& p, Options&) { p.variables = {"a"}; }, "variables has 1 names");
  expect_refused([](Problem& p, Options&) { p.equations = {"a", "b", "c"}; }, "equations has 3");
  expect_refused([](Problem& p, Options&) { p.variable_index = {1}; }, "variable_index");
  expect_refused([](Problem& p, Options&) { p.variable_index = {1, 4}; }, "variable_index of y2");
  expect_refused([](Problem&, Options& o) { o.atol = {1e-6, 1e-6, 1e-6}; }, "atol has 3 values");
}

TEST(Input, RefusesTwoVariablesOfOneName) {
  expect_refused([](Problem& p, Options&) { p.variables = {"a", "a"}; }, "variables");
}

TEST(Input, RefusesNumbersThatAreNotFinite) {
  expect_refused([](Problem& p, Options&) { p.start = {1, nan}; }, "start[1]");
  expect_refused([](Problem& p, Options&) { p.start_derivative = {infinity}; },
                 "start_derivative[0]");
  expect_refused([](Problem& p, Options&) { p.t_span = {0, infinity}; }, "t_span");
  expect_refused([](Problem& p, Options&) { p.t_span = {nan, 1}; }, "t_span");
}

TEST(Input, RefusesAnEmptyInterval) {
  expect_refused([](Problem& p, Options&) { p.t_span = {1, 1}; }, "t_span");
}

TEST(Input, RefusesTolerancesThatNoMethodCanMeet) {
  for (const double rtol : {0.0, -1e-3, 1.5, 1e-17, nan})
    expect_refused([=](Problem&, Options& o) { o.rtol = rtol; }, "rtol");
  for (const double atol : {0.0, -1.0, nan, infinity})
    expect_refused([=](Problem&, Options& o) { o.atol = {atol}; }, "atol[0]");
  expect_refused([](Problem&, Options& o) { o.atol = {1e-6, -1}; }, "atol[1]");
}

TEST(Input, RefusesStepsAndLimitsThatMakeNoSense) {
  for (const double step : {-0.1, nan, infinity}) {
    expect_refused([=](Problem&, Options& o) { o.fixed_step = step; }, "fixed_step");
    expect_refused([=](Problem&, Options& o) { o.first_step = step; }, "first_step");
  }
  expect_refused([](Problem&, Options& o) { o.max_step = 0; }, "max_step");
  expect_refused([](Problem&, Options& o) { o.max_steps = 0; }, "max_steps");
  expect_refused([](Problem&, Options& o) { o.time_limit = -1; }, "time_limit");
}

TEST(Input, RefusesNumbersOfStagesThatDoNotExist) {
  expect_refused([](Problem&, Options& o) { o.min_stages = 8; }, "min_stages");
  expect_refused([](Problem&, Options& o) { o.min_stages = 7, o.max_stages = 3; }, "min_stages");
  expect_refused([](Problem&, Options& o) { o.min_stages = o.max_stages = 4; }, "min_stages");
  expect_refused([](Problem&, Options& o) { o.min_stages = -3; }, "min_stages");
  expect_refused([](Problem&, Options& o) { o.max_stages = 100; }, "max_stages");
}

TEST(Input, RefusesOutputTimesOutsideOrGivenTwice) {
  expect_refused([](Problem&, Options& o) { o.at = {0.5, 1.5}; }, "at contains 1.5");
  expect_refused([](Problem&, Options& o) { o.at = {nan}; }, "at contains");
  expect_refused([](Problem&, Options& o) { o.points = 1; }, "points");
  expect_refused([](Problem&, Options& o) { o.points = -5; }, "points");
  expect_refused([](Problem&, Options& o) { o.points = 5, o.at = {0.5}; }, "points and at");
}

TEST(Input, NamesTheNearestMethods) {
  Options options;
  options.method = "radau_ia_55";
  EXPECT_THAT(refusal(valid(), options), AllOf(HasSubstr("radau_ia_5"), HasSubstr("method")));
  options.method = "";
  EXPECT_THAT(refusal(valid(), options), HasSubstr("method"));
}

TEST(Input, RefusesEventsWithoutAFunction) {
  expect_refused([](Problem&, Options& o) { o.events.push_back({"bounce"}); }, "bounce");
}

TEST(Input, RefusesReformulationOfWhatIsNotMechanics) {
  expect_refused([](Problem&, Options& o) { o.formulation = Formulation::index_1; }, "formulation");
}

void expect_form_refused(Form form, const char* field) {
  Problem problem;
  problem.form = std::move(form), problem.t_span = {0, 1};
  EXPECT_THAT(refusal(problem), HasSubstr(field));
}

TEST(Input, RefusesFormsWithoutTheirFunctions) {
  const auto two = [](auto, auto, auto) {};
  const auto one = [](auto, auto) {};
  expect_form_refused(FullyImplicit{1, {}}, "form.residual");
  expect_form_refused(LinearlyImplicit{1, {}, {}}, "form.f");
  expect_form_refused(SemiExplicit{1, 1, {}, two}, "form.f");
  expect_form_refused(SemiExplicit{1, 1, two, {}}, "form.g");
  expect_form_refused(HessenbergIndex2{1, 1, two, {}}, "form.g");
  expect_form_refused(HessenbergIndex3{1, 1, 1, two, {}, one}, "form.k");
  expect_form_refused(Mechanical{1, 0, 0, {}, {}}, "form.force");
  expect_form_refused(Mechanical{1, 1, 0, {}, two}, "form.constraint");
  expect_form_refused(Mechanical{1, 0, 1, {}, two}, "form.velocity_constraint");
  expect_form_refused(HigherOrder{1, 1, 1, two, {}, 1}, "form.g");
  expect_form_refused(SingularlyPerturbed{1, 1, 0, two, {}}, "form.g");
  expect_form_refused(LinearlyImplicit{1, {}, std::function<void(double, Input, Output)>()},
                      "form.f");
}

TEST(Input, RefusesFormsOfImpossibleSizes) {
  const auto two = [](auto, auto, auto) {};
  const auto one = [](auto, auto) {};
  expect_form_refused(FullyImplicit{0, two}, "form.size");
  expect_form_refused(FullyImplicit{-1, two}, "form.size");
  expect_form_refused(LinearlyImplicit{-2, {}, one}, "form.size");
  expect_form_refused(SemiExplicit{-1, 2, two, two}, "form.differential");
  expect_form_refused(SemiExplicit{0, 0, two, two}, "form.differential");
  expect_form_refused(HessenbergIndex2{1, 2, two, one}, "form.algebraic = 2");
  expect_form_refused(HessenbergIndex3{2, 1, 2, two, [](auto, auto, auto, auto) {}, one},
                      "form.velocity = 1");
  expect_form_refused(Mechanical{-1, 0, 0, {}, two}, "form.coordinates");
  expect_form_refused(Mechanical{2, 3, 0, {}, two, one}, "form.holonomic");
  expect_form_refused(Mechanical{2, -1, 0, {}, two, one}, "form.holonomic");
  expect_form_refused(HigherOrder{0, 1, 0, two, {}, 1}, "form.order");
  expect_form_refused(HigherOrder{1, 1, 1, two, two, 3}, "form.index");
  expect_form_refused(SingularlyPerturbed{1, 1, -1, two, two}, "form.epsilon");
  expect_form_refused(SingularlyPerturbed{1, 1, nan, two, two}, "form.epsilon");
}

TEST(Input, NamesTheSizeOfTheFormWhenOnlyTheStartIsGiven) {
  Problem problem;
  problem.form = LinearlyImplicit{0, {}, decay};
  problem.t_span = {0, 1}, problem.start = {1};
  EXPECT_THAT(refusal(problem), HasSubstr("form.size"));
}

TEST(Input, RefusesAMassOfTheWrongShape) {
  expect_form_refused(LinearlyImplicit{2, Matrix(Matrix::Identity(3, 3)), decay},
                      "form.mass is 3 x 3");
  expect_form_refused(LinearlyImplicit{2, Matrix(Matrix::Ones(2, 3)), decay}, "form.mass is 2 x 3");
  expect_form_refused(LinearlyImplicit{2, Mass::diagonal({1, 1, 1}), decay}, "mass");
  expect_form_refused(LinearlyImplicit{2, Mass::sparse({{-1, 0, 1.0}}), decay}, "mass");
  expect_form_refused(LinearlyImplicit{2, Mass::sparse({{0, 0, nan}}), decay}, "mass(0, 0)");
  const auto two = [](auto, auto, auto) {};
  expect_form_refused(Mechanical{2, 0, 0, Matrix(Matrix::Identity(3, 3)), two}, "form.mass");
  expect_form_refused(Mechanical{2, 0, 0, Mass::diagonal({1, 1, 1}), two}, "mass");
  expect_form_refused(Mechanical{1, 0, 0, Mass::sparse({{0, 0, nan}}), two}, "mass(0, 0)");
}

TEST(Input, TakesADiagonalMassThatIsTooShortForAMistake) {
  // Mass::diagonal({1}) for two equations would silently make the second one algebraic.
  expect_form_refused(LinearlyImplicit{2, Mass::diagonal({1}), decay}, "mass");
}

TEST(Input, WeighsEveryComponentWithItsOwnTolerance) {
  Problem problem;
  problem.form =
      LinearlyImplicit{2, {}, [](auto t, auto y, auto f) { f << -y[0], 1e-6 * cos(1e2 * t); }};
  problem.t_span = {0, 1}, problem.start = {1, 0};
  Options options;
  options.rtol = 1e-6, options.atol = {1e-6, 1e-6};
  const Solution loose = solve(problem, options);
  options.atol = {1e-6, 1e-13};
  const Solution tight = solve(problem, options);
  ASSERT_TRUE(tight.succeeded());
  EXPECT_GT(tight.statistics.steps, 3 * loose.statistics.steps);
  EXPECT_NEAR(tight.y_end()[1], 1e-8 * std::sin(1e2), 30e-13);
}

}  // namespace
}  // namespace daedalus
