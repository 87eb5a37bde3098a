// The model language against its definition: what each construct becomes in the tree.
#include "model/parse.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "model/diagnostic.h"
#include "model/print.h"
#include "syntax_dump.h"

namespace daedalus::model {
namespace {

std::string read(const std::string& name) {
  std::ifstream file(std::string(DAEDALUS_TEST_DATA_DIR "/models/") + name);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

Ast parse_file(const std::string& name) {
  return parse_model(read(name), name);
}

std::string dumped(std::string_view text) {
  return dump(parse_expression(text));
}

Model with_equations(const std::string& equations) {
  return parse_model("model M\nequation\n" + equations + "\nend M;", "m.mo").model;
}

std::string dumped_equation(const std::string& equation) {
  return dump(with_equations(equation).equations.at(0));
}

Declaration declared(const std::string& text) {
  return parse_model("model M\n" + text + "\nend M;", "m.mo").model.declarations.at(0);
}

TEST(Parse, ReadsThePendulum) {
  const Ast ast = parse_file("pendulum.mo");
  const Model& model = ast.model;
  EXPECT_EQ(model.name, "Pendulum");
  EXPECT_EQ(model.description, "planar pendulum in Cartesian coordinates, index 3");
  ASSERT_EQ(model.declarations.size(), 8u);
  const Declaration& mass = model.declarations[0];
  EXPECT_EQ(mass.prefix, Prefix::parameter);
  EXPECT_EQ(mass.type, Type::real);
  EXPECT_EQ(mass.name, "m");
  EXPECT_EQ(mass.description, "mass");
  EXPECT_EQ(dump(mass.binding), "1");
  const Declaration& y = model.declarations[4];
  EXPECT_EQ(y.name, "y");
  EXPECT_EQ(y.at.line, 5);
  EXPECT_EQ(y.at.column, 22);
  ASSERT_NE(y.attribute("fixed"), nullptr);
  EXPECT_EQ(dump(y.attribute("fixed")->value), "true");
  EXPECT_EQ(y.attribute("min"), nullptr);
  ASSERT_EQ(model.equations.size(), 5u);
  EXPECT_EQ(dump(model.equations[2]), "(= (* m (der() u)) (minus (* x lambda)))");
  EXPECT_EQ(dump(model.equations[3]), "(= (* m (der() v)) (- (minus (* y lambda)) (* m g)))");
  EXPECT_EQ(model.equations[4].label, "rod");
  EXPECT_EQ(model.equations[4].at.line, 13);
  ASSERT_TRUE(model.experiment);
  EXPECT_EQ(dump(model.experiment->stop_time), "10");
  EXPECT_EQ(dump(model.experiment->tolerance), "1e-08r");
  EXPECT_EQ(model.experiment->interval, nullptr);
}

TEST(Parse, BindsOperatorsAsModelicaDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"a + b*c", "(+ a (* b c))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a - (b - c)", "(- a (- b c))"},
      {"a/b/c*d", "(* (/ (/ a b) c) d)"},
      {"-x^2", "(minus (^ x 2))"},
      {"(-x)^2", "(^ (minus x) 2)"},
      {"-a*b", "(minus (* a b))"},
      {"-a + b", "(+ (minus a) b)"},
      {"+a - b", "(- (plus a) b)"},
      {"a*b^c", "(* a (^ b c))"},
      {"a .* b ./ c", "(./ (.* a b) c)"},
      {"a .^ b * c", "(* (.^ a b) c)"},
      {"2.*x", "(.* 2 x)"},
      {"2.^x", "(.^ 2 x)"},
      {"2.0*x", "(* 2r x)"},
      {"2. + x", "(+ 2r x)"},
      {"a + b < c*d", "(< (+ a b) (* c d))"},
      {"not a < b", "(not (< a b))"},
      {"not a and b", "(and (not a) b)"},
      {"a or b and c", "(or a (and b c))"},
      {"a and b or c and d", "(or (and a b) (and c d))"},
      {"a == b and c <> d", "(and (== a b) (<> c d))"},
      {"a >= b or a <= c or a > d", "(or (or (>= a b) (<= a c)) (> a d))"},
      {"1:n + 1", "(range 1 - (+ n 1))"},
      {"1:2*k:n", "(range 1 (* 2 k) n)"},
      {"if a then b else c + d", "(if a b (+ c d))"},
      {"if a then b elseif c then d else if e then f else g", "(if a b c d (if e f g))"},
      {"(if a then b else c) + d", "(+ (if a b c) d)"},
      {"if a < 1 or b then 1:2 else 3:4", "(if (or (< a 1) b) (range 1 - 2) (range 3 - 4))"},
  };
  for (const auto& [text, structure] : cases) EXPECT_EQ(dumped(text), structure) << text;
}

TEST(Parse, ReadsEveryKindOfOperand) {
  const std::pair<const char*, const char*> cases[] = {
      {"12", "12"},
      {"1.5e-3", "0.0015r"},
      {"1E2", "100r"},
      {"true and false", "(and true false)"},
      {"time - startTime + finalTime", "(+ (- <time> <start>) <final>)"},
      {"\"a\\\"b\\n\"", "\"a\"b\n\""},
      {"x[1, i + 1]", "(x[] 1 (+ i 1))"},
      {"x[:, 2:3]", "(x[] : (range 2 - 3))"},
      {"x[end - 1]", "(x[] (- <end> 1))"},
      {"a.b.c[2]", "(a.b.c[] 2)"},
      {"pipe[2].p[3]", "(pipe[2].p[] 3)"},
      {"a[1,2].b", "a[1,2].b"},
      {"'body.r[1]' + 'it\\'s'[2]", "(+ 'body.r[1]' ('it\\'s'[] 2))"},
      {"der(x)", "(der() x)"},
      {"der(x, 2)", "(der() x 2)"},
      {"f()", "(f())"},
      {"Modelica.Math.atan2(y, x)", "(Modelica.Math.atan2() y x)"},
      {"initial()", "(initial())"},
      {"{1, 2, x}", "({} 1 2 x)"},
      {"{{1}, {2}}", "({} ({} 1) ({} 2))"},
      {"{i*j for i in 1:2, j in s}", "(each (* i j) (i in (range 1 - 2)) (j in s))"},
      {"sum(x[i] for i in 1:N)", "(sum() (each (x[] i) (i in (range 1 - N))))"},
      {"[1, 2; 3, 4]", "(matrix (row 1 2) (row 3 4))"},
      {"[x]", "(matrix (row x))"},
      {"size(A, 1)", "(size() A 1)"},
      {"smooth(1, noEvent(x))", "(smooth() 1 (noEvent() x))"},
  };
  for (const auto& [text, structure] : cases) EXPECT_EQ(dumped(text), structure) << text;
}

TEST(Parse, ReadsDeclarations) {
  Declaration d =
      declared("parameter Real A[2,3](each start = 1, unit = \"m\") = B \"a\" + \"b\";");
  EXPECT_EQ(dump(d.dimensions), " 2 3");
  ASSERT_EQ(d.attributes.size(), 2u);
  EXPECT_TRUE(d.attributes[0].each);
  EXPECT_EQ(d.attributes[1].text, "\"m\"");
  EXPECT_EQ(dump(d.binding), "B");
  EXPECT_EQ(d.description, "ab");

  d = declared("discrete Integer n(start = 0);");
  EXPECT_EQ(d.prefix, Prefix::discrete);
  EXPECT_EQ(d.type, Type::integer);
  EXPECT_EQ(declared("constant Boolean b = true;").type, Type::boolean);
  EXPECT_EQ(declared("constant Integer n = 1;").prefix, Prefix::constant);
  EXPECT_TRUE(declared("final parameter Real p = 1;").is_final);
  EXPECT_TRUE(declared("protected Real p;").is_protected);
  EXPECT_FALSE(declared("protected public Real p;").is_protected);
  EXPECT_EQ(dump(declared("Real[3] v[2];").dimensions), " 2 3");
  EXPECT_EQ(declared("Real pipe[2].p[3];").name, "pipe[2].p");
  EXPECT_EQ(declared("Real 'a b';").name, "'a b'");
}

TEST(Parse, KeepsOtherAttributesAsText) {
  const Declaration d = declared(
      "Real x(stateSelect = StateSelect.prefer, final quantity = \"L\" , nested(a = 1, b(c = "
      "2)));");
  ASSERT_EQ(d.attributes.size(), 3u);
  EXPECT_EQ(d.attributes[0].text, "StateSelect.prefer");
  EXPECT_EQ(d.attributes[1].text, "\"L\"");
  EXPECT_EQ(d.attributes[2].text, "(a = 1, b(c = 2))");
  EXPECT_EQ(d.attributes[2].value, nullptr);
}

TEST(Parse, ReadsEquations) {
  const std::pair<const char*, const char*> cases[] = {
      {"x = y;", "(= x y)"},
      {"(if a then b else c) = 0;", "(= (if a b c) 0)"},
      {"for i in 1:2, j in r loop x[i,j] = 0; end for;",
       "(for (i in (range 1 - 2)) (j in r) [(= (x[] i j) 0);])"},
      {"if a then x = 1; elseif b then x = 2; else x = 3; end if;",
       "(if a [(= x 1);] b [(= x 2);] [(= x 3);])"},
      {"if a then end if;", "(if a [])"},
      {"when x > 1 then reinit(x, -x); v = 2; elsewhen b then terminate(\"end\"); end when;",
       "(when (> x 1) [(reinit x (minus x));(= v 2);] b [(terminate \"end\");])"},
      {"assert(x > 0, \"x\" + \"y\");", "(assert (> x 0) (+ \"x\" \"y\"))"},
  };
  for (const auto& [text, structure] : cases) EXPECT_EQ(dumped_equation(text), structure) << text;
  EXPECT_EQ(with_equations("x = y \"one\" + \" two\" annotation(a = 1);").equations[0].label,
            "one two");
}

TEST(Parse, SortsEquationsIntoTheirSections) {
  const Model model = parse_model(
                          "model M Real x; initial equation x = 1; equation x = 2; x = 3;"
                          "constraint x(startTime) = 4; x[2](0.5) = 1; der(x)(finalTime) = 5;"
                          "equation x = 6; protected Real y; end M;",
                          "m.mo")
                          .model;
  EXPECT_EQ(model.equations.size(), 3u);
  ASSERT_EQ(model.initial_equations.size(), 1u);
  ASSERT_EQ(model.constraints.size(), 3u);
  EXPECT_EQ(dump(model.constraints[0]), "(= (x() <start>) 4)");
  EXPECT_EQ(dump(model.constraints[1]), "(= (at (x[] 2) 0.5r) 1)");
  EXPECT_EQ(dump(model.constraints[2]), "(= (at (der() x) <final>) 5)");
  EXPECT_EQ(model.declarations.size(), 2u);
}

TEST(Parse, ReadsFunctions) {
  const Ast ast = parse_file("with_functions.mo");
  ASSERT_EQ(ast.functions.size(), 2u);
  const Function& saturate = ast.functions[0];
  EXPECT_EQ(saturate.name, "saturate");
  EXPECT_EQ(saturate.description, "between two bounds");
  ASSERT_EQ(saturate.declarations.size(), 4u);
  EXPECT_EQ(saturate.declarations[1].causality, Causality::input);
  EXPECT_EQ(dump(saturate.declarations[1].binding), "(minus 1)");
  EXPECT_EQ(saturate.declarations[3].causality, Causality::output);
  EXPECT_EQ(dump(saturate.statements.at(0)),
            "(if (< x low) [(:= y low);] (> x high) [(:= y high);] [(:= y x);])");
  const Function& norm = ast.functions[1];
  EXPECT_EQ(dump(norm.declarations[0].dimensions), " :");
  EXPECT_TRUE(norm.declarations[2].is_protected);
  EXPECT_EQ(dump(norm.statements.at(1)),
            "(for (i in (range 1 - (size() v 1))) [(:= s (+ s (^ (v[] i) 2)));])");
}

TEST(Parse, AcceptsWhatFlattenersWrite) {
  const Model model = parse_file("flattened.mo").model;
  EXPECT_EQ(model.name, "'Rig.Test'");
  EXPECT_EQ(unquoted(model.name), "Rig.Test");
  EXPECT_EQ(model.declarations.at(1).name, "body.frame.r0");
  EXPECT_EQ(unquoted(model.declarations.at(5).name), "$hidden 'x'");
}

TEST(Parse, ReadsTheExamplesOfTheGuide) {
  std::ifstream guide(DAEDALUS_TEST_DATA_DIR "/../../docs/guide/model-language.md");
  std::string examples;
  bool inside = false;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("```")) {
      inside = line == "```modelica";
    } else if (inside) {
      examples += line + "\n";
    }
  }
  const Ast ast = parse_model(examples, "model-language.md");
  EXPECT_EQ(ast.model.equations.size(), 5u);
  EXPECT_EQ(ast.functions.size(), 1u);
}

