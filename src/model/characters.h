#pragma once
// UTF-8 as far as messages need it: where characters begin and how wide a terminal shows them.
#include <cstddef>
#include <string_view>

namespace daedalus::model {

struct Character {
  char32_t code = 0;
  std::size_t length = 1;  ///< in bytes
  bool is_valid = true;
};

inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Of a text that is not empty. A byte that begins no UTF-8 sequence is one invalid character.
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

/// Columns of a terminal: 0 for combining marks, 2 for East Asian wide characters, else 1.
std::size_t display_width(char32_t code);

}  // namespace daedalus::model
