// SPDX-License-Identifier: Zlib
//
// Case-insensitive names: Unicode simple case folding, at compile time and at run time.
//
//   file_system files{{.ignore_case = true}};
//   constexpr asset_path theme = "Music/Theme.OGG"_folded_path;  // folded, checked and hashed
//
// Two texts are equal ignoring case if their folded forms are equal byte by byte. Folding maps most
// scripts to lower case ("MÜLLER" and "Müller" become "müller"). It ignores language (a Turkish
// dotted capital I stays as it is; "ß" and "ss" differ), and does not normalise: a precomposed
// character and its combining sequence stay different.
//
// Source: CaseFolding.txt of the Unicode Character Database, status C and S; see
// detail/case_fold_table.hpp. Cost: one comparison for an ASCII byte, a binary search in 2.5 KB for
// any other character. Folding grows a text to at most 1.5 times its bytes. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/detail/case_fold_table.hpp"
#include "overture/base/path.hpp"

namespace overture {

// The folded form of one character. Any thread.
[[nodiscard]] constexpr char32_t fold_case(char32_t character) noexcept {
  if (character < 0x80) return character >= 'A' && character <= 'Z' ? character + 32 : character;
  std::size_t low = 0;
  std::size_t high = std::size(detail::case_runs);
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (detail::case_runs[middle].first <= character ? low : high) = middle;
  }
  const detail::case_run& run = detail::case_runs[low];
  if (character < run.first) return character;
  const std::uint32_t distance = character - run.first;
  if (distance % run.step != 0 || distance / run.step >= run.count) return character;
  return static_cast<char32_t>(static_cast<std::int32_t>(character) + run.distance);
}

// A quick test: true for ASCII without capitals, which folding leaves unchanged. Any thread.
[[nodiscard]] constexpr bool is_plainly_folded(std::string_view text) noexcept {
  for (const char each : text) {
    if (static_cast<unsigned char>(each) >= 0x80 || (each >= 'A' && each <= 'Z')) return false;
  }
  return true;
}

inline constexpr std::size_t folded_text_too_long = SIZE_MAX;

// Writes the folded form of UTF-8 text to `room`, which must not overlap `text`. Returns the length
// in bytes, or folded_text_too_long if it does not fit. Copies ill-formed bytes unchanged. Any
// thread.
[[nodiscard]] constexpr std::size_t fold_case(std::string_view text,
                                              std::span<char> room) noexcept {
  std::size_t written = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = detail::utf8_length(text.substr(at));
    char32_t character = static_cast<unsigned char>(text[at]);
    if (length > 1) {
      character &= 0x7Fu >> length;
      for (std::size_t i = 1; i < length; ++i) {
        character = character << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
      }
    }
    if (length > 0) character = fold_case(character);
    at += length > 0 ? length : 1;
    const std::size_t bytes = length == 0 || character < 0x80 ? 1
                              : character < 0x800             ? 2
                              : character < 0x10000           ? 3
                                                              : 4;
    if (bytes > room.size() - written) return folded_text_too_long;
    if (bytes == 1) {
      room[written++] = static_cast<char>(character);
      continue;
    }
    for (std::size_t i = bytes; i-- > 1; character >>= 6) {
      room[written + i] = static_cast<char>(0x80u | (character & 0x3Fu));
    }
    room[written] = static_cast<char>((0xF00u >> bytes & 0xFFu) | character);
    written += bytes;
  }
  return written;
}

namespace detail {

template <std::size_t N>
struct literal_text {
  char text[N] = {};
  // NOLINTNEXTLINE(google-explicit-constructor): a literal becomes one
  consteval literal_text(const char (&from)[N]) noexcept {
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }
};

template <std::size_t N>
struct folded_text {
  char text[N + N / 2 + 1] = {};
  std::size_t length = 0;
  consteval explicit folded_text(std::string_view from) noexcept : length(fold_case(from, text)) {}
};

template <literal_text Text>
inline constexpr folded_text<Text.view().size()> folded_literal{Text.view()};

}  // namespace detail

namespace literals {

// The folded path and its id. A path that is not normal does not compile.
template <detail::literal_text Text>
consteval asset_path operator""_folded_path() {
  constexpr const auto& folded = detail::folded_literal<Text>;
  return operator""_path(folded.text, folded.length);
}

}  // namespace literals

}  // namespace overture
