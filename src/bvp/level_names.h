#pragma once
// What derivatives of equations and variables are called in messages.
#include <string>

#include <fmt/format.h>

namespace daedalus::bvp {

inline std::string level_name(const std::string& name, int level) {
  if (level == 0) return name;
  return level == 1 ? fmt::format("d/dt of {}", name)
                    : fmt::format("d{}/dt{} of {}", level, level, name);
}

inline std::string prime_name(const std::string& name, int order) {
  return order == 0   ? name
         : order == 1 ? fmt::format("der({})", name)
                      : fmt::format("der({}, {})", name, order);
}

}  // namespace daedalus::bvp
