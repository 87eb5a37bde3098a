// What a syntax error says: what was expected, what stands there, and what was probably meant.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "method/nearest.h"
#include "model/characters.h"
#include "model/diagnostic.h"
#include "model/parser.h"

namespace daedalus::model {
namespace {

struct Advice {
  std::string_view text;
  std::string_view hint;
};

constexpr Advice foreign_symbols[] = {
    {"!=", "'not equal' is written '<>'"},
    {"&&", "write 'and'"},
    {"&", "write 'and'"},
    {"||", "write 'or'"},
    {"|", "write 'or'"},
    {"!", "write 'not'"},
    {"~", "write 'not'; 'not equal' is written '<>'"},
    {"%", "the remainder is mod(a, b); comments begin with //"},
    {"#", "comments begin with //"},
    {"**", "powers are written a^b"},
    {"+=", "write a := a + b, in a function; an equation has '='"},
    {"-=", "write a := a - b, in a function; an equation has '='"},
    {"*=", "write a := a * b, in a function; an equation has '='"},
    {"/=", "write a := a / b, in a function; 'not equal' is written '<>'"},
    {"?", "write if c then a else b"},
    {".+", "write '+': arrays are added element by element"},
    {".-", "write '-': arrays are subtracted element by element"},
    {"=", "to compare, write '=='"},
};

constexpr std::string_view flat = "models are flat; a Modelica tool can write the flat model";
constexpr std::string_view no_records = "declare each part as a variable of its own";

constexpr Advice unsupported[] = {
    {"extends", flat},
    {"import", "write functions in the same file"},
    {"package", "write the model alone, with its functions beside it"},
    {"within", "leave the line out: there are no packages"},
    {"connect", "write the equations of the connection; a Modelica tool can write the flat model"},
    {"connector", flat},
    {"expandable", flat},
    {"block", "write 'model'"},
    {"class", "write 'model'"},
    {"partial", flat},
    {"encapsulated", "leave the word out"},
    {"record", no_records},
    {"operator", no_records},
    {"type", "write Real with attributes, as in Real m(unit = \"kg\", min = 0)"},
    {"enumeration", "use Integer constants"},
    {"inner", flat},
    {"outer", flat},
    {"redeclare", flat},
    {"replaceable", flat},
    {"constrainedby", flat},
    {"flow", "write the balance of the flows as an equation"},
    {"stream", "write the balance of the flows as an equation"},
    {"external", "write the function as an algorithm"},
    {"impure", "functions are pure"},
    {"pure", "leave the word out: functions are pure"},
    {"while", "write a for loop over a range"},
    {"return", "assign the output in an if statement"},
    {"break", "put the rest of the loop into an if statement"},
    {"optimization", "write 'model', with boundary conditions in 'constraint'"},
};

const Advice* find(const Advice* begin, const Advice* end, std::string_view text) {
  const Advice* found =
      std::find_if(begin, end, [text](const Advice& each) { return each.text == text; });
  return found == end ? nullptr : found;
}

std::string shown(const Token& token) {
  constexpr std::size_t longest = 40;
  if (token.kind == TokenKind::end_of_text) return "the text ends";
  if (token.kind == TokenKind::string) return "a string";
  if (token.text.size() <= longest) return fmt::format("'{}'", token.text);
  std::size_t length = longest;
  while (is_continuation(token.text[length])) --length;
  return fmt::format("'{}...'", token.text.substr(0, length));
}

// Whether one word may be a slip of the other: all letters but two are the same.
bool is_near(std::string_view word, std::string_view other) {
  if (word.size() < 3) return false;
  std::array<int, 256> count{};
  for (const char letter : word) ++count[static_cast<unsigned char>(letter | 0x20)];
  for (const char letter : other) --count[static_cast<unsigned char>(letter | 0x20)];
  int differences = 0;
  for (const int each : count) differences += std::abs(each);
  return differences <= 2;
}

std::string meant(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 40) return {};
  const std::vector<std::string> nearest = nearest_names(word, known, 1);
  return !nearest.empty() && is_near(word, nearest[0]) ? nearest[0] : std::string();
}

bool begins_operand(const Token& token) {
  return token.kind == TokenKind::identifier || token.kind == TokenKind::number ||
         token.text == "(" || token.text == "der";
}

bool ends_operand(const Token& token) {
  return token.kind == TokenKind::identifier || token.kind == TokenKind::number ||
         token.text == ")" || token.text == "]";
}

bool is_prefix(const Token& token) {
  constexpr std::string_view prefixes[] = {"parameter", "constant", "discrete",
                                           "input",     "output",   "final"};
  return std::find(std::begin(prefixes), std::end(prefixes), token.text) != std::end(prefixes);
}

}  // namespace

