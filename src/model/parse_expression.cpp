// Expressions, [Modelica2023, 3.2], from the loosest to the tightest binding:
//   range, or, and, not, comparison, + - (also unary), * / .* ./, ^ .^, operand.
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "model/parse.h"
#include "model/parser.h"

namespace daedalus::model {
namespace {

// How tightly operators bind. Operands of a level are of the next one.
enum Level { disjunction = 1, conjunction, negation, relation, sum, product, power, operand };

struct Operator {
  BinaryOperator op = BinaryOperator::add;
  int level = 0;
};

std::optional<Operator> binary(std::string_view text) {
  static const std::unordered_map<std::string_view, Operator> operators = {
      {"or", {BinaryOperator::logical_or, disjunction}},
      {"and", {BinaryOperator::logical_and, conjunction}},
      {"<", {BinaryOperator::less, relation}},
      {"<=", {BinaryOperator::less_equal, relation}},
      {">", {BinaryOperator::greater, relation}},
      {">=", {BinaryOperator::greater_equal, relation}},
      {"==", {BinaryOperator::equal, relation}},
      {"<>", {BinaryOperator::not_equal, relation}},
      {"+", {BinaryOperator::add, sum}},
      {"-", {BinaryOperator::subtract, sum}},
      {"*", {BinaryOperator::multiply, product}},
      {"/", {BinaryOperator::divide, product}},
      {".*", {BinaryOperator::elementwise_multiply, product}},
      {"./", {BinaryOperator::elementwise_divide, product}},
      {"^", {BinaryOperator::power, power}},
      {".^", {BinaryOperator::elementwise_power, power}},
  };
  const auto found = operators.find(text);
  return found == operators.end() ? std::nullopt : std::optional(found->second);
}

bool is_reduction(std::string_view function) {
  return function == "sum" || function == "product" || function == "min" || function == "max";
}

}  // namespace

Expression Parser::only_expression() {
  Expression result = expression();
  if (!at_end()) fail_expected("an operator", "after the expression");
  refuse_no_word();
  return result;
}

Expression Parser::expression() {
  const Nesting nesting(*this);
  return at("if") ? if_expression() : range();
}

Expression Parser::if_expression() {
  const Span begin = peek().at;
  If result;
  do {
    const std::string_view word = take().text;
    Expression tested = condition(word);
    result.branches.push_back({std::move(tested), expression()});
  } while (at("elseif"));
  expect("else", "in the if-expression", "an if-expression needs a value for every case");
  result.otherwise = expression();
  return make(std::move(result), span_from(begin));
}

Expression Parser::range() {
  const Span begin = peek().at;
  Expression first = operation(disjunction);
  if (!accept(":")) return first;
  Range result{std::move(first), nullptr, operation(disjunction)};
  if (accept(":")) {
    result.step = std::move(result.last);
    result.last = operation(disjunction);
  }
  return make(std::move(result), span_from(begin));
}

// All operators that bind at least as tightly as `level`. One call for all levels of a plain
// operand keeps the stack small.
Expression Parser::operation(int level) {
  const Span begin = peek().at;
  Expression left = signed_operand(level);
  for (auto next = binary(peek().text); next && next->level >= level; next = binary(peek().text)) {
    left = chain(std::move(left), next->level, begin);
  }
  return left;
}

Expression Parser::signed_operand(int level) {
  const Span begin = peek().at;
  if (level <= negation && accept("not")) {
    Expression operand = operation(relation);
    return make(Unary{UnaryOperator::logical_not, std::move(operand)}, span_from(begin));
  }
  if (level <= sum && at_any({"+", "-"})) {
    const auto op = take().text == "+" ? UnaryOperator::plus : UnaryOperator::minus;
    Expression operand = operation(product);
    return make(Unary{op, std::move(operand)}, span_from(begin));
  }
  return primary();
}

// first op operand op operand ..., all operators of one level.
Expression Parser::chain(Expression first, int level, const Span& begin) {
  Chain result{std::move(first), {}};
  for (auto next = binary(peek().text); next && next->level == level; next = binary(peek().text)) {
    const Span& sign = peek().at;
    if (level == power && !result.links.empty()) {
      fail(sign, "powers cannot follow each other: a^b^c could mean two things",
           "write (a^b)^c or a^(b^c)");
    }
    if (level == relation && !result.links.empty()) {
      fail(sign, "comparisons cannot follow each other",
           "write both: 'a < b and b < c' for a < b < c");
    }
    take();
    result.links.push_back({next->op, operation(level + 1), sign});
  }
  return make(std::move(result), span_from(begin));
}

Expression Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::number:
      return number();
    case TokenKind::string:
      take();
      return make(Text{string_value(token)}, token.at);
    case TokenKind::identifier:
      return reference_or_call();
    default:
      break;
  }
  if (at("(")) return parenthesised();
  if (at("{")) return array();
  if (at("[")) return matrix();
  if (at_any({"true", "false"})) return make(Boolean{take().text == "true"}, token.at);
  if (at("der") || (at("initial") && peek(1).text == "(")) {
    take();
    if (!at("(")) {
      fail_expected("'('", "after 'der'", fmt::format("write der({})", peek().text));
    }
    return call(token, std::string(token.text));
  }
  if (at("end") && subscript_depth_ > 0) return make(End{}, take().at);
  fail_at_operand();
}

