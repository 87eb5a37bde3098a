#pragma once
// The page, style and programs that the build compiles in (daedalus_embed in CMake).
#include <string_view>

namespace daedalus::report {

std::string_view embedded(std::string_view name);

}  // namespace daedalus::report
