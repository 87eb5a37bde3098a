#include "report/symbol.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "report/mathematics.h"

namespace daedalus::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 37> letters = {{
    {"alpha", "α"},   {"beta", "β"},     {"gamma", "γ"},   {"delta", "δ"},  {"epsilon", "ε"},
    {"eps", "ε"},     {"zeta", "ζ"},     {"eta", "η"},     {"theta", "θ"},  {"iota", "ι"},
    {"kappa", "κ"},   {"lambda", "λ"},   {"mu", "μ"},      {"nu", "ν"},     {"xi", "ξ"},
    {"omicron", "ο"}, {"pi", "π"},       {"rho", "ρ"},     {"sigma", "σ"},  {"tau", "τ"},
    {"upsilon", "υ"}, {"phi", "φ"},      {"chi", "χ"},     {"psi", "ψ"},    {"omega", "ω"},
    {"Gamma", "Γ"},   {"Delta", "Δ"},    {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},
    {"Pi", "Π"},      {"Sigma", "Σ"},    {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},
    {"Omega", "Ω"},   {"infinity", "∞"},
}};

std::string_view greek(std::string_view name) {
  const auto found = std::find_if(letters.begin(), letters.end(),
                                  [&](const auto& letter) { return letter.first == name; });
  return found == letters.end() ? std::string_view() : found->second;
}

std::string identifier(std::string_view name) {
  const std::string_view letter = greek(name);
  return fmt::format("<mi>{}</mi>", letter.empty() ? escaped(name) : std::string(letter));
}

std::string subscript_part(std::string_view part) {
  const bool number = part.find_first_not_of("0123456789") == std::string_view::npos;
  return number ? fmt::format("<mn>{}</mn>", part) : identifier(part);
}

}  // namespace

Symbol symbol_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot > 0 && dot + 1 < name.size()) {
    Symbol last = symbol_of(name.substr(dot + 1));
    last.base = fmt::format("<mrow><mi>{}.</mi>{}</mrow>", escaped(name.substr(0, dot)), last.base);
    last.is_word = true;
    return last;
  }
  Symbol symbol;
  std::string_view base = name, rest;
  const std::size_t underscore = name.find('_', 1);
  if (underscore != std::string_view::npos && underscore + 1 < name.size())
    base = name.substr(0, underscore), rest = name.substr(underscore + 1);
  const std::size_t letter_end = base.find_last_not_of("0123456789");
  std::string_view digits;
  if (letter_end != std::string_view::npos && letter_end + 1 < base.size())
    digits = base.substr(letter_end + 1), base = base.substr(0, letter_end + 1);
  if (!digits.empty()) symbol.subscript = subscript_part(digits);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('_'), rest.size());
    if (end > 0) {
      if (!symbol.subscript.empty()) symbol.subscript += "<mo>,</mo>";
      symbol.subscript += subscript_part(rest.substr(0, end));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  symbol.base = identifier(base);
  symbol.is_word = base.size() > 1 && greek(base).empty();
  return symbol;
}

std::string scripted(const std::string& base, const std::string& subscript,
                     const std::string& superscript) {
  if (subscript.empty() && superscript.empty()) return base;
  if (superscript.empty()) return fmt::format("<msub>{}<mrow>{}</mrow></msub>", base, subscript);
  if (subscript.empty()) return fmt::format("<msup>{}<mrow>{}</mrow></msup>", base, superscript);
  return fmt::format("<msubsup>{}<mrow>{}</mrow><mrow>{}</mrow></msubsup>", base, subscript,
                     superscript);
}

}  // namespace daedalus::report
