#pragma once
// Cuts infix text, as models and their derived equations write it, into tokens.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::report {

struct Token {
  enum class Kind { number, name, text, symbol, end } kind = Kind::end;
  std::string text = {};

  bool is(std::string_view wanted) const {
    return kind != Kind::number && kind != Kind::text && text == wanted;
  }
};

/// The last token is of kind `end`; empty where a character has no meaning.
std::optional<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace daedalus::report
