// Wrong texts: the message says what is wrong, exactly where, and what to do.
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/diagnostic.h"
#include "model/parse.h"

namespace daedalus::model {
namespace {

using ::testing::HasSubstr;

struct Wrong {
  std::string text;
  int line;
  int column;
  std::string message;
  std::string hint;
};

void expect_errors(const std::vector<Wrong>& cases) {
  for (const Wrong& each : cases) {
    try {
      parse_model(each.text, "m.mo");
      ADD_FAILURE() << "accepted: " << each.text;
    } catch (const ModelError& error) {
      EXPECT_THAT(error.message(), HasSubstr(each.message)) << error.text();
      EXPECT_THAT(error.hint(), HasSubstr(each.hint)) << error.text();
      EXPECT_EQ(error.line(), each.line) << error.text();
      EXPECT_EQ(error.column(), each.column) << error.text();
    }
  }
}

// Line 4 of a model.
std::string equation(const std::string& text) {
  return "model M\n  Real x;\nequation\n  " + text + "\nend M;\n";
}
// Line 2 of a model.
std::string declaration(const std::string& text) {
  return "model M\n  " + text + "\nend M;\n";
}
// Line 5 of a text.
std::string statement(const std::string& text) {
  return "function f\n  input Real x;\n  output Real y;\nalgorithm\n  " + text +
         "\nend f;\nmodel M\nend M;\n";
}

TEST(SyntaxError, NamesMissingAndSuperfluousPunctuation) {
  expect_errors({
      {equation("der(x) = 1"), 4, 13, "expected ';' at the end of the equation", ""},
      {equation("x = 1\n  -y = 3;"), 5, 6, "an equation has only one '='", "';' missing"},
      {declaration("Real x"), 2, 9, "expected ';' at the end of the declaration", ""},
      {declaration("Real x;;"), 2, 10, "expected a declaration", "one ';' is enough"},
      {"model M;\nend M;", 1, 8, "expected a declaration but found ';'", "no ';'"},
      {equation("x = (1 + 2;"), 4, 13, "expected ')' to close '(' but found ';'", ""},
      {equation("x = f(1,\n 2;"), 5, 3, "expected ')' to close the '(' of line 4", ""},
      {equation("x = {1, 2);"), 4, 12, "expected '}' to close '{'", ""},
      {equation("x = y[1;"), 4, 10, "expected ']' to close '['", ""},
      {equation("x = f(1, );"), 4, 12, "expected an expression but found ')'", ""},
      {declaration("Real x(start = 1;"), 2, 19, "expected ')' to close '('", ""},
      {declaration("Real x(start 1);"), 2, 16, "expected '=' after the attribute 'start'",
       "start ="},
      {declaration("Real x(start = 1, start = 2);"), 2, 21, "'start' is given twice", ""},
      {declaration("Real x,"), 2, 10, "expected the name of a variable", ""},
  });
}

TEST(SyntaxError, TellsTheKindsOfEqualSignsApart) {
  expect_errors({
      {equation("x == 1;"), 4, 5, "an equation is written with '=', not '=='", "compares"},
      {equation("x := 1;"), 4, 5, "an equation is written with '=', not ':='", "functions"},
      {equation("x = = 1;"), 4, 7, "expected an expression but found '='", "'=='"},
      {equation("x = if x = 1 then 2 else 3;"), 4, 12, "expected 'then'", "write '=='"},
      {declaration("Real x := 1;"), 2, 10, "with '=', not ':='", ""},
      {statement("y = x;"), 5, 5, "an assignment is written with ':=', not '='", ""},
      {statement("2*y := x;"), 5, 3, "must be a variable", ""},
      {equation("f(x);"), 4, 7, "expected '=' in the equation but found ';'", "a call alone"},
      {equation("x = ;"), 4, 7, "expected an expression but found ';'", ""},
      {equation("x ="), 4, 6, "expected an expression after '='", ""},
      {equation("x = f(a = 1);"), 4, 9, "named argument 'a'", "in their order"},
  });
}

TEST(SyntaxError, NamesWhatIsNotClosed) {
  expect_errors({
      {"model M\n  Real x;\n", 2, 10, "expected 'end M;' but the text ends", "end M;"},
      {"model M\nend N;\n", 2, 5, "the model 'M' ends with 'end N'", "write 'end M;'"},
      {"model M\nend;\n", 2, 4, "expected 'M' after 'end' but found ';'", "write 'end M;'"},
      {"model M\nend M", 2, 6, "expected ';' after 'end M' but the text ends", ""},
      {"function f\nalgorithm\nend g;", 3, 5, "the function 'f' ends with 'end g'", "end f;"},
      {equation("for i in 1:3 loop\n x = 1;\n end if;"), 6, 6, "expected 'end for'", "end for;"},
      {equation("for i in 1:3 loop\n x = 1;"), 6, 1, "the 'for' of line 4 is not closed", ""},
      {equation("if a then\n  x = 1;\nelse if b then\n  x = 2;\nend if;"), 9, 1,
       "the 'if' of line 4 is not closed", "'elseif' does not"},
      {equation("when a then\nequation"), 5, 1, "the 'when' of line 4 is not closed", "end when"},
      {equation("x = 1; end for;"), 4, 14, "'end for' closes nothing here", "remove it"},
      {"model M /* comment\nend M;", 1, 9, "this comment is never closed", "*/"},
      {declaration("Real x \"length;"), 2, 10, "this string is never closed", "close it"},
      {"model M \"text\n  Real x \"length\";\nend M;", 2, 11, "unknown type 'length'",
       "the string of line 1 goes on over several lines"},
      {declaration("Real 'x;"), 2, 8, "quoted name", ""},
  });
}

TEST(SyntaxError, HelpsWithFrequentSlips) {
  expect_errors({
      {equation("der x = 1;"), 4, 7, "expected '(' after 'der'", "write der(x)"},
      {equation("x = 2x;"), 4, 8, "but found 'x'", "write 2*x"},
      {equation("x = a b;"), 4, 9, "but found 'b'", "operator missing"},
      {equation("x = 2*-x;"), 4, 9, "found '-'", "parentheses: a * (-b)"},
      {equation("x = 2^x^2;"), 4, 10, "powers cannot follow", "(a^b)^c or a^(b^c)"},
      {equation("x = if 1 < y < 2 then 1 else 2;"), 4, 16, "comparisons cannot follow", "and"},
      {equation("x = 1 + if a then 1 else 2;"), 4, 11, "found 'if'", "in parentheses"},
      {equation("x = if a then 1;"), 4, 18, "expected 'else'", "every case"},
      {equation("x = .5;"), 4, 7, "found '.'", "0.5"},
      {equation("x = a && b;"), 4, 9, "found '&&'", "write 'and'"},
      {equation("x = a != b;"), 4, 9, "found '!='", "'<>'"},
      {equation("x = a ** b;"), 4, 9, "found '**'", "a^b"},
      {equation("x = a .+ b;"), 4, 9, "found '.+'", "element by element"},
      {equation("# note"), 4, 3, "found '#'", "//"},
      {equation("for i = 1:3 loop x = 1; end for;"), 4, 9, "expected 'in'", "for i in 1:N"},
      {equation("for i in 1:3\n x = 1; end for;"), 4, 15, "expected 'loop'", ""},
      {equation("x = a[i].b;"), 4, 8, "must be a whole number", "no records"},
      {equation("x = end;"), 4, 7, "found 'end'", "x[end]"},
      {equation("x = {};"), 4, 7, "needs an element", "zeros(0)"},
      {equation("x = 1e999;"), 4, 7, "outside the range", "1.8e308"},
      {equation("x = \"a\\q\";"), 4, 7, "unknown escape '\\q'", "backslash"},
      {equation("x = f(i for i in 1:2);"), 4, 11, "'for' is not possible", "{e for i in r}"},
  });
}

TEST(SyntaxError, KnowsWhereThingsBelong) {
  expect_errors({
      {declaration("der(x) = 1;"), 2, 3, "expected a declaration but found 'der'", "'equation'"},
      {declaration("x = 1;"), 2, 3, "expected a declaration but found 'x'", "'equation'"},
      {equation("parameter Real y;"), 4, 3, "a declaration cannot stand here", "above 'equation'"},
      {equation("Real y;"), 4, 3, "a declaration cannot stand here", "above 'equation'"},
      {statement("Real z;"), 5, 3, "a declaration cannot stand here", "above 'algorithm'"},
      {"model M\nequations\n  x = 1;\nend M;", 2, 1, "unknown section 'equations'", "'equation'?"},
      {"model M\ninital equation\nend M;", 2, 1, "unknown section 'inital'", "'initial'?"},
      {declaration("real x;"), 2, 3, "unknown type 'real'", "'Real'?"},
      {declaration("parmeter Real x;"), 2, 3, "unknown type 'parmeter'", "'parameter'?"},
      {declaration("double x;"), 2, 3, "unknown type 'double'", "Real"},
      {declaration("SI.Mass m;"), 2, 3, "unknown type 'SI.Mass'", "unit"},
      {declaration("parameter p = 1;"), 2, 13, "'p' has no type", "parameter Real p"},
      {declaration("Real end;"), 2, 8, "'end' is a reserved word", "another name"},
      {declaration("Real time;"), 2, 8, "'time' has a meaning of its own", "another name"},
      {declaration("Real x, Real y;"), 2, 11, "cannot be declared", "type once"},
      {equation("reinit(x, 1);"), 4, 3, "'reinit' can stand only inside 'when'", ""},
      {equation("when a then 2*x = 1; end when;"), 4, 15, "must be a variable", "reinit"},
      {equation("when a then when b then x = 1; end when; end when;"), 4, 15,
       "'when' cannot stand inside", ""},
      {"model M\ninitial equation\n  when a then x = 1; end when;\nend M;", 3, 3,
       "only in the equation section", ""},
      {equation("x[1](0.5) = 1;"), 4, 7, "belongs in 'constraint'", ""},
      {equation("assert(x);"), 4, 3, "wrong arguments of 'assert'", "assert(condition"},
      {"function f\n  Real x;\nalgorithm\nend f;", 2, 3, "neither input nor output", "protected"},
      {"function f\n  input Real x;\nequation\nend f;", 3, 1, "a function has no equations", ":="},
      {"function f\nalgorithm\nend f;", 3, 7, "there is no model", "model NAME"},
      {"", 1, 1, "there is no model", "model NAME"},
      {"hello", 1, 1, "expected 'model' or 'function' but found 'hello'", ""},
      {"model M\nend M;\nmodel N\nend N;", 3, 1, "a second model", "one model"},
  });
}

TEST(SyntaxError, NamesUnsupportedConstructs) {
  std::vector<Wrong> cases;
  for (const char* word :
       {"extends", "import", "connector", "record", "type", "inner", "outer", "redeclare",
        "replaceable", "flow", "stream", "partial", "package", "block", "class", "encapsulated"}) {
    const std::string message = fmt::format("'{}' is not supported", word);
    cases.push_back({declaration(std::string(word) + " A;"), 2, 3, message, ""});
    cases.push_back({std::string(word) + " A end A;", 1, 1, message, ""});
  }
  cases.insert(
      cases.end(),
      {
          {equation("connect(a, b);"), 4, 3, "'connect' is not supported", "equations"},
          {"model M\nalgorithm\nend M;", 2, 1, "'algorithm' is not supported in a model", ""},
          {"model M\ninitial algorithm\nend M;", 2, 9, "'algorithm' is not supported", ""},
          {"within P;\nmodel M end M;", 1, 1, "'within' is not supported", ""},
          {"optimization M end M;", 1, 1, "'optimization' is not supported", "constraint"},
          {"model M = N;", 1, 9, "short form", "in full"},
          {"function f\nexternal \"C\";\nend f;", 2, 1, "'external' is not supported", ""},
          {declaration("input Real u;"), 2, 3, "'input' is not supported in a model", "parameter"},
          {declaration("output Real u;"), 2, 3, "'output' is not supported", "leave the word out"},
          {declaration("Real x if b;"), 2, 10, "conditional declarations", ""},
          {declaration("String s;"), 2, 3, "type 'String' is not supported", ""},
          {declaration("function f end f;"), 2, 3, "cannot stand inside a model", "before"},
          {equation("(x, y) = f(1);"), 4, 3, "a list of results", "one result"},
          {statement("while x > 1 loop\n y := 1;\n end while;"), 5, 3, "'while' is not", "for"},
          {statement("return;"), 5, 3, "'return' is not supported", ""},
          {statement("break;"), 5, 3, "'break' is not supported", ""},
      });
  expect_errors(cases);
}

TEST(SyntaxError, LimitsNesting) {
  const std::string deep(201, '(');
  expect_errors({{declaration("Real x = " + deep), 2, 12 + 200, "nested deeper than 200", ""}});
  std::string blocks;
  for (int i = 0; i < 1000; ++i) blocks += "if a then ";
  expect_errors({{equation(blocks), 4, 6 + 10 * 199, "nested deeper than 200", ""}});
  EXPECT_THROW(parse_expression(std::string(100000, '(')), ModelError);
  EXPECT_THROW(parse_expression(std::string(100000, '{')), ModelError);
  EXPECT_THROW(parse_expression(std::string(100000, '-')), ModelError);
  EXPECT_NO_THROW(parse_expression(std::string(190, '(') + "x" + std::string(190, ')')));
}

std::string text_of(const std::string& model) {
  try {
    parse_model(model, "m.mo");
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), error.text().c_str());
    return error.text();
  }
  return "";
}