Expression Parser::number() {
  const Token& token = take();
  double value = 0;
  const char* end = token.text.data() + token.text.size();
  if (std::from_chars(token.text.data(), end, value).ec != std::errc()) {
    fail(token.at, fmt::format("{} is outside the range of numbers", token.text),
         "numbers are double precision: up to about 1.8e308, down to about 4.9e-324");
  }
  // Beyond 2^53 a double does not hold every integer.
  const bool is_integer =
      token.text.find_first_of(".eE") == std::string_view::npos && value <= 9007199254740992.0;
  return make(Number{value, is_integer}, token.at);
}

Expression Parser::reference_or_call() {
  const Token& first = peek();
  Path found = path("a name");
  if (at("(")) {
    if (found.subscripts.empty()) return call(first, std::move(found.name));
    Expression value =
        make(Reference{std::move(found.name), std::move(found.subscripts)}, span_from(first.at));
    return at_time(std::move(value), first.at);
  }
  if (found.subscripts.empty()) {
    const Span at = span_from(first.at);
    if (found.name == "time") return make(TimeSymbol{TimeKind::time}, at);
    if (found.name == "startTime") return make(TimeSymbol{TimeKind::start_time}, at);
    if (found.name == "finalTime") return make(TimeSymbol{TimeKind::final_time}, at);
  }
  return make(Reference{std::move(found.name), std::move(found.subscripts)}, span_from(first.at));
}

Expression Parser::call(const Token& function_token, std::string function) {
  const Token& opening = take();
  Call result{std::move(function), {}};
  while (!at(")")) {
    if (peek().kind == TokenKind::identifier && peek(1).text == "=") {
      fail(peek().at, fmt::format("named argument '{}': not supported", peek().text),
           "give the arguments in their order, without names; to compare, write '=='");
    }
    const Span begin = peek().at;
    Expression argument = expression();
    if (at("for")) {
      if (!is_reduction(result.function) || !result.arguments.empty()) {
        fail(peek().at, "'for' is not possible in the arguments here",
             "sum, product, min and max take (e for i in r); elsewhere write {e for i in r}");
      }
      take();
      std::vector<Iterator> over = iterators();
      argument = make(Comprehension{std::move(argument), std::move(over)}, span_from(begin));
      result.arguments.push_back(std::move(argument));
      break;
    }
    result.arguments.push_back(std::move(argument));
    if (!accept(",")) break;
    if (at(")")) fail_at_operand();
  }
  expect_closing(")", opening);
  Expression made = make(std::move(result), span_from(function_token.at));
  if (at("(") && function_token.text == "der") return at_time(made, function_token.at);
  return made;
}

Expression Parser::at_time(Expression value, const Span& begin) {
  if (section_ != Section::constraint) {
    fail(peek().at, "a value at a given time, as in x[1](finalTime), belongs in 'constraint'",
         "in equations write the variable alone; for a product write '*'");
  }
  const Token& opening = take();
  Expression time = expression();
  expect_closing(")", opening);
  return make(AtTime{std::move(value), std::move(time)}, span_from(begin));
}

Expression Parser::parenthesised() {
  const Token& opening = take();
  Expression inner = expression();
  if (at(",")) {
    fail(opening.at, "a list of results '(a, b) = f(x)' is not supported",
         "call a function for one result at a time; arrays are written {a, b}");
  }
  expect_closing(")", opening);
  return inner;
}

Expression Parser::array() {
  const Token& opening = take();
  if (at("}")) {
    fail(opening.at, "an array constructor needs an element",
         "write zeros(0) for an array without elements");
  }
  Array result;
  do {
    result.elements.push_back(expression());
    if (at("for") && result.elements.size() == 1) {
      take();
      std::vector<Iterator> over = iterators();
      expect_closing("}", opening);
      return make(Comprehension{std::move(result.elements.front()), std::move(over)},
                  span_from(opening.at));
    }
  } while (accept(","));
  expect_closing("}", opening);
  return make(std::move(result), span_from(opening.at));
}

Expression Parser::matrix() {
  const Token& opening = take();
  Matrix result;
  do {
    result.rows.emplace_back();
    do result.rows.back().push_back(expression());
    while (accept(","));
  } while (accept(";"));
  expect_closing("]", opening);
  return make(std::move(result), span_from(opening.at));
}

std::vector<Expression> Parser::subscripts() {
  const Token& opening = take();
  std::vector<Expression> result;
  ++subscript_depth_;
  do result.push_back(subscript());
  while (accept(","));
  --subscript_depth_;
  expect_closing("]", opening);
  return result;
}

Expression Parser::subscript() {
  const bool is_all = at(":") && (peek(1).text == "," || peek(1).text == "]");
  if (is_all) return make(All{}, take().at);
  return expression();
}

std::vector<Iterator> Parser::iterators() {
  std::vector<Iterator> result;
  do {
    const Span begin = peek().at;
    Iterator iterator{identifier("the name of an index"), nullptr, begin};
    expect("in", "after the index", "write 'for i in 1:N'");
    iterator.range = expression();
    result.push_back(std::move(iterator));
  } while (accept(","));
  return result;
}

}  // namespace daedalus::model