TEST(Parse, AcceptsByteOrderMarkAndWindowsLines) {
  const Ast ast = parse_model("\xef\xbb\xbfmodel M\r\n  Real x;\r\nend M;\r\n", "m.mo");
  EXPECT_EQ(ast.model.at.column, 7);
  EXPECT_EQ(ast.model.declarations.at(0).at.line, 2);
  EXPECT_EQ(ast.model.declarations.at(0).at.column, 8);
}

TEST(Parse, IgnoresOtherAnnotations) {
  const Model model = with_equations(
      "annotation(Icon(a = {1, [2; 3]}), experiment(StopTime = 2, Interval = 1/10, x = 3),"
      "Documentation(info = \"<html>\n(</html>\"), version = \"1\");");
  EXPECT_EQ(dump(model.experiment->stop_time), "2");
  EXPECT_EQ(dump(model.experiment->interval), "(/ 1 10)");
}

TEST(Parse, KeepsChainsFlatSoThatLongSumsAreShallow) {
  std::string text = "x";
  for (int i = 0; i < 100000; ++i) text += " + x";
  const Expression sum = parse_expression(text);
  EXPECT_EQ(as<Chain>(sum)->links.size(), 100000u);
  EXPECT_EQ(to_text(sum), text);
}

TEST(Parse, SpansCoverTheirText) {
  const std::string text = "a + f(b, c[2])*(d - 1)";
  const Expression sum = parse_expression(text);
  const auto* chain = as<Chain>(sum);
  ASSERT_NE(chain, nullptr);
  const Span& product = chain->links[0].operand->at;
  EXPECT_EQ(text.substr(product.offset, product.length), "f(b, c[2])*(d - 1)");
  EXPECT_EQ(product.column, 5);
  EXPECT_EQ(chain->links[0].at.column, 3);
}

