#pragma once
// The words of a model text.
#include <string_view>
#include <vector>

#include "model/ast.h"

namespace daedalus::model {

enum class TokenKind { identifier, keyword, number, string, symbol, end_of_text };

/// `text` is as written: with quotes for strings and quoted identifiers. No two kinds share a text,
/// so that comparing texts suffices. It points into the source.
struct Token {
  TokenKind kind = TokenKind::end_of_text;
  std::string_view text;
  Span at;
};

/// Without comments and white space; the last token is end_of_text. Throws ModelError for what is
/// no word of the language.
std::vector<Token> tokens_of(const Source& source);

}  // namespace daedalus::model
