// A precedence climber that writes MathML as it reads; parentheses of the text are dropped where a
// fraction or a root shows the grouping.
#include "report/mathematics.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "report/symbol.h"
#include "report/tokens.h"

namespace daedalus::report {
namespace {

enum Level : int { anything, disjunction, conjunction, relation, sum, product, compound, atom };

/// What was read so far, with what its surroundings must know about it.
struct Term {
  std::string markup = {};
  Level level = atom;
  bool begins_with_number = false;
  bool is_word = false;  ///< begins or ends with a name of several letters
  bool is_symbol = false;
  Symbol symbol = {};
  int order = 0;              ///< derivatives taken of the symbol
  std::string function = {};  ///< of f(x): f, for powers such as sin²(x)
  std::string argument = {};
};

struct NotReadable : std::runtime_error {
  NotReadable() : std::runtime_error("no expression") {}
};

std::string in_parentheses(const std::string& markup) {
  return "<mrow><mo>(</mo>" + markup + "<mo>)</mo></mrow>";
}

std::string at_least(Level level, const Term& term) {
  return term.level >= level ? term.markup : in_parentheses(term.markup);
}

/// Dots over the letter, as far as they can be counted at a glance.
std::string with_dots(const std::string& base, int order) {
  return fmt::format("<mover accent=\"true\">{}<mo stretchy=\"false\">{}</mo></mover>", base,
                     order == 1 ? "˙" : "¨");
}

Term symbol_term(const Symbol& symbol) {
  Term term;
  term.markup = scripted(symbol.base, symbol.subscript, "");
  term.is_symbol = true;
  term.is_word = symbol.is_word;
  term.symbol = symbol;
  return term;
}

Term derivative(const Term& term, int order) {
  Term result;
  if (term.is_symbol && !term.symbol.is_word && term.order + order <= 2) {
    result = symbol_term(term.symbol);
    result.order = term.order + order;
    result.markup = scripted(with_dots(term.symbol.base, result.order), term.symbol.subscript, "");
    result.level = compound;
    return result;
  }
  // d^n/dt^n, over the name itself or before an expression in parentheses.
  const int total = term.is_symbol ? term.order + order : order;
  const std::string power = total == 1 ? "" : fmt::format("<mn>{}</mn>", total);
  const std::string symbol =
      term.is_symbol ? scripted(term.symbol.base, term.symbol.subscript, "") : "";
  result.markup =
      fmt::format("<mrow><mfrac><mrow>{}{}</mrow><mrow><mi>d</mi>{}</mrow></mfrac>{}</mrow>",
                  scripted("<mi>d</mi>", "", power), symbol, scripted("<mi>t</mi>", "", power),
                  term.is_symbol ? "" : in_parentheses(term.markup));
  result.level = term.is_symbol ? compound : product;
  result.is_symbol = term.is_symbol;
  result.symbol = term.symbol;
  result.order = total;
  return result;
}

Term number_term(const std::string& text) {
  Term term;
  term.begins_with_number = true;
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string::npos) {
    term.markup = "<mn>" + text + "</mn>";
    return term;
  }
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  term.markup = fmt::format(
      "<mrow><mn>{}</mn><mo>·</mo><msup><mn>10</mn><mrow>{}<mn>{}</mn>"
      "</mrow></msup></mrow>",
      text.substr(0, e), negative ? "<mo>−</mo>" : "", exponent);
  term.level = product;
  return term;
}

Term power(const Term& base, const Term& exponent) {
  Term term;
  if (base.is_symbol && base.order == 0) {
    term.markup = scripted(base.symbol.base, base.symbol.subscript, exponent.markup);
  } else if (!base.function.empty() && exponent.begins_with_number && exponent.level == atom) {
    term.markup =
        "<mrow>" + scripted(base.function, "", exponent.markup) + base.argument + "</mrow>";
  } else {
    term.markup = scripted(at_least(atom, base), "", exponent.markup);
  }
  term.level = compound;
  term.begins_with_number = base.begins_with_number;
  term.is_word = base.is_word;
  return term;
}

Term times(const Term& left, const Term& right) {
  const bool dot = right.begins_with_number || left.is_word || right.is_word;
  Term term;
  term.markup =
      fmt::format("<mrow>{}{}{}</mrow>", at_least(product, left),
                  dot ? "<mo>·</mo>" : "<mspace width=\"0.17em\"/>", at_least(product, right));
  term.level = product;
  term.begins_with_number = left.begins_with_number;
  term.is_word = right.is_word;
  return term;
}

Term over(const Term& left, const Term& right) {
  return {fmt::format("<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>", left.markup, right.markup),
          compound};
}

Term call(const std::string& name, const std::vector<Term>& arguments) {
  static const std::map<std::string, std::string> names = {{"log", "ln"},
                                                           {"asin", "arcsin"},
                                                           {"acos", "arccos"},
                                                           {"atan", "arctan"},
                                                           {"atan2", "arctan"}};
  const bool one = arguments.size() == 1;
  if (name == "sqrt" && one) return {"<msqrt>" + arguments[0].markup + "</msqrt>", compound};
  if (name == "abs" && one)
    return {"<mrow><mo>|</mo>" + arguments[0].markup + "<mo>|</mo></mrow>", atom};
  if (name == "exp" && one) return power({"<mi mathvariant=\"normal\">e</mi>"}, arguments[0]);
  if (name == "pow" && arguments.size() == 2) return power(arguments[0], arguments[1]);
  if (name == "der" && one) return derivative(arguments[0], 1);
  Term term;
  for (const Term& argument : arguments)
    term.argument += (term.argument.empty() ? "" : "<mo>,</mo>") + argument.markup;
  term.argument = in_parentheses(term.argument);
  const auto known = names.find(name);
  if (known != names.end()) {
    term.function = "<mi>" + known->second + "</mi>";
  } else if (name == "log10") {
    term.function = "<msub><mi>log</mi><mn>10</mn></msub>";
  } else {
    const Symbol symbol = symbol_of(name);
    term.function = scripted(symbol.base, symbol.subscript, "");
  }
  term.markup = "<mrow>" + term.function + term.argument + "</mrow>";
  term.level = compound;
  term.is_word = true;
  return term;
}

class Reader {
 public:
  explicit Reader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::string read() {
    const Term term = expression(anything);
    if (peek().kind != Token::Kind::end) throw NotReadable();
    return term.markup;
  }

