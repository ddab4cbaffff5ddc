// SPDX-License-Identifier: Zlib
#include "writing/file_state.hpp"

namespace overture::cli {

std::chrono::nanoseconds clock_step_of(const file_state& state) noexcept {
  using namespace std::chrono_literals;
  const auto is_whole = [](std::int64_t time_ns) { return time_ns % 1'000'000'000 == 0; };
  return is_whole(state.mtime_ns) && is_whole(state.ctime_ns) ? 2s : 20ms;
}

file_state state_in(const file_status& status) noexcept {
  return {status.volume,   status.number,      status.size,  status.mtime_ns,
          status.ctime_ns, status.permissions, status.owner, status.group};
}

std::optional<file_state> state_at_end_of(const char* path) noexcept {
  const result<file_status> found = system_os().status(path, true);
  if (!found) return std::nullopt;
  return state_in(*found);
}

}  // namespace overture::cli
