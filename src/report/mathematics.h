#pragma once
// Infix text as readable mathematics: `der(x, 2) = -x*lambda/m` becomes MathML with a fraction,
// dots, Greek letters, and subscripts for q[1] and x_max. Text that is no such expression is
// shown as it is.
#include <string>
#include <string_view>

namespace daedalus::report {

/// A <math> element, or <code> with the text where it cannot be read as an expression.
std::string mathematics(std::string_view infix);

/// For text and attribute values of HTML.
std::string escaped(std::string_view text);

}  // namespace daedalus::report
