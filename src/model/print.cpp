#include "model/print.h"

#include <cmath>

#include <fmt/format.h>

namespace daedalus::model {
namespace {

// How tightly an expression holds together; an operand below what its place needs is enclosed.
enum class Level {
  any,
  range,
  disjunction,
  conjunction,
  negation,
  relation,
  sum,
  product,
  power,
  primary
};

Level level_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::logical_or:
      return Level::disjunction;
    case BinaryOperator::logical_and:
      return Level::conjunction;
    case BinaryOperator::add:
    case BinaryOperator::subtract:
      return Level::sum;
    case BinaryOperator::multiply:
    case BinaryOperator::divide:
    case BinaryOperator::elementwise_multiply:
    case BinaryOperator::elementwise_divide:
      return Level::product;
    case BinaryOperator::power:
    case BinaryOperator::elementwise_power:
      return Level::power;
    default:
      return Level::relation;
  }
}

std::string_view sign_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::add:
      return " + ";
    case BinaryOperator::subtract:
      return " - ";
    case BinaryOperator::multiply:
      return "*";
    case BinaryOperator::divide:
      return "/";
    case BinaryOperator::power:
      return "^";
    case BinaryOperator::elementwise_multiply:
      return " .* ";
    case BinaryOperator::elementwise_divide:
      return " ./ ";
    case BinaryOperator::elementwise_power:
      return " .^ ";
    case BinaryOperator::less:
      return " < ";
    case BinaryOperator::less_equal:
      return " <= ";
    case BinaryOperator::greater:
      return " > ";
    case BinaryOperator::greater_equal:
      return " >= ";
    case BinaryOperator::equal:
      return " == ";
    case BinaryOperator::not_equal:
      return " <> ";
    case BinaryOperator::logical_and:
      return " and ";
    case BinaryOperator::logical_or:
      return " or ";
  }
  return " ? ";
}

Level next(Level level) {
  return static_cast<Level>(static_cast<int>(level) + 1);
}

Level level_of(const Node& node) {
  if (const auto* chain = std::get_if<Chain>(&node.value)) return level_of(chain->links[0].op);
  if (const auto* unary = std::get_if<Unary>(&node.value)) {
    return unary->op == UnaryOperator::logical_not ? Level::negation : Level::sum;
  }
  if (std::holds_alternative<Range>(node.value)) return Level::range;
  if (std::holds_alternative<If>(node.value)) return Level::any;
  const auto* number = std::get_if<Number>(&node.value);
  return number != nullptr && std::signbit(number->value) ? Level::sum : Level::primary;
}

bool is_reduction(std::string_view function) {
  return function == "sum" || function == "product" || function == "min" || function == "max";
}

std::string quoted(std::string_view text) {
  constexpr std::string_view specials = "\a\b\f\n\r\t\v\"\\";
  constexpr std::string_view letters = "abfnrtv\"\\";
  std::string result = "\"";
  for (const char each : text) {
    const std::size_t found = specials.find(each);
    if (found == std::string_view::npos) {
      result += each;
    } else {
      result += '\\';
      result += letters[found];
    }
  }
  return result + '"';
}

class Printer {
 public:
  std::string text;

  void print(const Expression& expression, Level needed = Level::any) {
    if (!expression) return;
    const bool enclosed = level_of(*expression) < needed;
    if (enclosed) text += '(';
    std::visit([this](const auto& value) { write(value); }, expression->value);
    if (enclosed) text += ')';
  }

  void print(const Equation& equation) {
    std::visit([this](const auto& value) { write(value); }, equation.value);
  }
  void print(const Statement& statement) {
    std::visit([this](const auto& value) { write(value); }, statement.value);
  }

 private:
  void write(const Number& number) {
    if (number.is_integer) {
      text += fmt::format("{:.0f}", number.value);
      return;
    }
    const std::string digits = fmt::format("{}", number.value);
    text += digits;
    if (digits.find_first_of(".en") == std::string::npos) text += ".0";
  }
  void write(const Boolean& boolean) { text += boolean.value ? "true" : "false"; }
  void write(const Text& literal) { text += quoted(literal.value); }
  void write(const TimeSymbol& symbol) {
    text += symbol.kind == TimeKind::time         ? "time"
            : symbol.kind == TimeKind::start_time ? "startTime"
                                                  : "finalTime";
  }
  void write(const All&) { text += ':'; }
  void write(const End&) { text += "end"; }

  void write(const Reference& reference) {
    text += reference.name;
    if (reference.subscripts.empty()) return;
    text += '[';
    print_list(reference.subscripts, ",");
    text += ']';
  }

  void write(const Unary& unary) {
    text += unary.op == UnaryOperator::logical_not ? "not "
            : unary.op == UnaryOperator::minus     ? "-"
                                                   : "+";
    print(unary.operand, unary.op == UnaryOperator::logical_not ? Level::relation : Level::product);
  }

