// SPDX-License-Identifier: Zlib
//
// What the files for Windows share: its header, paths and error codes.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"

namespace overture::base_detail {

// ERROR_DIRECTORY_NOT_SUPPORTED, which mingw-w64 does not define.
inline constexpr DWORD error_is_folder = 336;
// The errno that means the same as a code of GetLastError().
[[nodiscard]] int errno_of(DWORD code) noexcept;
// The error of the call that has just failed.
[[nodiscard]] tl::unexpected<error> windows_failure(const char* reason) noexcept;

// Converts UTF-8; false if it is ill-formed or does not fit. Not NUL-terminated.
[[nodiscard]] bool to_utf16(std::string_view text, std::span<wchar_t> room,
                            std::size_t& length) noexcept;
[[nodiscard]] bool to_utf8(std::wstring_view text, std::span<char> room,
                           std::size_t& length) noexcept;

// A path as system calls take it: absolute, UTF-16, and in the form \\?\C:\..., for which they know
// no limit of 260 characters.
class wide_path {
 public:
  static constexpr std::size_t units_max = 2 * limits::path_bytes_max + 16;

  // Each fails with errno, as a system call does: the last error says why.
  // Makes a path of the system absolute. It is UTF-8 with either separator.
  [[nodiscard]] bool set(const char* path) noexcept;
  // The path of an open file or folder, with links resolved.
  [[nodiscard]] bool set(HANDLE opened) noexcept;
  // Appends a separator and a path that has '/' as separator and no "." or "..".
  [[nodiscard]] bool append(std::string_view path) noexcept;

  [[nodiscard]] const wchar_t* c_str() const noexcept { return text_; }
  [[nodiscard]] std::wstring_view view() const noexcept { return {text_, length_}; }
  // Shortens it to so many units.
  void cut(std::size_t length) noexcept { text_[length_ = length] = L'\0'; }
  // Whether this is the folder's path or one below it.
  [[nodiscard]] bool is_below(const wide_path& folder) const noexcept;

 private:
  [[nodiscard]] bool put(std::wstring_view text) noexcept;

  std::size_t length_ = 0;
  wchar_t text_[units_max];
};

}  // namespace overture::base_detail
