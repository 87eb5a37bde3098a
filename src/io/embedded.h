#pragma once
// The data files that the build compiles into the program (daedalus_embed in CMake), so that it
// runs without a data folder. A file's name is its path in the source tree: "data/x.csv".
#include <span>
#include <string_view>

namespace daedalus {

/// The text of one file. Throws InvalidInput for a name that is not there.
std::string_view embedded(std::string_view name);

/// Every name, sorted.
std::span<const std::string_view> embedded_names();

}  // namespace daedalus