  void write(const Chain& chain) {
    const Level level = level_of(chain.links[0].op);
    const auto* unary = as<Unary>(chain.first);
    // -a + b has its sign first, and needs no parentheses there; -a < b has a sum on each side.
    const bool leading_sign =
        level == Level::sum && unary != nullptr && unary->op != UnaryOperator::logical_not;
    print(chain.first, leading_sign ? Level::sum : next(level));
    for (const Chain::Link& link : chain.links) {
      text += sign_of(link.op);
      print(link.operand, next(level));
    }
  }

  void write(const Call& call) {
    text += call.function;
    text += '(';
    const auto* over = call.arguments.size() == 1 ? as<Comprehension>(call.arguments[0]) : nullptr;
    if (over != nullptr && is_reduction(call.function)) {
      print_comprehension(*over);
    } else {
      print_list(call.arguments, ", ");
    }
    text += ')';
  }

  void write(const AtTime& at) {
    print(at.value, Level::primary);
    text += '(';
    print(at.time);
    text += ')';
  }

  void write(const Array& array) {
    text += '{';
    print_list(array.elements, ", ");
    text += '}';
  }

  void write(const Comprehension& comprehension) {
    text += '{';
    print_comprehension(comprehension);
    text += '}';
  }

  void write(const Matrix& matrix) {
    text += '[';
    for (const auto& row : matrix.rows) {
      if (&row != &matrix.rows.front()) text += "; ";
      print_list(row, ", ");
    }
    text += ']';
  }

  void write(const Range& range) {
    print(range.first, Level::disjunction);
    for (const Expression* each : {&range.step, &range.last}) {
      if (!*each) continue;
      text += ':';
      print(*each, Level::disjunction);
    }
  }

  void write(const If& choice) {
    std::string_view word = "if ";
    for (const If::Branch& branch : choice.branches) {
      text += word;
      print(branch.condition);
      text += " then ";
      print(branch.value);
      word = " elseif ";
    }
    text += " else ";
    print(choice.otherwise);
  }

  void write(const Equality& equality) {
    // An if at the begin of an equation would be an if-equation.
    print(equality.left, Level::range);
    text += " = ";
    print(equality.right);
  }
  void write(const Reinit& reinit) { print_call("reinit", {reinit.variable, reinit.value}); }
  void write(const Assert& assertion) {
    print_call("assert", {assertion.condition, assertion.message});
  }
  void write(const Terminate& terminate) { print_call("terminate", {terminate.message}); }
  void write(const Assignment& assignment) {
    print(assignment.target);
    text += " := ";
    print(assignment.value);
  }
  void write(const ForEquation& loop) { print_loop(loop); }
  void write(const ForStatement& loop) { print_loop(loop); }
  void write(const WhenEquation& when) {
    print_branches(when.branches, "when ", "elsewhen ");
    text += "end when";
  }
  void write(const IfEquation& choice) {
    print_branches(choice.branches, "if ", "elseif ");
    if (choice.has_else) text += "else ";
    print_body(choice.otherwise);
    text += "end if";
  }
  void write(const IfStatement& choice) {
    print_branches(choice.branches, "if ", "elseif ");
    if (!choice.otherwise.empty()) text += "else ";
    print_body(choice.otherwise);
    text += "end if";
  }

  void print_list(const std::vector<Expression>& list, std::string_view separator) {
    for (const Expression& each : list) {
      if (&each != &list.front()) text += separator;
      print(each);
    }
  }
  void print_call(std::string_view name, const std::vector<Expression>& arguments) {
    text += name;
    text += '(';
    print_list(arguments, ", ");
    text += ')';
  }
  void print_comprehension(const Comprehension& comprehension) {
    print(comprehension.body);
    text += " for ";
    print_iterators(comprehension.iterators);
  }
  void print_iterators(const std::vector<Iterator>& iterators) {
    for (const Iterator& each : iterators) {
      if (&each != &iterators.front()) text += ", ";
      text += each.name + " in ";
      print(each.range);
    }
  }
  template <class Body>
  void print_body(const Body& body) {
    for (const auto& each : body) {
      print(each);
      text += "; ";
    }
  }
  template <class Loop>
  void print_loop(const Loop& loop) {
    text += "for ";
    print_iterators(loop.iterators);
    text += " loop ";
    print_body(loop.body);
    text += "end for";
  }
  template <class Branches>
  void print_branches(const Branches& branches, std::string_view word, std::string_view others) {
    for (const auto& branch : branches) {
      text += word;
      print(branch.condition);
      text += " then ";
      print_body(branch.body);
      word = others;
    }
  }
};

template <class T>
std::string printed(const T& tree) {
  Printer printer;
  printer.print(tree);
  return std::move(printer.text);
}

}  // namespace

std::string to_text(const Expression& expression) {
  return printed(expression);
}
std::string to_text(const Equation& equation) {
  return printed(equation);
}
std::string to_text(const Statement& statement) {
  return printed(statement);
}

std::string unquoted(std::string_view name) {
  std::string result;
  bool escaped = false;
  for (const char each : name) {
    const bool dropped = !escaped && (each == '\'' || each == '\\');
    escaped = !escaped && each == '\\';
    if (!dropped) result += each;
  }
  return result;
}

}  // namespace daedalus::model
