#pragma once
// The pieces of CSV text, RFC 4180.
#include <string>
#include <string_view>

namespace daedalus {

/// In quotes only where it must be: a comma in brackets, A[1,2], needs them as any other.
std::string csv_text(std::string_view text);

/// 17 significant digits, as %.17g.
void append_csv(std::string& line, double value);

}  // namespace daedalus
