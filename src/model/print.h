#pragma once
// Syntax trees back to text, for reports and messages: with few parentheses, on one line, and so
// that the text parses to the same tree.
#include <string>
#include <string_view>

#include "model/ast.h"

namespace daedalus::model {

std::string to_text(const Expression& expression);
/// Without label and without the ';' at the end.
std::string to_text(const Equation& equation);
std::string to_text(const Statement& statement);

/// A name as people read it: 'body.r[1]' without its quotes.
std::string unquoted(std::string_view name);

}  // namespace daedalus::model