TEST(Print, UsesFewParentheses) {
  const char* unchanged[] = {"-x^2",
                             "(-x)^2",
                             "a - (b - c)",
                             "a - b - c",
                             "a/(b*c)",
                             "(a + b)*c",
                             "-(a + b)",
                             "-a + b",
                             "a*(-b)",
                             "not (a and b)",
                             "not a < b",
                             "(a or b) and c",
                             "if a then b else c",
                             "1 + (if a then b else c)",
                             "{1, 2}",
                             "[1, 2; 3, 4]",
                             "x[1,:,2:end]",
                             "1:2:9",
                             "(1:3) + x",
                             "sum(x[i] for i in 1:3)",
                             "max({x[i] for i in 1:3}, 2)",
                             "der(x, 2)",
                             "a .* b ./ c",
                             "1.5",
                             "2.0",
                             "1e-08",
                             "\"a\\\"b\"",
                             "(a < b) == c",
                             "(a^b)^c",
                             "a^(b^c)",
                             "time"};
  for (const char* text : unchanged) EXPECT_EQ(to_text(parse_expression(text)), text);
  EXPECT_EQ(to_text(parse_expression("((a)*(b))+(c)")), "a*b + c");
  EXPECT_EQ(to_text(parse_expression("((a^b))")), "a^b");
  const Number negative{-1.5, false};  // no text has it, but a computed tree may
  EXPECT_EQ(to_text(make(negative, {})), "-1.5");
}

