#pragma once
#include <string_view>

namespace daedalus {

/// "major.minor.patch" of the library that is linked.
std::string_view version();

}  // namespace daedalus
