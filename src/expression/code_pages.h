#pragma once
// Memory for machine code: the same pages seen twice, once to be written and once to be executed,
// never both. Code of many tapes shares them; they are given back when none of it is used.
#include <cstdint>
#include <memory>
#include <span>

namespace daedalus {

struct InstalledCode {
  const void* entry = nullptr;  ///< null: the system does not let programs make code
  std::shared_ptr<const void> pages;
};

/// Position-independent code, put where it can be executed.
InstalledCode install_code(std::span<const std::uint8_t> code);

}  // namespace daedalus