 private:
  const Token& peek() const { return tokens_[next_]; }
  bool accept(std::string_view text) {
    if (!peek().is(text)) return false;
    ++next_;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) throw NotReadable();
  }

  Term expression(Level least) {
    // Deep nesting would be no more readable than the text, and must not exhaust the stack.
    if (++depth_ > 200) throw NotReadable();
    Term left = prefix();
    while (infix(left, least)) continue;
    --depth_;
    return left;
  }

  Term prefix() {
    if (accept("if")) return cases();
    if (accept("not")) return {"<mo>¬</mo>" + at_least(compound, expression(relation)), relation};
    if (accept("+")) return expression(product);
    if (accept("-")) {
      const Term term = expression(product);
      return {"<mrow><mo>−</mo>" + at_least(product, term) + "</mrow>", sum};
    }
    return operand();
  }

  /// One operator and its right side, if the operator binds at least as `least` does.
  bool infix(Term& left, Level least) {
    struct Operator {
      Level level;
      const char* sign;
    };
    static const std::map<std::string, Operator> operators = {
        {"=", {anything, "="}},     {":=", {anything, "≔"}},     {"==", {relation, "="}},
        {"<>", {relation, "≠"}},    {"!=", {relation, "≠"}},     {"<", {relation, "&lt;"}},
        {"<=", {relation, "≤"}},    {">", {relation, "&gt;"}},   {">=", {relation, "≥"}},
        {"or", {disjunction, "∨"}}, {"and", {conjunction, "∧"}}, {"+", {sum, "+"}},
        {"-", {sum, "−"}},          {".+", {sum, "+"}},          {".-", {sum, "−"}},
        {"*", {product, ""}},       {".*", {product, "⊙"}},      {"/", {product, ""}},
        {"./", {product, ""}},      {"^", {compound, ""}},       {".^", {compound, ""}}};
    if (peek().kind != Token::Kind::symbol && !peek().is("or") && !peek().is("and")) return false;
    const auto found = operators.find(peek().text);
    if (found == operators.end() || found->second.level < least) return false;
    const auto& [text, op] = *found;
    ++next_;
    const Level level = op.level;
    // Exponents may carry a sign: 2^-3.
    Term right = level == compound ? peek().is("-") ? prefix() : expression(compound)
                                   : expression(static_cast<Level>(level + 1));
    if (level == compound) {
      left = power(left, right);
    } else if (text == "*") {
      left = times(left, right);
    } else if (text == "/" || text == "./") {
      left = over(left, right);
    } else {
      const auto beside = [&](const Term& term, int needed) {
        return at_least(static_cast<Level>(needed), term);
      };
      left = {"<mrow>" + beside(left, level) + "<mo>" + op.sign + "</mo>" +
                  beside(right, level == anything ? anything : level + 1) + "</mrow>",
              level};
    }
    return true;
  }

