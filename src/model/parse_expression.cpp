// Expressions, [Modelica2023, 3.2], from the loosest to the tightest binding:
//   range, or, and, not, comparison, + - (also unary), * / .* ./, ^ .^, operand.
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "model/parse.h"
#include "model/parser.h"

namespace daedalus::model {
namespace {

std::optional<BinaryOperator> relational(std::string_view text) {
  if (text == "<") return BinaryOperator::less;
  if (text == "<=") return BinaryOperator::less_equal;
  if (text == ">") return BinaryOperator::greater;
  if (text == ">=") return BinaryOperator::greater_equal;
  if (text == "==") return BinaryOperator::equal;
  if (text == "<>") return BinaryOperator::not_equal;
  return std::nullopt;
}

std::optional<BinaryOperator> additive(std::string_view text) {
  if (text == "+") return BinaryOperator::add;
  if (text == "-") return BinaryOperator::subtract;
  return std::nullopt;
}

std::optional<BinaryOperator> multiplicative(std::string_view text) {
  if (text == "*") return BinaryOperator::multiply;
  if (text == "/") return BinaryOperator::divide;
  if (text == ".*") return BinaryOperator::elementwise_multiply;
  if (text == "./") return BinaryOperator::elementwise_divide;
  return std::nullopt;
}

std::optional<BinaryOperator> exponential(std::string_view text) {
  if (text == "^") return BinaryOperator::power;
  if (text == ".^") return BinaryOperator::elementwise_power;
  return std::nullopt;
}

Expression chain_of(Expression first, std::vector<Chain::Link> links, const Span& at) {
  if (links.empty()) return first;
  return make(Chain{std::move(first), std::move(links)}, at);
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
  Expression first = disjunction();
  if (!accept(":")) return first;
  Range result{std::move(first), nullptr, disjunction()};
  if (accept(":")) {
    result.step = std::move(result.last);
    result.last = disjunction();
  }
  return make(std::move(result), span_from(begin));
}

Expression Parser::disjunction() {
  const Span begin = peek().at;
  Expression first = conjunction();
  std::vector<Chain::Link> links;
  while (at("or")) {
    const Span sign = take().at;
    links.push_back({BinaryOperator::logical_or, conjunction(), sign});
  }
  return chain_of(std::move(first), std::move(links), span_from(begin));
}

Expression Parser::conjunction() {
  const Span begin = peek().at;
  Expression first = negation();
  std::vector<Chain::Link> links;
  while (at("and")) {
    const Span sign = take().at;
    links.push_back({BinaryOperator::logical_and, negation(), sign});
  }
  return chain_of(std::move(first), std::move(links), span_from(begin));
}

Expression Parser::negation() {
  const Span begin = peek().at;
  if (!accept("not")) return relation();
  Expression operand = relation();
  return make(Unary{UnaryOperator::logical_not, std::move(operand)}, span_from(begin));
}

Expression Parser::relation() {
  const Span begin = peek().at;
  Expression left = sum();
  const auto op = relational(peek().text);
  if (!op) return left;
  const Token& sign = take();
  Expression right = sum();
  if (relational(peek().text)) {
    fail(peek().at, "comparisons cannot follow each other",
         "write both: 'a < b and b < c' for a < b < c");
  }
  return make(Chain{std::move(left), {{*op, std::move(right), sign.at}}}, span_from(begin));
}

Expression Parser::sum() {
  const Span begin = peek().at;
  const auto unary = additive(peek().text);
  if (unary) take();
  Expression first = product();
  if (unary) {
    const auto op = *unary == BinaryOperator::add ? UnaryOperator::plus : UnaryOperator::minus;
    first = make(Unary{op, std::move(first)}, span_from(begin));
  }
  std::vector<Chain::Link> links;
  while (const auto op = additive(peek().text)) {
    const Span sign = take().at;
    links.push_back({*op, product(), sign});
  }
  return chain_of(std::move(first), std::move(links), span_from(begin));
}

Expression Parser::product() {
  const Span begin = peek().at;
  Expression first = power();
  std::vector<Chain::Link> links;
  while (const auto op = multiplicative(peek().text)) {
    const Span sign = take().at;
    links.push_back({*op, power(), sign});
  }
  return chain_of(std::move(first), std::move(links), span_from(begin));
}

Expression Parser::power() {
  const Span begin = peek().at;
  Expression left = primary();
  const auto op = exponential(peek().text);
  if (!op) return left;
  const Token& sign = take();
  Expression right = primary();
  if (exponential(peek().text)) {
    fail(peek().at, "powers cannot follow each other: a^b^c could mean two things",
         "write (a^b)^c or a^(b^c)");
  }
  return make(Chain{std::move(left), {{*op, std::move(right), sign.at}}}, span_from(begin));
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
