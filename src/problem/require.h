#pragma once
// Checks of what users give. The message is put together only where a check fails: a short run
// would spend more time on its checks than on its steps.
#include <utility>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {

inline void require(bool holds, const char* message) {
  if (!holds) throw InvalidInput(message);
}
inline void require(bool holds, const std::string& message) {
  if (!holds) throw InvalidInput(message);
}
template <class First, class... Rest>
void require(bool holds, fmt::format_string<First, Rest...> message, First&& first,
             Rest&&... rest) {
  if (!holds)
    throw InvalidInput(
        fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
}

}  // namespace daedalus
