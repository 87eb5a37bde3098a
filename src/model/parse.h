#pragma once
// Model text to syntax tree. Nothing is looked up: names, types, shapes and counts are checked
// later.
#include <string>
#include <string_view>

#include "model/ast.h"

namespace daedalus::model {

/// Parentheses, brackets, calls and blocks nest at most this deep.
inline constexpr int max_depth = 200;

/// Throws ModelError for any text that is not a model. `file_name` is only for messages.
Ast parse_model(std::string_view text, std::string file_name);

/// One expression, such as a command line may hold.
Expression parse_expression(std::string_view text, std::string file_name = "expression");

}  // namespace daedalus::model
