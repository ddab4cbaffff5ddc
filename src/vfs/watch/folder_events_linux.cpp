// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "vfs/watch/folder_events.hpp"

namespace overture::vfs_detail {
namespace {

tl::unexpected<error> failed(const char* reason) {
  return tl::unexpected(os_failure(errno, reason));
}

constexpr std::uint32_t asked_for = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE |
                                    IN_DELETE | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW |
                                    IN_EXCL_UNLINK;

// False for events of no interest.
bool translate(const inotify_event& from, folder_event& to) noexcept {
  using what = folder_event::what;
  to.folder = from.wd;
  to.name = from.len > 0 ? std::string_view(from.name) : std::string_view{};
  const bool folder = (from.mask & IN_ISDIR) != 0;
  const bool here = (from.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  if ((from.mask & IN_Q_OVERFLOW) != 0) {
    to.kind = what::overflow;
  } else if ((from.mask & (IN_IGNORED | IN_UNMOUNT)) != 0) {
    to.kind = what::forgotten;
  } else if ((from.mask & IN_MOVE_SELF) != 0) {
    to.kind = what::moved;
  } else if (folder) {
    to.kind = here ? what::folder_here : what::folder_gone;
    return here || (from.mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  } else if ((from.mask & IN_CLOSE_WRITE) != 0) {
    to.kind = what::written;
  } else if (here) {
    to.kind = (from.mask & IN_CREATE) != 0 ? what::created : what::moved_here;
  } else if ((from.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
    to.kind = what::removed;
  } else {
    return false;
  }
  return true;
}

// Whether a process has the file open for writing: then the system grants no read lease. A writer
// that comes in between waits until it is given back, and we would get a signal: one that is
// ignored by default.
found_kind writers_of(int file, const struct stat& status) noexcept {
  (void)fcntl(file, F_SETSIG, SIGURG);
  if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    (void)fcntl(file, F_SETLEASE, F_UNLCK);
    return found_kind::file;
  }
  if (errno == EAGAIN) return found_kind::unfinished;
  // Another user's file, or a file system without leases. A second name comes from a link.
  return status.st_nlink > 1 ? found_kind::file : found_kind::unknown;
}

}  // namespace

found_kind look_at(const char* path) noexcept {
  struct stat status{};
  if (lstat(path, &status) != 0) return found_kind::nothing;
  if (S_ISLNK(status.st_mode)) return found_kind::link;
  if (!S_ISREG(status.st_mode)) return found_kind::nothing;
  const int file = ::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return status.st_nlink > 1 ? found_kind::file : found_kind::unknown;
  const found_kind found = writers_of(file, status);
  (void)::close(file);
  return found;
}

void folder_events::close() noexcept {
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

result<void> folder_events::open() noexcept {
  descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor_ < 0) return failed("cannot watch folders");
  return {};
}

result<int> folder_events::add(const char* path) noexcept {
  const int folder = inotify_add_watch(descriptor_, path, asked_for);
  if (folder < 0) return failed("cannot watch the folder");
  return folder;
}

void folder_events::remove(int folder) noexcept {
  (void)inotify_rm_watch(descriptor_, folder);
}

result<void> folder_events::read(function_ref<void(const folder_event&)> visit) noexcept {
  alignas(inotify_event) char room[16 * (sizeof(inotify_event) + NAME_MAX + 1)];
  for (;;) {
    const ssize_t got = ::read(descriptor_, room, sizeof room);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {};
    if (got < 0) return failed("cannot read what changed");
    for (const char* at = room; at < room + got;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(at);
      folder_event told;
      if (translate(*event, told)) visit(told);
      at += sizeof(inotify_event) + event->len;
    }
  }
}

}  // namespace overture::vfs_detail
