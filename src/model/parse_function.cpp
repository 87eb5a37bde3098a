// Functions, [Modelica2023, 12]: inputs, outputs, protected variables, and an algorithm of
// assignments, if and for.
#include <fmt/format.h>

#include "model/parser.h"

namespace daedalus::model {

Function Parser::function() {
  take();
  Function result;
  result.at = peek().at;
  section_ = Section::declarations;
  result.name = class_name("function");
  result.description = description();
  function_declarations(result);
  section_ = Section::algorithm;
  if (!accept("algorithm")) fail_expected("'algorithm'", "in the function");
  while (!at("end")) {
    if (at("annotation")) {
      annotation(nullptr);
      expect(";", "after the annotation");
      continue;
    }
    if (at_end()) end_class("function", result.name, result.at);
    result.statements.push_back(statement());
  }
  end_class("function", result.name, result.at);
  return result;
}

void Parser::function_declarations(Function& function) {
  bool is_protected = false;
  while (!at_any({"algorithm", "end"})) {
    if (at_any({"protected", "public"})) {
      is_protected = take().text == "protected";
      continue;
    }
    if (at("annotation")) {
      annotation(nullptr);
      expect(";", "after the annotation");
      continue;
    }
    if (at("equation") || (at("initial") && peek(1).text != "(")) {
      fail(peek().at, "a function has no equations", "write 'algorithm' and assignments with ':='");
    }
    const Span begin = peek().at;
    for (Declaration& next : declaration(is_protected, true)) {
      if (next.causality == Causality::none && !is_protected) {
        fail(begin, fmt::format("'{}' is neither input nor output", next.name),
             "put variables of the function's own below 'protected'");
      }
      function.declarations.push_back(std::move(next));
    }
  }
}

Statement Parser::statement() {
  const Nesting nesting(*this);
  refuse_unsupported();
  refuse_declaration();
  const Span begin = peek().at;
  Statement result = at("for") ? for_statement() : at("if") ? if_statement() : assignment();
  result.at = span_from(begin);
  description();
  if (at("annotation")) annotation(nullptr);
  expect(";", "at the end of the statement");
  return result;
}

Statements Parser::statements_until(std::initializer_list<std::string_view> ends,
                                    const Block& block) {
  Statements result;
  while (!at_any(ends)) {
    refuse_section_inside(block);
    result.push_back(statement());
  }
  return result;
}

Statement Parser::assignment() {
  const Token& first = peek();
  Expression target = expression();
  if (at("=")) {
    fail(peek().at, "an assignment is written with ':=', not '='",
         "functions assign, step by step: b := ...");
  }
  if (!at(":=")) {
    fail_expected(
        "':='", "in the assignment",
        as<Call>(target) ? "a call alone does nothing: functions are pure" : std::string());
  }
  if (as<Reference>(target) == nullptr) {
    fail(first.at, "the left side of ':=' must be a variable", "write b := ... or b[i] := ...");
  }
  take();
  Statement result;
  result.value = Assignment{std::move(target), expression()};
  return result;
}

Statement Parser::for_statement() {
  const Block block{"for", take().at};
  ForStatement loop{iterators(), {}};
  expect("loop", "after the range of the for loop", "write 'for i in 1:N loop ... end for;'");
  loop.body = statements_until({"end"}, block);
  end_block(block);
  Statement result;
  result.value = std::move(loop);
  return result;
}

Statement Parser::if_statement() {
  const Block block{"if", peek().at};
  IfStatement branches;
  do {
    Expression tested = condition(take().text);
    branches.branches.push_back(
        {std::move(tested), statements_until({"elseif", "else", "end"}, block)});
  } while (at("elseif"));
  if (accept("else")) branches.otherwise = statements_until({"end"}, block);
  end_block(block);
  Statement result;
  result.value = std::move(branches);
  return result;
}

}  // namespace daedalus::model