void Parser::fail(const Span& at, std::string message, std::string hint) const {
  refuse_no_word();
  // Beside such a string nearly every mistake is a missing quote.
  for (const Token* each : {&previous(), &peek()}) {
    const bool goes_on =
        each->kind == TokenKind::string && each->text.find('\n') != std::string_view::npos;
    if (!goes_on) continue;
    hint = fmt::format("the string of line {} goes on over several lines; is a quote missing?",
                       each->at.line);
  }
  throw ModelError(*source_, Diagnostic{at, std::move(message), std::move(hint)});
}

void Parser::refuse_no_word() const {
  if (at_end() && lexical_error_) throw ModelError(*source_, *lexical_error_);
}

// Just behind a token, where something is missing.
Span Parser::end_of(const Token& token) const {
  Span result = token.at;
  for (const char byte : token.text) {
    if (byte == '\n') {
      ++result.line;
      result.column = 1;
    } else if (!is_continuation(byte)) {
      ++result.column;
    }
  }
  result.offset += token.at.length;
  result.length = 0;
  return result;
}

void Parser::fail_expected(std::string_view what, std::string_view where, std::string hint) const {
  const Token& found = peek();
  std::string message = fmt::format("expected {}", what);
  if (!where.empty()) message += fmt::format(" {}", where);
  if (hint.empty()) hint = hint_at(found);
  // What is missing at the end of a line is shown there, not where the next line begins.
  const bool line_ended = next_ > 0 && (at_end() || found.at.line > end_of(previous()).line);
  if (at_end())
    message += " but the text ends";
  else if (!line_ended)
    message += fmt::format(" but found {}", shown(found));
  fail(line_ended ? end_of(previous()) : found.at, std::move(message), std::move(hint));
}

std::string Parser::hint_at(const Token& token) const {
  const Token& before = previous();
  if (const auto* advice =
          find(std::begin(foreign_symbols), std::end(foreign_symbols), token.text)) {
    return std::string(advice->hint);
  }
  const bool same_line = next_ > 0 && end_of(before).line == token.at.line;
  if (same_line && ends_operand(before) && begins_operand(token)) {
    if (before.kind == TokenKind::number) {
      return fmt::format("write {}*{}", before.text, token.text);
    }
    return "is an operator missing between the two, such as '*'?";
  }
  return {};
}

// Where an operand should stand.
void Parser::fail_at_operand() const {
  const Token& token = peek();
  const bool line_ended = next_ > 0 && (at_end() || token.at.line > end_of(previous()).line);
  const bool closes = token.kind == TokenKind::keyword || token.text == ")" || token.text == ";";
  if (line_ended && (at_end() || closes)) {
    fail_expected("an expression", fmt::format("after {}", shown(previous())));
  }
  std::string hint = hint_at(token);
  const bool after_operator =
      next_ > 0 && previous().kind == TokenKind::symbol &&
      std::string_view("+-*/^.*./.^<=>=<>==").find(previous().text) != std::string_view::npos;
  if (at_any({"+", "-"}) && after_operator) {
    hint = fmt::format("put the sign in parentheses: a {} ({}b)", previous().text, token.text);
  } else if (at("if")) {
    hint = "put the if-expression in parentheses";
  } else if (at("not")) {
    hint = "put 'not ...' in parentheses";
  } else if (at("end") && hint.empty()) {
    hint = "as a value, 'end' stands only in subscripts: x[end]";
  } else if (at(".")) {
    hint = "numbers begin with a digit: 0.5; names do not begin with a point";
  } else if (at("=") && previous().text == "=") {
    hint = "an equation is written with '=', a comparison with '=='";
  } else if (token.kind == TokenKind::keyword && hint.empty()) {
    hint = fmt::format("'{}' is a reserved word", token.text);
  }
  fail(token.at, fmt::format("expected an expression but found {}", shown(token)), std::move(hint));
}

void Parser::fail_unsupported(const Token& token) const {
  const auto* advice = find(std::begin(unsupported), std::end(unsupported), token.text);
  fail(token.at, fmt::format("'{}' is not supported", token.text),
       advice ? std::string(advice->hint) : std::string());
}