void expect_round_trip(const Equations& equations) {
  for (const Equation& equation : equations) {
    const std::string text = to_text(equation);
    EXPECT_EQ(dumped_equation(text + ";"), dump(equation)) << text;
  }
}

TEST(Print, GivesTextOfTheSameTree) {
  for (const auto& file : std::filesystem::directory_iterator(DAEDALUS_TEST_DATA_DIR "/models")) {
    const Ast ast = parse_file(file.path().filename());
    expect_round_trip(ast.model.equations);
    expect_round_trip(ast.model.initial_equations);
    for (const Declaration& each : ast.model.declarations) {
      if (!each.binding) continue;
      EXPECT_EQ(dumped(to_text(each.binding)), dump(each.binding));
    }
    for (const Equation& each : ast.model.constraints) {
      const Model again =
          parse_model("model M constraint " + to_text(each) + "; end M;", "m.mo").model;
      EXPECT_EQ(dump(again.constraints.at(0)), dump(each));
    }
    for (const Function& function : ast.functions) {
      for (const Statement& each : function.statements) {
        const Ast again = parse_model(
            "function f algorithm " + to_text(each) + "; end f; model M end M;", "m.mo");
        EXPECT_EQ(dump(again.functions.at(0).statements.at(0)), dump(each));
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::model
