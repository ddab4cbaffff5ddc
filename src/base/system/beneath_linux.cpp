// SPDX-License-Identifier: Zlib
#include "base/system/beneath_linux.hpp"

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <string_view>

#include "overture/base/atomic.hpp"

namespace overture {
using namespace base_detail;

namespace {

bool is_link(int folder, const char* name) {
  struct stat found{};
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode);
}

// As open_beneath(), but refuses every link, because it cannot tell where one leads without a race.
// Files of a mounted folder are opened by the paths of their links' targets, so only links that
// came later are affected, and those that a writable mount writes through.
int open_by_walking(int folder, const char* path, int flags) {
  owned_descriptor here;
  for (int parent = folder;; parent = here.get()) {
    const char* const slash = std::strchr(path, '/');
    const std::string_view rest(path);
    const std::string_view element = rest.substr(0, rest.find('/'));
    char name[NAME_MAX + 1];
    if (element.size() >= sizeof name) {
      errno = ENAMETOOLONG;
      return -1;
    }
    std::memcpy(name, element.data(), element.size());
    name[element.size()] = '\0';
    if (element.empty() || element == "..") {
      errno = EXDEV;
      return -1;
    }
    const int step = slash ? O_PATH | O_DIRECTORY : flags;
    const int opened = retry_if_interrupted(
        [&] { return openat(parent, name, step | O_NOFOLLOW | O_CLOEXEC, new_file_mode); });
    const bool refused_link = opened < 0 && (errno == ELOOP || errno == ENOTDIR) &&
                              (step & O_NOFOLLOW) == 0 && is_link(parent, name);
    if (refused_link) errno = EXDEV;
    if (opened < 0 || !slash) return opened;
    here.reset(opened);
    path = slash + 1;
  }
}

}  // namespace

// openat2 (Linux 5.6) refuses paths that leave the folder. It is missing in older systems, and a
// sandbox may forbid it (EPERM).
int base_detail::open_beneath(int folder, const char* path, int flags) noexcept {
  static atomic<bool> missing{false};
  if (!missing.load(std::memory_order_relaxed)) {
    open_how how{};
    how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
    how.mode = (flags & O_CREAT) != 0 ? new_file_mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const long opened =
        retry_if_interrupted([&] { return syscall(SYS_openat2, folder, path, &how, sizeof how); });
    if (opened >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(opened);
    // EPERM may come from this file alone, so keep trying for others.
    if (errno == ENOSYS) missing.store(true, std::memory_order_relaxed);
  }
  return open_by_walking(folder, path, flags);
}

}  // namespace overture
