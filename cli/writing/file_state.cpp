// SPDX-License-Identifier: Zlib
#include "writing/file_state.hpp"

namespace overture::cli {

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
