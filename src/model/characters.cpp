#include "model/characters.h"

#include <algorithm>
#include <iterator>

namespace daedalus::model {
namespace {

struct Interval {
  char32_t first;
  char32_t last;
};

// The blocks that occur in comments; a full table of Unicode is not worth its size here.
constexpr Interval combining[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},
                                  {0x610, 0x61a},   {0x64b, 0x65f},   {0x1ab0, 0x1aff},
                                  {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff},
                                  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
constexpr Interval wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
                             {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
                             {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                             {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                             {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <std::size_t n>
bool contains(const Interval (&table)[n], char32_t code) {
  return std::any_of(std::begin(table), std::end(table), [code](const Interval& interval) {
    return interval.first <= code && code <= interval.last;
  });
}

// The bytes of a sequence that begins with `lead`; 0 for a byte that begins none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

}  // namespace

Character first_character(std::string_view text) {
  constexpr Character invalid{0xfffd, 1, false};
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || text.size() < length) return invalid;
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return invalid;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return invalid;
  return {code, length, true};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character next = first_character(text);
    if (!next.is_valid) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::size_t display_width(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(combining, code)) return 0;
  return contains(wide, code) ? 2 : 1;
}

}  // namespace daedalus::model
