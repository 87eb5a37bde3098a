#pragma once
// The structure of a syntax tree as text, every operation in its own parentheses: a + b*c is
// (+ a (* b c)). Positions are left out, so that equal dumps mean equal trees.
#include <fmt/format.h>

#include "model/ast.h"

namespace daedalus::model {

inline std::string dump(const Expression& expression);

inline std::string dump(const std::vector<Expression>& list) {
  std::string result;
  for (const Expression& each : list) result += " " + dump(each);
  return result;
}

inline std::string dump(const std::vector<Iterator>& list) {
  std::string result;
  for (const Iterator& each : list)
    result += fmt::format(" ({} in {})", each.name, dump(each.range));
  return result;
}

struct Dump {
  static constexpr std::string_view signs[] = {"+", "-",  "*", "/",  "^",  ".*", "./",  ".^",
                                               "<", "<=", ">", ">=", "==", "<>", "and", "or"};

  std::string operator()(const Number& number) const {
    return fmt::format("{}{}", number.value, number.is_integer ? "" : "r");
  }
  std::string operator()(const Boolean& boolean) const { return boolean.value ? "true" : "false"; }
  std::string operator()(const Text& text) const { return '"' + text.value + '"'; }
  std::string operator()(const TimeSymbol& symbol) const {
    constexpr std::string_view names[] = {"<time>", "<start>", "<final>"};
    return std::string(names[static_cast<int>(symbol.kind)]);
  }
  std::string operator()(const All&) const { return ":"; }
  std::string operator()(const End&) const { return "<end>"; }
  std::string operator()(const Reference& reference) const {
    if (reference.subscripts.empty()) return reference.name;
    return fmt::format("({}[]{})", reference.name, dump(reference.subscripts));
  }
  std::string operator()(const Unary& unary) const {
    constexpr std::string_view names[] = {"plus", "minus", "not"};
    return fmt::format("({} {})", names[static_cast<int>(unary.op)], dump(unary.operand));
  }
  std::string operator()(const Chain& chain) const {
    std::string result = dump(chain.first);
    for (const Chain::Link& link : chain.links) {
      result =
          fmt::format("({} {} {})", signs[static_cast<int>(link.op)], result, dump(link.operand));
    }
    return result;
  }
  std::string operator()(const Call& call) const {
    return fmt::format("({}(){})", call.function, dump(call.arguments));
  }
  std::string operator()(const AtTime& at) const {
    return fmt::format("(at {} {})", dump(at.value), dump(at.time));
  }
  std::string operator()(const Array& array) const {
    return fmt::format("({{}}{})", dump(array.elements));
  }
  std::string operator()(const Comprehension& each) const {
    return fmt::format("(each {}{})", dump(each.body), dump(each.iterators));
  }
  std::string operator()(const Matrix& matrix) const {
    std::string result = "(matrix";
    for (const auto& row : matrix.rows) result += fmt::format(" (row{})", dump(row));
    return result + ")";
  }
  std::string operator()(const Range& range) const {
    return fmt::format("(range {} {} {})", dump(range.first), range.step ? dump(range.step) : "-",
                       dump(range.last));
  }
  std::string operator()(const If& choice) const {
    std::string result = "(if";
    for (const If::Branch& branch : choice.branches) {
      result += fmt::format(" {} {}", dump(branch.condition), dump(branch.value));
    }
    return fmt::format("{} {})", result, dump(choice.otherwise));
  }

  template <class List>
  static std::string body(const List& list) {
    std::string result = " [";
    for (const auto& each : list) result += std::visit(Dump(), each.value) + ";";
    return result + "]";
  }
  template <class Branches>
  static std::string branches(const Branches& list) {
    std::string result;
    for (const auto& each : list) result += " " + dump(each.condition) + body(each.body);
    return result;
  }
  std::string operator()(const Equality& each) const {
    return fmt::format("(= {} {})", dump(each.left), dump(each.right));
  }
  std::string operator()(const Assignment& each) const {
    return fmt::format("(:= {} {})", dump(each.target), dump(each.value));
  }
  std::string operator()(const Reinit& each) const {
    return fmt::format("(reinit {} {})", dump(each.variable), dump(each.value));
  }
  std::string operator()(const Assert& each) const {
    return fmt::format("(assert {} {})", dump(each.condition), dump(each.message));
  }
  std::string operator()(const Terminate& each) const {
    return fmt::format("(terminate {})", dump(each.message));
  }
  std::string operator()(const ForEquation& each) const {
    return "(for" + dump(each.iterators) + body(each.body) + ")";
  }
  std::string operator()(const ForStatement& each) const {
    return "(for" + dump(each.iterators) + body(each.body) + ")";
  }
  std::string operator()(const WhenEquation& each) const {
    return "(when" + branches(each.branches) + ")";
  }
  std::string operator()(const IfEquation& each) const {
    return "(if" + branches(each.branches) + (each.has_else ? body(each.otherwise) : "") + ")";
  }
  std::string operator()(const IfStatement& each) const {
    return "(if" + branches(each.branches) + body(each.otherwise) + ")";
  }
};

inline std::string dump(const Expression& expression) {
  return expression ? std::visit(Dump(), expression->value) : "null";
}
inline std::string dump(const Equation& equation) {
  return std::visit(Dump(), equation.value);
}
inline std::string dump(const Statement& statement) {
  return std::visit(Dump(), statement.value);
}

}  // namespace daedalus::model
