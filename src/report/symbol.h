#pragma once
// A variable's name as a mathematical symbol: `omega_ref` is a Greek letter with a subscript.
#include <string>
#include <string_view>

namespace daedalus::report {

struct Symbol {
  std::string base = {};       ///< MathML
  std::string subscript = {};  ///< MathML without its <mrow>; may be empty
  bool is_word = false;        ///< longer than one letter: a product needs a visible dot
};

Symbol symbol_of(std::string_view name);

/// base, subscript and superscript in one element; any but the base may be empty.
std::string scripted(const std::string& base, const std::string& subscript,
                     const std::string& superscript);

}  // namespace daedalus::report
