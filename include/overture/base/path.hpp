// SPDX-License-Identifier: Zlib
//
// Virtual paths: the names of files in the mounted tree.
//
//   constexpr asset_path theme = "music/theme.ogg"_path;      // checked and hashed at compile time
//   path_buffer room;
//   result<asset_path> asked = normalise(text_from_outside, room);
//
// A normal path is UTF-8, at most 4096 bytes, with elements separated by single '/' and none at
// either end. Elements are not empty, not "." or "..", at most 255 bytes, and contain no NUL and no
// backslash; the path does not start with a drive ("C:"). The empty path is the root of the tree.
//
// path_id is the XXH64 (seed 0) of the normal path. file_system::freeze() detects and refuses two
// paths with the same id.
//
// The literal is in overture::literals: using namespace overture::literals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/hash.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path_id.hpp"

namespace overture {

// A normal path and its id. Does not own the text.
struct asset_path {
  std::string_view text;
  path_id id;
};

// A buffer large enough for any normal path.
using path_buffer = std::array<char, limits::path_bytes_max>;

// Null if the path is normal, otherwise a literal that says why not. Any thread.
[[nodiscard]] constexpr const char* path_flaw(std::string_view path) noexcept;

// Normalises a path: removes leading, repeated and trailing '/' and checks the rest. The result
// points into `room`, or into `path` if that is already normal. Error: bad_path. Any thread.
[[nodiscard]] OVERTURE_API result<asset_path> normalise(std::string_view path,
                                                        path_buffer& room) noexcept;

// The part after the last '.' of the last element; empty if there is none. Any thread.
[[nodiscard]] constexpr std::string_view extension(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : path.substr(dot + 1);
}

namespace detail {

// Length of the UTF-8 sequence at the start of a non-empty text, 0 if it is ill-formed.
constexpr std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
  if (lead == 0xED && byte(1) >= 0xA0) return 0;  // surrogates
  if (lead == 0xF0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
  return length;
}

inline constexpr const char* path_too_long = "the path is longer than 4,096 bytes";
static_assert(limits::path_bytes_max == 4096);
inline constexpr const char* element_too_long = "a name in the path is longer than 255 bytes";
static_assert(limits::path_element_bytes_max == 255);

constexpr const char* element_flaw(std::string_view element) noexcept {
  if (element.empty()) return "an empty element in the path";
  if (element == "." || element == "..") return "'.' or '..' in the path";
  if (element.size() > limits::path_element_bytes_max) return element_too_long;
  for (std::size_t i = 0; i < element.size();) {
    if (element[i] == '\0') return "a NUL in the path";
    if (element[i] == '\\') return "a backslash in the path";
    const std::size_t length = utf8_length(element.substr(i));
    if (length == 0) return "the path is not UTF-8";
    i += length;
  }
  return nullptr;
}

constexpr bool begins_with_drive(std::string_view path) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return path.size() >= 2 && letter(path[0]) && path[1] == ':';
}

}  // namespace detail

constexpr const char* path_flaw(std::string_view path) noexcept {
  if (path.empty()) return nullptr;
  if (path.size() > limits::path_bytes_max) return detail::path_too_long;
  if (detail::begins_with_drive(path)) return "a drive letter in the path";
  for (;;) {
    const std::size_t slash = path.find('/');
    if (const char* flaw = detail::element_flaw(path.substr(0, slash))) return flaw;
    if (slash == std::string_view::npos) return nullptr;
    path.remove_prefix(slash + 1);
  }
}

namespace detail {
// Not constexpr: calling it at compile time is the error.
inline void this_path_is_not_normal() noexcept {}
}  // namespace detail

namespace literals {

// A path that is not normal does not compile.
consteval asset_path operator""_path(const char* text, std::size_t length) {
  const std::string_view path(text, length);
  if (path_flaw(path) != nullptr) detail::this_path_is_not_normal();
  return {path, {hash64(path)}};
}

}  // namespace literals

}  // namespace overture
