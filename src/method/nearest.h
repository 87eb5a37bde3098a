#pragma once
// Which known names a mistyped word may have meant.
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

/// At most `most` of `known`, nearest first by edit distance (insert, delete, replace, or swap two
/// neighbours); among equals in the order of `known`.
std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string>& known,
                                       int most = 3);

}  // namespace daedalus