  Term operand() {
    const Token token = peek();
    ++next_;
    if (token.kind == Token::Kind::number) return number_term(token.text);
    if (token.kind == Token::Kind::text)
      return {"<mtext>" + escaped(token.text) + "</mtext>", atom};
    if (token.is("(")) {
      Term term = expression(anything);
      expect(")");
      return term;
    }
    if (token.is("{")) {
      const std::vector<Term> entries = list("}");
      Term term = call("vector", entries);
      return {term.argument, atom};
    }
    if (token.kind != Token::Kind::name || token.is("then") || token.is("else"))
      throw NotReadable();
    if (accept("(")) return token.text == "der" ? derivative_call() : call(token.text, list(")"));
    return name(token.text);
  }

  Term name(const std::string& text) {
    Symbol symbol = symbol_of(text);
    if (accept("[")) {
      for (const Term& index : list("]"))
        symbol.subscript += (symbol.subscript.empty() ? "" : "<mo>,</mo>") + index.markup;
    }
    int order = 0;
    while (accept("'")) ++order;
    const Term term = symbol_term(symbol);
    return order == 0 ? term : derivative(term, order);
  }

  Term derivative_call() {
    const Term term = expression(anything);
    int order = 1;
    if (accept(",")) {
      const Token count = peek();
      ++next_;
      if (count.kind != Token::Kind::number || count.text.size() > 2 ||
          count.text.find_first_not_of("0123456789") != std::string::npos)
        throw NotReadable();
      order = std::stoi(count.text);
    }
    expect(")");
    return derivative(term, order);
  }

  std::vector<Term> list(std::string_view end) {
    std::vector<Term> terms;
    if (accept(end)) return terms;
    do {
      terms.push_back(expression(anything));
    } while (accept(","));
    expect(end);
    return terms;
  }

  Term cases() {
    std::string rows;
    const auto add = [&](const std::string& value, const std::string& condition) {
      rows += fmt::format("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>", value, condition);
    };
    do {
      const Term condition = expression(anything);
      expect("then");
      const Term value = expression(anything);
      add(value.markup, "<mtext>if </mtext>" + condition.markup);
    } while (accept("elseif"));
    expect("else");
    add(expression(anything).markup, "<mtext>otherwise</mtext>");
    return {"<mrow><mo>{</mo><mtable columnalign=\"left\">" + rows + "</mtable></mrow>", sum};
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string mathematics(std::string_view infix) {
  // Long lines do not break in a formula.
  const auto tokens = infix.size() > 2000 ? std::nullopt : tokens_of(infix);
  if (tokens) try {
      return "<math display=\"block\">" + Reader(*tokens).read() + "</math>";
    } catch (const NotReadable&) {
    }
  return "<code>" + escaped(infix) + "</code>";
}

}  // namespace daedalus::report