TEST(Diagnostic, ShowsLineCaretAndHint) {
  EXPECT_EQ(text_of("model M\n  real x;\nend M;"),
            "m.mo:2:3: error: unknown type 'real'\n"
            "  real x;\n"
            "  ^~~~\n"
            "hint: did you mean 'Real'?");
}

TEST(Diagnostic, PutsTheCaretBelowItsCharacter) {
  // A tab stays a tab, an umlaut is one column, a Japanese character is two.
  EXPECT_EQ(text_of("model M\n\tReal x \"größe 日本\" y;\nend M;"),
            "m.mo:2:20: error: expected ';' at the end of the declaration but found 'y'\n"
            "\tReal x \"größe 日本\" y;\n"
            "\t                    ^");
  EXPECT_THAT(text_of("model M\r\n  real x;\r\nend M;"), HasSubstr("\n  real x;\n  ^~~~\n"));
  EXPECT_THAT(text_of(std::string("model M\n  Real x\0y;", 19)),
              HasSubstr("\n  Real x\xef\xbf\xbdy;\n        ^"));
}

TEST(Diagnostic, CutsLongLines) {
  const std::string text =
      text_of("model M\n  Real x = " + std::string(100000, 'a') + " b;\nend M;");
  EXPECT_LT(text.size(), 500u);
  EXPECT_THAT(text, HasSubstr("m.mo:2:100013: error"));
}

