#pragma once
// The pieces of JSON text that are written without a tree in memory.
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace daedalus {

/// With quotes; bytes that are no UTF-8 are replaced; '<' is escaped, so that the text may stand
/// in a script element of HTML.
std::string json_text(std::string_view text);

/// Shortest digits that read back to the same bits; null where it is not finite.
void append_json(fmt::memory_buffer& out, double value);

}  // namespace daedalus
