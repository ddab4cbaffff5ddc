// SPDX-License-Identifier: Zlib
//
// What handle.hpp declares, for libraries apart that have functions for C too: a shared library
// hides those of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "c/handle.hpp"

namespace overture::c::apart {

inline overture_code told(overture_error* to, overture_code code, std::string_view text,
                          int os_error = 0) noexcept {
  constexpr std::size_t text_at = offsetof(overture_error, text);
  if (to == nullptr || to->size <= text_at || to->size > structure_bytes_max) return code;
  to->code = code;
  to->os_error = os_error;
  const std::size_t room = std::min(to->size - text_at, sizeof to->text) - 1;
  to->text[text.copy(to->text, room)] = '\0';
  return code;
}
inline overture_code fine(overture_error* to) noexcept {
  return told(to, OVERTURE_OK, "");
}
inline overture_code invalid(overture_error* to, const char* text) noexcept {
  return told(to, OVERTURE_INVALID, text);
}

// As c::failed(), about the file at `path`.
inline overture_code failed(overture_error* to, const overture::error& why,
                            std::string_view path) noexcept {
  char text[sizeof(overture_error::text)];
  std::size_t length = front_of(path, sizeof text / 2).copy(text, sizeof text / 2);
  for (const char* more = length < path.size() ? "...: " : ": "; *more != '\0'; ++more) {
    text[length++] = *more;
  }
  const file_system no_files;  // knows the texts of the system's errors
  overture::error plain = why;
  plain.path = {};
  length += no_files.explain(plain, std::span(text).subspan(length));
  return told(to, code_of(why.code), {text, length}, why.os_error);
}

// As c::read_options().
template <class T>
[[nodiscard]] overture_code read_options(const T* given, T& known, overture_error* error) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  known = {};
  if (given == nullptr) return OVERTURE_OK;
  if (given->size < first_size<T> || given->size > structure_bytes_max) {
    return invalid(error, wrong_size(given->size));
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->size; ++i) {
    if (bytes[i] != 0) {
      return told(error, OVERTURE_UNSUPPORTED, "an option that this version does not know");
    }
  }
  std::memcpy(&known, given, std::min(given->size, sizeof(T)));
  return OVERTURE_OK;
}

// As c::write_result().
template <class T>
[[nodiscard]] overture_code write_result(T* to, T value, overture_error* error) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  if (to == nullptr) return invalid(error, "there is no structure to fill in");
  const std::size_t size = to->size;
  if (size < first_size<T> || size > structure_bytes_max) return invalid(error, wrong_size(size));
  value.size = size;
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &value, std::min(size, sizeof(T)));
  return fine(error);
}

}  // namespace overture::c::apart
