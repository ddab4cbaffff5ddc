// The system's words for an errno. Platform by file.
#pragma once

#include <span>

namespace overture::base_detail {

// In `room` or elsewhere, NUL-terminated; empty if there are none. Any thread.
[[nodiscard]] const char* error_text(int os_error, std::span<char> room) noexcept;

}  // namespace overture::base_detail