// Throws if a construct begins here that Modelica has and this language has not.
void Parser::refuse_unsupported() const {
  const Token& token = peek();
  if (at("algorithm") && section_ == Section::algorithm) {
    fail(token.at, "a second 'algorithm' in this function", "leave the word out");
  }
  if (at("algorithm")) {
    fail(token.at, "'algorithm' is not supported in a model",
         "write equations, or a function with an algorithm");
  }
  const bool is_word = token.kind == TokenKind::keyword || token.text == "optimization";
  if (is_word && find(std::begin(unsupported), std::end(unsupported), token.text)) {
    if (token.text == "optimization" && peek(1).kind != TokenKind::identifier) return;
    fail_unsupported(token);
  }
}

// Throws if a declaration begins here, among equations or statements.
void Parser::refuse_declaration() const {
  const bool prefix = at_any({"parameter", "constant", "discrete", "input", "output", "final"});
  const bool typed = at_any({"Real", "Integer", "Boolean", "String"}) &&
                     (peek(1).kind == TokenKind::identifier || peek(1).text == "[");
  if (!prefix && !typed) return;
  fail(peek().at, "a declaration cannot stand here",
       section_ == Section::algorithm ? "move it above 'algorithm'"
                                      : "move it above 'equation', to the other declarations");
}

void Parser::fail_not_a_declaration() const {
  const Token& token = peek();
  refuse_unsupported();
  if (at_any({"model", "function"})) {
    fail(token.at, fmt::format("a {} cannot stand inside a model", token.text),
         at("function") ? "write it before the model" : "is 'end NAME;' missing before it?");
  }
  if (is_prefix(previous()))
    fail_expected("a type", fmt::format("after '{}'", previous().text),
                  "write Real, Integer or Boolean before the name");
  std::string hint = hint_at(token);
  if (at_any({"der", "for", "if", "when", "(", "-", "{", "["}) || token.kind == TokenKind::number) {
    hint = "equations come below the word 'equation'";
  } else if (at(";")) {
    hint = previous().text == ";" ? "one ';' is enough" : "no ';' stands here";
  }
  fail(at_end() ? end_of(previous()) : token.at,
       fmt::format("expected a declaration but found {}", shown(token)), std::move(hint));
}

void Parser::fail_unknown_type(const Token& token) const {
  static const std::vector<std::string> sections = {"equation",  "constraint", "initial",
                                                    "protected", "public",     "annotation"};
  static const std::vector<std::string> starts = {"parameter", "constant", "discrete", "Real",
                                                  "Integer",   "Boolean",  "end"};
  refuse_unsupported();
  const Token& after = peek(1);
  if (const std::string word = meant(token.text, sections); !word.empty()) {
    fail(token.at, fmt::format("unknown section {}", shown(token)),
         fmt::format("did you mean '{}'?", word));
  }
  if (after.text == ":=") {
    fail(token.at, fmt::format("expected a declaration but found {}", shown(token)),
         "assignments come below 'algorithm', in functions");
  }
  const bool prefixed = is_prefix(previous());
  if (prefixed && (after.text == "=" || after.text == ";" || after.text == ",")) {
    fail(token.at, fmt::format("'{}' has no type", token.text),
         fmt::format("write {} Real {}", previous().text, token.text));
  }
  if (after.text == "=" || after.text == "(" || after.text == "[") {
    fail(token.at, fmt::format("expected a declaration but found {}", shown(token)),
         "a declaration begins with its type, as in Real x; equations come below 'equation'");
  }
  if (token.text == "String") {
    fail(token.at, "type 'String' is not supported", "strings stand only in messages and labels");
  }
  std::string hint = "types are Real, Integer and Boolean; a unit is an attribute: unit = \"kg\"";
  if (const std::string word = meant(token.text, starts); !word.empty()) {
    hint = fmt::format("did you mean '{}'?", word);
  } else if (token.text == "double" || token.text == "float") {
    hint = "write Real";
  } else if (token.text == "int") {
    hint = "write Integer";
  } else if (token.text == "bool") {
    hint = "write Boolean";
  }
  std::size_t length = 0;
  while (peek(length + 1).text == "." && peek(length + 2).kind == TokenKind::identifier)
    length += 2;
  Token whole = token;
  whole.at.length = peek(length).at.offset + peek(length).at.length - token.at.offset;
  whole.text = std::string_view(source_->text).substr(whole.at.offset, whole.at.length);
  fail(whole.at, fmt::format("unknown type {}", shown(whole)), std::move(hint));
}

}  // namespace daedalus::model
