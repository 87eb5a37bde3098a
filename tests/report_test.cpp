#include "daedalus/report.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/mathematics.h"
#include "report/thinning.h"

namespace daedalus {
namespace {

using report::mathematics;
using testing::HasSubstr;
using testing::Not;

std::string inside(const std::string& infix) {
  const std::string markup = mathematics(infix), open = "<math display=\"block\">";
  if (markup.rfind(open, 0) != 0) return markup;
  return markup.substr(open.size(), markup.size() - open.size() - 7);
}

/// What a reader sees: the text without elements; fractions as a÷b, superscripts unmarked.
std::string visible(const std::string& infix) {
  std::string text;
  bool in_tag = false;
  for (const char c : inside(infix)) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  return text;
}

TEST(Mathematics, TypesetsTheEquationOfThePendulum) {
  EXPECT_EQ(inside("der(x, 2) = -x*lambda/m"),
            "<mrow><mover accent=\"true\"><mi>x</mi><mo stretchy=\"false\">¨</mo></mover><mo>=</mo>"
            "<mrow><mo>−</mo><mfrac><mrow><mrow><mi>x</mi><mspace width=\"0.17em\"/><mi>λ</mi>"
            "</mrow></mrow><mrow><mi>m</mi></mrow></mfrac></mrow></mrow>");
}

TEST(Mathematics, KeepsParenthesesOnlyWhereTheyMatter) {
  EXPECT_EQ(visible("(a + b)/(c + d)"), "a+bc+d");  // a fraction shows the grouping
  EXPECT_EQ(visible("(a + b)*c"), "(a+b)c");
  EXPECT_EQ(visible("a - (b - c)"), "a−(b−c)");
  EXPECT_EQ(visible("(a*b)*c"), "abc");
  EXPECT_EQ(visible("(a + b) + c"), "a+b+c");
  EXPECT_EQ(visible("(x/y)^2"), "(xy)2");
  EXPECT_EQ(visible("-(a + b)"), "−(a+b)");
  EXPECT_EQ(visible("2^(-n)"), "2−n");
  EXPECT_EQ(visible("sqrt(x + y)"), "x+y");
}

TEST(Mathematics, SubscriptsIndicesAndSuffixes) {
  EXPECT_EQ(inside("q[1]"), "<msub><mi>q</mi><mrow><mn>1</mn></mrow></msub>");
  EXPECT_EQ(inside("A[1,2]"), "<msub><mi>A</mi><mrow><mn>1</mn><mo>,</mo><mn>2</mn></mrow></msub>");
  EXPECT_EQ(inside("omega_max"), "<msub><mi>ω</mi><mrow><mi>max</mi></mrow></msub>");
  EXPECT_EQ(inside("x1^2"),
            "<msubsup><mi>x</mi><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></msubsup>");
  EXPECT_EQ(visible("body.frame.x"), "body.frame.x");
}

TEST(Mathematics, WritesDerivativesAsDotsOrQuotients) {
  EXPECT_EQ(visible("der(x) = v"), "x˙=v");
  EXPECT_EQ(visible("der(der(q[1]))"), "q¨1");
  EXPECT_EQ(visible("x'' = 0"), "x¨=0");
  EXPECT_EQ(visible("der(x, 3)"), "d3xdt3");
  EXPECT_EQ(visible("der(temperature)"), "dtemperaturedt");
  EXPECT_EQ(visible("der(x + y)"), "ddt(x+y)");
}

TEST(Mathematics, ReadsFunctionsNumbersAndConditions) {
  EXPECT_EQ(visible("1.5e-3*x"), "1.5·10−3x");
  EXPECT_EQ(visible("2*3"), "2·3");
  EXPECT_EQ(visible("mass*g"), "mass·g");
  EXPECT_EQ(visible("exp(-t)"), "e−t");
  EXPECT_EQ(visible("abs(x)"), "|x|");
  EXPECT_EQ(visible("sin(theta)^2 + log(x)"), "sin2(θ)+ln(x)");
  EXPECT_EQ(visible("if x > 0 then 1 else -1"), "{1if x&gt;0−1otherwise");
  EXPECT_EQ(visible("a <= b and not c"), "a≤b∧¬c");
}

TEST(Mathematics, ShowsWhatItCannotReadAsItIs) {
  EXPECT_EQ(mathematics("x = <b>"), "<code>x = &lt;b&gt;</code>");
  EXPECT_EQ(mathematics("sum(q[i] for i in 1:3)"), "<code>sum(q[i] for i in 1:3)</code>");
  EXPECT_EQ(mathematics(""), "<code></code>");
  EXPECT_EQ(mathematics("a +"), "<code>a +</code>");
  EXPECT_THAT(mathematics(std::string(1500, '(')), HasSubstr("<code>((("));
  EXPECT_THAT(mathematics(std::string(1500, '-') + "x"), HasSubstr("<code>---"));
}

TEST(Thinning, KeepsEveryPeakAndBothEnds) {
  std::vector<double> y(100'000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(1e-3 * static_cast<double>(i));
  y[33'333] = 7;
  y[66'666] = -7;
  const auto rows = report::thinned_rows(y.data(), 1, y.size(), 5000);
  EXPECT_LE(rows.size(), 5000u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), y.size() - 1);
  EXPECT_THAT(rows, testing::IsSupersetOf({33'333u, 66'666u}));
}

TEST(Thinning, KeepsAllOfFewPoints) {
  const std::vector<double> y = {1, 2, 3};
  EXPECT_THAT(report::thinned_rows(y.data(), 1, 3, 5000), testing::ElementsAre(0, 1, 2));
  EXPECT_TRUE(report::thinned_rows(y.data(), 1, 0, 5000).empty());
}

TEST(Thinning, LetsNumbersWinOverNaN) {
  std::vector<double> y(100, std::nan(""));
  y[50] = 1;
  EXPECT_THAT(report::thinned_rows(y.data(), 1, y.size(), 10), testing::Contains(50u));
}

Solution small() {
  Solution solution;
  solution.variables = {"x", "</script>"};
  solution.t = {0, 1};
  solution.values = {1, std::nan(""), 3, 4};
  solution.method = "radau";
  return solution;
}

nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Report, HoldsTheDataOfThePlots) {
  Solution solution = small();
  solution.steps = {{1, 0.5, 5}};
  solution.constraint_residual = {{"position", 1e-9, 0, "rod"}};
  solution.step_residuals = {1e-9};
  solution.events = {{0.5, 0, "ground"}};
  solution.singularities = {{0.25, 1e-8, "regularised"}};
  const nlohmann::json data = data_of(html_report(solution, {}));
  EXPECT_EQ(data["t"].dump(), "[0,1]");
  EXPECT_EQ(data["variables"][0]["y"].dump(), "[1,3]");
  EXPECT_EQ(data["variables"][1]["name"], "</script>");
  EXPECT_EQ(data["variables"][1]["y"].dump(), "[null,4]");
  EXPECT_EQ(data["step_size"]["y"].dump(), "[0.5]");
  EXPECT_EQ(data["order"]["y"].dump(), "[5]");
  EXPECT_EQ(data["residuals"][0]["name"], "position");
  EXPECT_EQ(data["marks"].size(), 2u);
}

TEST(Report, SaysWhatIsNeededToRepeatTheRun) {
  ReportContent content;
  content.title = "Pendulum";
  content.equations = {{"rod", "x^2 + y^2 = L^2"}, {"given", "<b>bold</b>", true}};
  content.settings = {{"rtol", "1e-8"}};
  content.command = "daedalus solve pendulum.mo";
  const std::string page = html_report(small(), content);
  for (const char* part : {"<title>Pendulum</title>", "<msup><mi>x</mi>", "<b>bold</b>", "rtol",
                           "1e-8", "daedalus solve pendulum.mo", "radau", "Dan Vanderkam"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(Report, EscapesEverythingThatIsText) {
  Solution solution = small();
  const std::string evil = "<img src=x>&\"";
  solution.status = Status::failed;
  solution.message = {evil, evil, evil, evil};
  solution.method = solution.formulation = solution.jacobian = evil;
  solution.events = {{0.5, 0, evil}};
  solution.singularities = {{0.25, 1e-8, evil}};
  solution.constraint_residual = {{evil, 1e-9, 0, evil}};
  solution.variables[0] = evil;
  solution.start_shift = {1, 0};
  ReportContent content;
  content.title = content.description = content.command = content.model = content.date = evil;
  content.version = evil;
  content.equations = {{evil, evil}};
  content.hidden_constraints = {{evil, evil}};
  content.warnings = {evil};
  content.parameters = content.settings = content.variables = {{evil, evil}};
  EXPECT_THAT(html_report(solution, content), Not(HasSubstr("<img")));
}

TEST(Report, ShowsAFailureWithItsFourParts) {
  Solution solution = small();
  solution.status = Status::failed;
  solution.message = {"step too small", "at t = 1", "singular", "regularise"};
  const std::string page = html_report(solution, {});
  for (const char* part : {"Failed: step too small", "at t = 1", "singular", "regularise"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(html_report(small(), {}), Not(HasSubstr("Failed")));
}

TEST(Report, OfManyPointsStaysSmallAndSaysSo) {
  Solution solution;
  for (int k = 0; k < 3000; ++k) solution.variables.push_back("u[" + std::to_string(k + 1) + "]");
  for (int i = 0; i < 1000; ++i) {
    solution.t.push_back(i * std::numbers::pi);
    for (int k = 0; k < 3000; ++k) solution.values.push_back(std::sin(i + k));
  }
  const std::string page = html_report(solution, {});
  EXPECT_LT(page.size(), 8'000'000u);
  EXPECT_THAT(page, HasSubstr("200 of 1000 points"));
  EXPECT_THAT(page, HasSubstr("The first 1000 of 3000 variables"));
}

TEST(Report, OfNothingIsStillAPage) {
  EXPECT_THAT(html_report({}, {}), HasSubstr("</html>"));
}

TEST(Report, LoadsNothingFromElsewhere) {
  const std::string page = html_report(small(), {});
  for (const char* part : {"src=\"http", "href=", "@import", "url(http", "sourceMappingURL"})
    EXPECT_THAT(page, Not(HasSubstr(part)));
}

}  // namespace
}  // namespace daedalus
