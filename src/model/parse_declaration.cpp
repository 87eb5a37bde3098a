// Names and declarations, [Modelica2023, 4.4]:
//   parameter Real A[2,2](each start = 0) = [1, 2; 3, 4] "description", b = 1;
#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "model/parser.h"

namespace daedalus::model {
namespace {

constexpr std::array<std::string_view, 6> known_attributes = {"start", "fixed",   "min",
                                                              "max",   "nominal", "unit"};

bool is_known_attribute(std::string_view name) {
  return std::find(known_attributes.begin(), known_attributes.end(), name) !=
         known_attributes.end();
}

char unescaped(char letter) {
  constexpr std::string_view letters = "abfnrtv\"'?\\";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\"'?\\";
  const std::size_t found = letters.find(letter);
  return found == std::string_view::npos ? '\0' : meanings[found];
}

}  // namespace

std::string Parser::identifier(std::string_view what) {
  const Token& token = peek();
  if (token.kind == TokenKind::identifier) return std::string(take().text);
  const bool same_line = token.at.line == end_of(previous()).line;
  if (token.kind == TokenKind::keyword && same_line) {
    fail(token.at, fmt::format("expected {} but '{}' is a reserved word", what, token.text),
         fmt::format("choose another name, or quote it: '{}'", token.text));
  }
  fail_expected(what, "");
}

Parser::Path Parser::path(std::string_view what) {
  Path result{identifier(what), {}};
  for (;;) {
    const Span begin = peek().at;
    if (at("[")) result.subscripts = subscripts();
    if (!at(".")) return result;
    if (!result.subscripts.empty()) append_subscripts(result, span_from(begin));
    take();
    result.name += '.' + identifier("a name after the point");
  }
}

// Flatteners write `pipe[2].p`: one variable, whose name holds the number.
void Parser::append_subscripts(Path& path, const Span& at) const {
  std::string text;
  for (const Expression& subscript : path.subscripts) {
    const auto* number = as<Number>(subscript);
    if (number == nullptr || !number->is_integer) {
      fail(at, "a subscript before a point must be a whole number, as in pipe[2].p",
           "there are no records here: 'pipe[2].p' is the name of one variable");
    }
    text += fmt::format("{}{:.0f}", text.empty() ? "[" : ",", number->value);
  }
  path.name += text + "]";
  path.subscripts.clear();
}

std::string Parser::string_value(const Token& token) const {
  std::string result;
  for (std::size_t i = 1; i + 1 < token.text.size(); ++i) {
    if (token.text[i] != '\\') {
      result += token.text[i];
      continue;
    }
    const char value = unescaped(token.text[++i]);
    if (value == '\0') {
      fail(token.at, fmt::format("unknown escape '\\{}' in this string", token.text[i]),
           "write \\\\ for a backslash");
    }
    result += value;
  }
  return result;
}

// "..." + "...", or nothing.
std::string Parser::description() {
  std::string result;
  while (peek().kind == TokenKind::string) {
    result += string_value(take());
    if (!at("+")) break;
    take();
    if (peek().kind != TokenKind::string) fail_expected("a string", "after '+'");
  }
  return result;
}

std::vector<Declaration> Parser::declaration(bool is_protected, bool in_function) {
  Declaration common;
  common.is_protected = is_protected;
  prefixes(common, in_function);
  common.type = type();
  const std::vector<Expression> type_dimensions =
      at("[") ? subscripts() : std::vector<Expression>();
  std::vector<Declaration> result;
  do result.push_back(declared_name(common, type_dimensions));
  while (accept(","));
  expect(";", "at the end of the declaration");
  return result;
}

void Parser::prefixes(Declaration& common, bool in_function) {
  if (accept("final")) common.is_final = true;
  for (;; take()) {
    refuse_unsupported();
    const bool is_causality = at_any({"input", "output"});
    if (is_causality && !in_function) {
      fail(peek().at, fmt::format("'{}' is not supported in a model", peek().text),
           at("input") ? "make it a parameter, or a variable with an equation"
                       : "leave the word out: every variable is in the output");
    }
    if (at("parameter"))
      common.prefix = Prefix::parameter;
    else if (at("constant"))
      common.prefix = Prefix::constant;
    else if (at("discrete"))
      common.prefix = Prefix::discrete;
    else if (is_causality)
      common.causality = at("input") ? Causality::input : Causality::output;
    else
      return;
  }
}

Type Parser::type() {
  const Token& token = peek();
  if (token.kind != TokenKind::identifier) fail_not_a_declaration();
  Type result = Type::real;
  if (at("Integer")) {
    result = Type::integer;
  } else if (at("Boolean")) {
    result = Type::boolean;
  } else if (!at("Real")) {
    fail_unknown_type(token);
  }
  take();
  return result;
}

Declaration Parser::declared_name(const Declaration& common,
                                  const std::vector<Expression>& type_dims) {
  Declaration result = common;
  const Token& first = peek();
  Path found = path("the name of a variable");
  check_new_name(first, found.name);
  result.name = std::move(found.name);
  result.at = span_from(first.at);
  result.dimensions = std::move(found.subscripts);
  result.dimensions.insert(result.dimensions.end(), type_dims.begin(), type_dims.end());
  if (at("(")) result.attributes = attributes();
  if (at(":=")) {
    fail(peek().at, "a declaration gives its value with '=', not ':='",
         "':=' assigns, and only in functions");
  }
  if (accept("=")) result.binding = expression();
  if (at("if")) {
    fail(peek().at, "conditional declarations are not supported",
         "delete the declaration, or the condition");
  }
  result.description = description();
  if (at("annotation")) annotation(nullptr);
  return result;
}

void Parser::check_new_name(const Token& token, const std::string& name) const {
  constexpr std::string_view predefined[] = {"time",    "startTime", "finalTime", "Real",
                                             "Integer", "Boolean",   "String"};
  if (std::find(std::begin(predefined), std::end(predefined), name) == std::end(predefined)) return;
  const bool is_type = std::isupper(static_cast<unsigned char>(name[0])) != 0;
  fail(token.at, fmt::format("'{}' has a meaning of its own and cannot be declared", name),
       is_type ? fmt::format("name the type once: {0} a, b; or end with ';' before {0}", name)
               : "choose another name");
}

std::vector<Attribute> Parser::attributes() {
  const Nesting nesting(*this);
  const Token& opening = take();
  std::vector<Attribute> result;
  if (at(")")) {
    take();
    return result;
  }
  do {
    Attribute next = attribute();
    for (const Attribute& other : result) {
      if (other.name != next.name) continue;
      fail(next.at, fmt::format("attribute '{}' is given twice", next.name), "keep one of the two");
    }
    result.push_back(std::move(next));
  } while (accept(","));
  expect_closing(")", opening);
  return result;
}

Attribute Parser::attribute() {
  Attribute result;
  while (at_any({"each", "final"})) {
    if (take().text == "each") result.each = true;
  }
  refuse_unsupported();
  result.at = peek().at;
  result.name = identifier("an attribute, such as start or fixed");
  const std::size_t text_begin = peek().at.offset;
  if (at("(") && !is_known_attribute(result.name)) {
    attributes();
    result.text = source_->text.substr(
        text_begin, span_from(result.at).length - (text_begin - result.at.offset));
    if (!at("=")) return result;
  }
  expect("=", fmt::format("after the attribute '{}'", result.name),
         fmt::format("write {} = ...", result.name));
  result.value = expression();
  const Span& at = result.value->at;
  result.text = source_->text.substr(at.offset, at.length);
  return result;
}

}  // namespace daedalus::model
