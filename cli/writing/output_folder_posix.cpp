// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>  // renameat2
#include <ctime>
#include <string_view>
#include <utility>

#include "system/descriptor_posix.hpp"
#include "writing/output_folder.hpp"

namespace overture::cli {

namespace {

int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

// Returns 0 or the errno; ECANCELED if the source gave up.
int write_pieces(int file, piece_source next) {
  for (;;) {
    const std::optional<std::span<const std::byte>> piece = next();
    if (!piece) return ECANCELED;
    if (piece->empty()) return 0;
    if (const int failed = write_all(file, *piece); failed != 0) return failed;
  }
}

// A file system that keeps no such time is no reason to fail.
void set_time(int file, std::int64_t mtime_ns) {
  if (mtime_ns == 0) return;
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t nanoseconds = (mtime_ns % second + second) % second;
  timespec times[2]{};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = (mtime_ns - nanoseconds) / second;
  times[1].tv_nsec = nanoseconds;
  (void)::futimens(file, times);
}

bool is_link(int folder, const char* name) {
  struct stat found{};
  return ::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode);
}

// Opens a folder in another one, after creating it if it is missing. Follows no link. Returns -1
// and sets errno.
int open_in(int folder, const char* name) {
  if (::mkdirat(folder, name, 0777) != 0 && errno != EEXIST) return -1;
  const int opened = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 && errno == ENOTDIR && is_link(folder, name)) errno = ELOOP;
  return opened;
}

// Opens the folder below `top` that a path leads to, and creates it where it is missing. Returns -1
// and sets errno.
int open_below(int top, std::string_view path) {
  descriptor_of here(::fcntl(top, F_DUPFD_CLOEXEC, 0));
  while (here.get() >= 0 && !path.empty()) {
    const std::size_t length = std::min(path.find('/'), path.size());
    const int next = open_in(here.get(), std::string(path.substr(0, length)).c_str());
    if (next < 0) return -1;
    here = next;
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return here.release();
}

file_state state_of(const struct stat& found) {
  constexpr std::int64_t second = 1'000'000'000;
  const bool is_file = S_ISREG(found.st_mode);
  return {found.st_dev, found.st_ino, is_file ? static_cast<std::uint64_t>(found.st_size) : 0,
          found.st_mtim.tv_sec * second + found.st_mtim.tv_nsec};
}

// 0 if the name is free; EEXIST if a file or a link has it, and otherwise why it cannot be had.
int look_at(int folder, const char* name, struct stat& found) {
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? 0 : errno;
  }
  if (S_ISDIR(found.st_mode)) return EISDIR;
  return S_ISREG(found.st_mode) || S_ISLNK(found.st_mode) ? EEXIST : ENOTSUP;
}

// Only root may give files away; that others cannot is no reason to fail. What the old file could
// do as another user, its new content may not.
void take_permissions(int file, const struct stat& old) {
  if (!S_ISREG(old.st_mode)) return;
  if (::fchown(file, old.st_uid, old.st_gid) != 0) {
    (void)!::fchown(file, static_cast<uid_t>(-1), old.st_gid);
  }
  (void)::fchmod(file, old.st_mode & 0777);
}

// Splits off the last element of a path, which must stay.
struct split_path {
  explicit split_path(const std::string& path)
      : folder(
            std::string_view(path).substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'))),
        name(path.c_str() + (folder.empty() ? 0 : folder.size() + 1)) {}
  std::string_view folder;
  const char* name;
};

int os_error_of(const result<void>& done) {
  if (done) return 0;
  if (done.error().code == errc::exists) return EEXIST;
  return done.error().os_error != 0 ? done.error().os_error : EINVAL;
}

}  // namespace

// Neighbours lie in one folder, so the last one is kept open.
struct output_folder::inner_folder {
  inner_folder(std::string_view of, int opened) : path(of), file(opened) {}
  std::string path;
  descriptor_of file;
};

std::shared_ptr<output_folder::inner_folder> output_folder::open_inner(std::string_view path) {
  {
    const std::scoped_lock one_at_a_time(guard_);
    if (inner_ && inner_->path == path) return inner_;
  }
  const int opened = open_below(system_os().descriptor(folder_), path);
  if (opened < 0) return nullptr;
  auto made = std::make_shared<inner_folder>(path, opened);
  const std::scoped_lock one_at_a_time(guard_);
  inner_ = made;
  return made;
}

