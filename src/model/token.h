#pragma once
// The words of a model text.
#include <optional>
#include <string_view>
#include <vector>

#include "model/ast.h"
#include "model/diagnostic.h"

namespace daedalus::model {

enum class TokenKind { identifier, keyword, number, string, symbol, end_of_text };

/// `text` is as written: with quotes for strings and quoted identifiers. No two kinds share a text,
/// so that comparing texts suffices. It points into the source.
struct Token {
  TokenKind kind = TokenKind::end_of_text;
  std::string_view text;
  Span at;
};

/// The words without comments and white space; the last token is end_of_text. Where the text is no
/// word of the language the list ends early and `error` says why: a mistake before it, such as a
/// missing quote, is then still found first.
struct Tokens {
  std::vector<Token> list;
  std::optional<Diagnostic> error;
};
Tokens tokens_of(const Source& source);

}  // namespace daedalus::model
