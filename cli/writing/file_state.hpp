// SPDX-License-Identifier: Zlib
//
// A file that is there, to tell later whether it has changed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "overture/base/os.hpp"

namespace overture::cli {

struct file_state {
  std::uint64_t volume = 0;
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  // also when only the status changed
  std::uint32_t permissions = file_status::unknown_permissions;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  friend bool operator==(const file_state&, const file_state&) = default;
};

// A change within this time of the last one may leave the same times: file systems keep them in
// steps of up to 10 ms, old ones in whole seconds, or even numbers of them.
[[nodiscard]] std::chrono::nanoseconds clock_step_of(const file_state& state) noexcept;

[[nodiscard]] file_state state_in(const file_status& status) noexcept;
// Of what a path leads to, through links; nothing if it leads to nothing.
[[nodiscard]] std::optional<file_state> state_at_end_of(const char* path) noexcept;

}  // namespace overture::cli