int output_folder::write_in(const std::string& path, const file_marks& marks, piece_source pieces,
                            const std::optional<file_state>& known) {
  const split_path target(path);
  const std::shared_ptr<inner_folder> inner = open_inner(target.folder);
  if (!inner) return errno;
  const int folder = inner->file.get();
  struct stat old{};
  const int there = look_at(folder, target.name, old);
  if (there != 0 && (there != EEXIST || how_ == placing::new_files)) return there;
  std::optional<file_state> replaced;
  if (there == EEXIST) replaced = state_of(old);
  // Also another file of this run, on a file system to which two names are one.
  if (how_ != placing::new_files && replaced != known) return error_changed;

  const int top = system_os().descriptor(folder_);
  const std::string temporary = next_temporary();
  descriptor_of file(::openat(top, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                              marks.executable ? 0777 : 0666));
  if (file.get() < 0) return errno;
  if (replaced) take_permissions(file.get(), old);
  int failed = write_pieces(file.get(), pieces);
  if (failed == 0) set_time(file.get(), marks.mtime_ns);
  if (const int closed = file.close(); failed == 0) failed = closed;
  if (failed == 0 && (replaced || how_ == placing::at_end)) {
    keep(path, temporary, replaced);
    return 0;
  }
  if (failed == 0) failed = place_new(path, temporary, folder);
  if (failed != 0) (void)::unlinkat(top, temporary.c_str(), 0);
  return failed;
}

int output_folder::place_new(const std::string& path, const std::string& temporary,
                             int folder) const {
#if defined(RENAME_NOREPLACE)
  const int top = system_os().descriptor(folder_);
  if (::renameat2(top, temporary.c_str(), folder, split_path(path).name, RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
#endif
  (void)folder;
  // The library knows other ways.
  return os_error_of(system_os().rename_new_below(folder_, temporary.c_str(), path.c_str()));
}

namespace {

// Of what has the name, if anything has.
std::optional<file_state> state_at(int folder, const char* name) {
  struct stat found{};
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return state_of(found);
}

// Exchanges the names of a file and of what should be in its place. If that is something else by
// then, it gets its name back. Returns 0 or the errno, EINVAL or ENOSYS where there is no such
// call.
int exchange(int from, const char* name, int to, const char* other, const file_state& expected) {
#if defined(RENAME_EXCHANGE)
  if (state_at(to, other) != expected) return error_changed;
  if (::renameat2(from, name, to, other, RENAME_EXCHANGE) != 0) return errno;
  if (state_at(from, name) == expected) return 0;
  (void)!::renameat2(from, name, to, other, RENAME_EXCHANGE);
  return error_changed;
#else
  (void)from, (void)name, (void)to, (void)other, (void)expected;
  return ENOSYS;
#endif
}

}  // namespace

int output_folder::place(waiting_file& file) {
  const split_path target(file.path);
  const std::shared_ptr<inner_folder> inner = open_inner(target.folder);
  if (!inner) return errno;
  const int folder = inner->file.get();
  const int top = system_os().descriptor(folder_);
  struct stat found{};
  const int there = look_at(folder, target.name, found);
  if (there != 0 && there != EEXIST) return there;
  int failed = 0;
  if (!file.replaced) {
    failed = there != 0 ? error_changed : place_new(file.path, file.temporary, folder);
  } else {
    failed = exchange(top, file.temporary.c_str(), folder, target.name, *file.replaced);
    file.has_old = failed == 0;
    if (failed == EINVAL || failed == ENOSYS) {
      failed = state_at(folder, target.name) != file.replaced                      ? error_changed
               : ::renameat(top, file.temporary.c_str(), folder, target.name) == 0 ? 0
                                                                                   : errno;
    }
  }
  if (failed == 0) file.placed = state_at(folder, target.name);
  return failed;
}

int output_folder::take_back(const waiting_file& file) {
  const split_path target(file.path);
  const std::shared_ptr<inner_folder> inner = open_inner(target.folder);
  if (!inner || !file.placed) return error_changed;
  const int top = system_os().descriptor(folder_);
  const int folder = inner->file.get();
  if (file.has_old) {
    return exchange(top, file.temporary.c_str(), folder, target.name, *file.placed);
  }
  // Where names cannot be exchanged, the old one is gone.
  if (file.replaced || state_at(folder, target.name) != file.placed) return error_changed;
  return ::renameat(folder, target.name, top, file.temporary.c_str()) == 0 ? 0 : errno;
}

int output_folder::sync() const {
#if defined(_GNU_SOURCE)  // of Linux alone
  return ::syncfs(system_os().descriptor(folder_)) == 0 ? 0 : errno;
#else
  ::sync();
  return 0;
#endif
}

}  // namespace overture::cli