TEST(Diagnostic, RefusesTextThatIsNotUtf8) {
  expect_errors(
      {{"model M \"gr\xfc\xdf\"\nend M;", 1, 12, "not UTF-8", "save the file as UTF-8"},
       {"model M\n \xff", 2, 2, "not UTF-8", ""},
       {"model M\n  Real x = 2 \xe2\x88\x92 3;", 2, 14, "unexpected character", "minus"}});
  EXPECT_NO_THROW(parse_model("// gr\xfc\xdf\nmodel M\nend M;", "m.mo"));
}

TEST(Diagnostic, ShowsSeveralErrorsInOrderButNotTooMany) {
  const auto source = std::make_shared<const Source>(Source{"m.mo", "one\ntwo\nthree\n"});
  Diagnostics errors(source);
  EXPECT_NO_THROW(errors.raise_if_any());
  errors.error({4, 3, 2, 1}, "second");
  errors.error({0, 3, 1, 1}, "first", "try again");
  errors.error({4, 3, 2, 1}, "second");
  try {
    errors.raise_if_any();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.text(),
              "m.mo:1:1: error: first\none\n^~~\nhint: try again\n"
              "m.mo:2:1: error: second\ntwo\n^~~");
    EXPECT_EQ(error.diagnostics().size(), 2u);
    EXPECT_EQ(error.message(), "first");
  }
  for (int i = 0; i < 20; ++i) errors.error({8, 5, 3, 1}, fmt::format("number {}", i));
  try {
    errors.raise_if_any();
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("number 7"));
    EXPECT_THAT(error.what(), Not(HasSubstr("number 8")));
    EXPECT_THAT(error.what(), HasSubstr("m.mo: 12 more errors"));
  }
}

}  // namespace
}  // namespace daedalus::model
