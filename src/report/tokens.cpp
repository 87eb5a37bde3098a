#include "report/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace daedalus::report {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters outside of ASCII count as letters.
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t number_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && is_digit(s[n])) ++n;
  // In 2.*x the point belongs to the operator.
  if (n + 1 < s.size() && s[n] == '.' && is_digit(s[n + 1]))
    for (++n; n < s.size() && is_digit(s[n]);) ++n;
  else if (n < s.size() && s[n] == '.' && (n + 1 == s.size() || !std::ispunct(s[n + 1])))
    ++n;
  if (n < s.size() && (s[n] == 'e' || s[n] == 'E')) {
    std::size_t m = n + 1;
    if (m < s.size() && (s[m] == '+' || s[m] == '-')) ++m;
    if (m < s.size() && is_digit(s[m])) {
      while (m < s.size() && is_digit(s[m])) ++m;
      n = m;
    }
  }
  return n;
}

std::size_t name_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && (is_letter(s[n]) || is_digit(s[n]) ||
                          (s[n] == '.' && n + 1 < s.size() && is_letter(s[n + 1]))))
    ++n;
  return n;
}

std::size_t symbol_length(std::string_view s) {
  static constexpr std::array pairs = {
      "<=", ">=", "==", "<>", "!=", ":=", ".*", "./", ".^", ".+", ".-"};
  if (std::find(pairs.begin(), pairs.end(), s.substr(0, 2)) != pairs.end()) return 2;
  return std::string_view("+-*/^=<>()[]{},'").find(s[0]) == std::string_view::npos ? 0 : 1;
}

}  // namespace

std::optional<std::vector<Token>> tokens_of(std::string_view s) {
  std::vector<Token> tokens;
  bool after_operand = false;
  for (bool spaced = true; !s.empty();) {
    if (std::isspace(static_cast<unsigned char>(s[0]))) {
      s.remove_prefix(1);
      spaced = true;
      continue;
    }
    Token token;
    std::size_t length = 0;
    if (is_digit(s[0]) || (s[0] == '.' && s.size() > 1 && is_digit(s[1]))) {
      token.kind = Token::Kind::number;
      length = number_length(s);
    } else if (is_letter(s[0])) {
      token.kind = Token::Kind::name;
      length = name_length(s);
    } else if (s[0] == '"' || (s[0] == '\'' && (spaced || !after_operand))) {
      // A prime follows its operand at once; otherwise '...' is a quoted name.
      const std::size_t end = s.find(s[0], 1);
      if (end == std::string_view::npos) return {};
      token = {s[0] == '"' ? Token::Kind::text : Token::Kind::name,
               std::string(s.substr(1, end - 1))};
      s.remove_prefix(end + 1);
    } else {
      token.kind = Token::Kind::symbol;
      length = symbol_length(s);
      if (length == 0) return {};
    }
    if (length > 0) token.text = s.substr(0, length), s.remove_prefix(length);
    after_operand =
        token.kind == Token::Kind::name || token.is(")") || token.is("]") || token.is("'");
    spaced = false;
    tokens.push_back(std::move(token));
  }
  tokens.emplace_back();
  return tokens;
}

}  // namespace daedalus::report
