// SPDX-License-Identifier: Zlib
#include <dirent.h>
#include <sys/resource.h>

#include <cstdint>

#include "io/files/descriptor_limit.hpp"

namespace overture::io_detail {

std::size_t descriptors_left() noexcept {
  constexpr std::size_t unknown = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return unknown;
  std::size_t open = 0;
  if (DIR* const folder = opendir("/proc/self/fd")) {
    while (readdir(folder)) ++open;  // ".", ".." and its own among them
    (void)closedir(folder);
    open -= open < 3 ? open : 3;
  }
  if (limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  const auto allowed = static_cast<std::size_t>(limit.rlim_cur);
  return allowed > open ? allowed - open : 1;
}

}  // namespace overture::io_detail
