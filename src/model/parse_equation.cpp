// Equations, [Modelica2023, 8.3].
#include <fmt/format.h>

#include "model/parser.h"

namespace daedalus::model {

Equation Parser::equation() {
  const Nesting nesting(*this);
  refuse_unsupported();
  const Span begin = peek().at;
  const bool is_special = at_any({"assert", "terminate", "reinit"}) && peek(1).text == "(";
  Equation result = at("for")    ? for_equation()
                    : at("if")   ? if_equation()
                    : at("when") ? when_equation()
                    : is_special ? special_equation()
                                 : equality();
  result.at = span_from(begin);
  result.label = description();
  if (at("annotation")) annotation(nullptr);
  const bool is_equality = std::holds_alternative<Equality>(result.value);
  if (is_equality && at("=")) {
    fail(peek().at, "an equation has only one '='",
         "is a ';' missing before this equation? To compare, write '=='");
  }
  expect(";", "at the end of the equation");
  return result;
}

Equations Parser::equations_until(std::initializer_list<std::string_view> ends,
                                  const Block& block) {
  Equations result;
  while (!at_any(ends)) {
    refuse_section_inside(block);
    refuse_declaration();
    result.push_back(equation());
  }
  return result;
}

Equation Parser::equality() {
  const Token& first = peek();
  Expression left = expression();
  if (at(":=")) {
    fail(peek().at, "an equation is written with '=', not ':='",
         "':=' assigns, and only in functions");
  }
  if (!at("=")) {
    const auto* chain = as<Chain>(left);
    const bool compares = chain != nullptr && chain->links[0].op == BinaryOperator::equal;
    if (compares) {
      fail(chain->links[0].at, "an equation is written with '=', not '=='",
           "'==' compares two values");
    }
    const bool is_call = as<Call>(left) != nullptr && at(";");
    fail_expected("'='", "in the equation",
                  is_call ? "a call alone is not an equation" : std::string());
  }
  if (in_when_ && as<Reference>(left) == nullptr) {
    fail(first.at, "inside 'when' the left side of '=' must be a variable",
         "write v = ..., or reinit(x, ...) to change a state");
  }
  take();
  Equation result;
  result.value = Equality{std::move(left), expression()};
  return result;
}

Equation Parser::for_equation() {
  const Block block{"for", take().at};
  ForEquation loop{iterators(), {}};
  expect("loop", "after the range of the for loop", "write 'for i in 1:N loop ... end for;'");
  loop.body = equations_until({"end"}, block);
  end_block(block);
  Equation result;
  result.value = std::move(loop);
  return result;
}

Equation Parser::if_equation() {
  const Block block{"if", peek().at};
  const bool outer = std::exchange(in_if_, true);
  IfEquation branches;
  do {
    Expression tested = condition(take().text);
    branches.branches.push_back(
        {std::move(tested), equations_until({"elseif", "else", "end"}, block)});
  } while (at("elseif"));
  if (accept("else")) {
    branches.has_else = true;
    branches.otherwise = equations_until({"end"}, block);
  }
  end_block(block);
  in_if_ = outer;
  Equation result;
  result.value = std::move(branches);
  return result;
}

Equation Parser::when_equation() {
  const Block block{"when", peek().at};
  if (in_when_ || in_if_) {
    fail(block.at, fmt::format("'when' cannot stand inside '{}'", in_when_ ? "when" : "if"),
         "write one 'when' with both conditions joined by 'and'");
  }
  if (section_ != Section::equation) {
    fail(block.at, "'when' can stand only in the equation section", "");
  }
  in_when_ = true;
  WhenEquation branches;
  do {
    Expression tested = condition(take().text);
    branches.branches.push_back({std::move(tested), equations_until({"elsewhen", "end"}, block)});
  } while (at("elsewhen"));
  end_block(block);
  in_when_ = false;
  Equation result;
  result.value = std::move(branches);
  return result;
}

// assert, terminate, reinit: calls that are equations.
Equation Parser::special_equation() {
  const Token& word = peek();
  const Expression whole = reference_or_call();
  const auto& arguments = as<Call>(whole)->arguments;
  const std::string_view name = word.text;
  const auto require = [&](bool holds, std::string_view usage) {
    if (!holds)
      fail(word.at, fmt::format("wrong arguments of '{}'", name), fmt::format("write {}", usage));
  };
  Equation result;
  if (name == "terminate") {
    require(arguments.size() == 1, "terminate(\"message\")");
    result.value = Terminate{arguments[0]};
  } else if (name == "assert") {
    require(arguments.size() == 2, "assert(condition, \"message\")");
    result.value = Assert{arguments[0], arguments[1]};
  } else {
    if (!in_when_) {
      fail(word.at, "'reinit' can stand only inside 'when'",
           "write when condition then reinit(x, value); end when;");
    }
    require(arguments.size() == 2 && as<Reference>(arguments[0]) != nullptr,
            "reinit(variable, value)");
    result.value = Reinit{arguments[0], arguments[1]};
  }
  return result;
}

Expression Parser::condition(std::string_view word) {
  Expression result = expression();
  expect("then", fmt::format("after the condition of '{}'", word),
         at("=") ? "to compare, write '=='" : std::string());
  return result;
}

void Parser::end_block(const Block& block) {
  if (at("end") && peek(1).text == block.word) {
    take();
    take();
    return;
  }
  const std::string opened =
      fmt::format("the '{}' of line {} is not closed", block.word, block.at.line);
  const bool other_block = at("end") && (peek(1).text == "if" || peek(1).text == "for" ||
                                         peek(1).text == "when" || peek(1).text == "while");
  std::string hint = fmt::format("write 'end {};' first", block.word);
  if (block.word == "if") hint += "; 'else if' opens another 'if', 'elseif' does not";
  if (other_block) {
    fail(peek(1).at,
         fmt::format("expected 'end {}' but found 'end {}': {}", block.word, peek(1).text, opened),
         hint);
  }
  if (at("end")) fail(peek().at, fmt::format("expected 'end {}': {}", block.word, opened), hint);
  fail_expected(fmt::format("'end {}'", block.word), "", hint);
}

// A heading or the end of the text inside a block: the block was not closed.
void Parser::refuse_section_inside(const Block& block) const {
  const bool heading = at_any({"equation", "algorithm", "constraint", "protected", "public", "else",
                               "elseif", "elsewhen"}) ||
                       (at("initial") && peek(1).text != "(");
  if (!heading && !at_end()) return;
  const Span at = at_end() ? end_of(previous()) : peek().at;
  fail(at,
       at_end()
           ? fmt::format("expected 'end {}' but the text ends: the '{}' of line {} is not closed",
                         block.word, block.word, block.at.line)
           : fmt::format("'{}' cannot stand here: the '{}' of line {} is not closed", peek().text,
                         block.word, block.at.line),
       fmt::format("write 'end {};' first", block.word));
}

}  // namespace daedalus::model
