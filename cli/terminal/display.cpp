// SPDX-License-Identifier: Zlib
#include "terminal/display.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace overture::cli {

namespace {

struct range {
  char32_t first;
  char32_t last;
};

// Combining marks.
constexpr range zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

// East Asian wide and fullwidth characters, and pictographs.
constexpr range double_width[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

template <std::size_t N>
bool is_in(const range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const range& r) { return c >= r.first && c <= r.last; });
}

std::size_t width_of(const character& c) {
  if (!c.valid) return 1;
  if (is_in(zero_width, c.code)) return 0;
  return is_in(double_width, c.code) ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const character c = front_character(text);
    width += width_of(c);
    text.remove_prefix(c.bytes.size());
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t columns, bool unicode) {
  if (display_width(text) <= columns) return std::string(text);
  const std::string_view gap = unicode ? "…" : "...";
  const std::size_t gap_width = display_width(gap);
  if (columns <= gap_width) return std::string(columns, '.');

  std::vector<character> characters;
  for (std::string_view rest = text; !rest.empty();) {
    characters.push_back(front_character(rest));
    rest.remove_prefix(characters.back().bytes.size());
  }
  // The end of a path says more than its start.
  const std::size_t room = columns - gap_width;
  std::size_t tail_room = room - room / 3;
  std::size_t tail = characters.size();
  while (tail > 0 && width_of(characters[tail - 1]) <= tail_room) {
    tail_room -= width_of(characters[--tail]);
  }
  std::size_t head_room = room / 3;
  std::size_t head = 0;
  while (head < tail && width_of(characters[head]) <= head_room) {
    head_room -= width_of(characters[head++]);
  }
  std::string shown;
  for (std::size_t i = 0; i < head; ++i) shown += characters[i].bytes;
  shown += gap;
  for (std::size_t i = tail; i < characters.size(); ++i) shown += characters[i].bytes;
  return shown;
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view first,
                    std::string_view rest) {
  std::string lines(first);
  std::size_t used = display_width(first);
  bool is_begin = true;  // of a line
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t width = display_width(word);
    if (!is_begin && columns > 0 && used + 1 + width > columns) {
      lines += '\n';
      lines += rest;
      used = display_width(rest);
      is_begin = true;
    }
    if (!is_begin) lines += ' ';
    used += width + (is_begin ? 0 : 1);
    lines += word;
    is_begin = false;
  }
  return lines + '\n';
}

}  // namespace overture::cli
