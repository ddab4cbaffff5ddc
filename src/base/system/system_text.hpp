// SPDX-License-Identifier: Zlib
//
// What the system calls things: its words for an errno, and how it separates the parts of a path.
// Platform by file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace overture::base_detail {

// In `room` or elsewhere, NUL-terminated; empty if there are none. Any thread.
[[nodiscard]] const char* error_text(int os_error, std::span<char> room) noexcept;

// The length of a path's front that names the folder, with the separator at its end; 0 if the path
// is a name alone.
[[nodiscard]] std::size_t folder_bytes(std::string_view path) noexcept;

}  // namespace overture::base_detail
