// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
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
    char name[NAME_MAX + 1];
    if (length > NAME_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    name[path.copy(name, length)] = '\0';
    const int next = open_in(here.get(), name);
    if (next < 0) return -1;
    here = next;
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return here.release();
}

file_state state_of(const struct stat& found) {
  constexpr std::int64_t second = 1'000'000'000;
  const bool is_file = S_ISREG(found.st_mode);
  return {found.st_dev,
          found.st_ino,
          is_file ? static_cast<std::uint64_t>(found.st_size) : 0,
          found.st_mtim.tv_sec * second + found.st_mtim.tv_nsec,
          found.st_ctim.tv_sec * second + found.st_ctim.tv_nsec,
          found.st_mode & 0777u,
          found.st_uid,
          found.st_gid};
}

// Renaming changes the time of a file's status.
bool is_same_content(const std::optional<file_state>& found, file_state known) {
  if (found) known.ctime_ns = found->ctime_ns;
  return found == known;
}

// Another name of the file may have been renamed before.
bool is_as_it_was(const struct stat& found, const file_state& known) {
  return state_of(found) == known ||
         (found.st_nlink > 1 && is_same_content(state_of(found), known));
}

// 0 if the name is free; EEXIST if a file or a link has it, and otherwise why it cannot be had.
int look_at(int folder, const char* name, struct stat& found) {
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? 0 : errno;
  }
  if (S_ISDIR(found.st_mode)) return EISDIR;
  if (S_ISREG(found.st_mode) && (found.st_mode & 0222) == 0) return error_read_only;
  return S_ISREG(found.st_mode) || S_ISLNK(found.st_mode) ? EEXIST : ENOTSUP;
}

// Whether a folder gives its files a group or an access list.
bool passes_on(int folder) {
  struct stat found{};
  if (::fstat(folder, &found) == 0 && (found.st_mode & S_ISGID) != 0) return true;
#if defined(__linux__)
  return ::fgetxattr(folder, "system.posix_acl_default", nullptr, 0) > 0;
#else
  return false;
#endif
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
  bool is_special = false;  // gives its files something that the one for temporary files does not
};

std::shared_ptr<output_folder::inner_folder> output_folder::open_inner(std::string_view path) {
  {
    const std::scoped_lock one_at_a_time(guard_);
    if (inner_ && inner_->path == path) return inner_;
  }
  const int opened = open_below(system_os().descriptor(folder_), path);
  if (opened < 0) return nullptr;
  auto made = std::make_shared<inner_folder>(path, opened);
  const int top = system_os().descriptor(folder_);
  // The one for temporary files is private, and so has lost what it had from the top.
  made->is_special = passes_on(opened) || passes_on(top);
  const std::scoped_lock one_at_a_time(guard_);
  inner_ = made;
  return made;
}

namespace {

constexpr int new_file = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;

// Makes a file in its own folder, which gives it a group and an access list, and moves it to where
// it is written. Returns -1 and sets errno.
int make_in(int folder, int top, const char* temporary, std::string_view unique,
            std::uint64_t number, mode_t mode) {
  // Also a name that sweeps know: one part of it is of this run, the other of this file.
  std::string name(unique);
  for (std::size_t at = name.rfind('.'), i = 0; i < 6; ++i, number /= 36) {
    name[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
  }
  const int file = ::openat(folder, name.c_str(), new_file, mode);
  if (file < 0 || ::renameat(folder, name.c_str(), top, temporary) == 0) return file;
  const int failed = errno;
  (void)::unlinkat(folder, name.c_str(), 0);
  ::close(file);
  errno = failed;
  return -1;
}

}  // namespace

int output_folder::write_in(const std::string& path, const file_marks& marks, piece_source pieces,
                            const std::optional<file_state>& known) {
  const split_path target(path);
  const std::shared_ptr<inner_folder> inner = open_inner(target.folder);
  if (!inner) return errno;
  const int folder = inner->file.get();
  struct stat old{};
  const int there = look_at(folder, target.name, old);
  if (there == error_read_only && how_ == placing::new_files) return EEXIST;
  if (there != 0 && (there != EEXIST || how_ == placing::new_files)) return there;
  std::optional<file_state> replaced;
  if (there == EEXIST) replaced = state_of(old);
  // Also another file of this run, on a file system to which two names are one.
  if (how_ != placing::new_files && replaced != known) return error_changed;

  const int top = system_os().descriptor(folder_);
  const std::uint64_t number = made_.fetch_add(1);
  const temporary_path temporary = temporary_of(number);
  const mode_t mode = marks.executable ? 0777 : 0666;
  descriptor_of file(inner->is_special && !replaced
                         ? make_in(folder, top, temporary.text, temporary_->name(), number, mode)
                         : ::openat(top, temporary.text, new_file, mode));
  if (file.get() < 0) return errno;
  int failed = replaced && S_ISREG(old.st_mode) ? take_permissions(number, path) : 0;
  if (failed == 0) failed = write_pieces(file.get(), pieces);
  if (failed == 0) set_time(file.get(), marks.mtime_ns);
  if (const int closed = file.close(); failed == 0) failed = closed;
  if (failed == 0 && (replaced || how_ == placing::at_end)) {
    keep(path, number, replaced);
    return 0;
  }
  if (failed == 0) failed = place_new(path, temporary.text, folder);
  if (failed != 0) (void)::unlinkat(top, temporary.text, 0);
  return failed;
}

// Gives a temporary file those of the one that has the path.
int output_folder::take_permissions(std::uint64_t number, const std::string& path) const {
  operating_system& os = system_os();
  const result<file_status> old = os.status_below(folder_, path.c_str());
  if (!old) return os_error_of(tl::unexpected<error>(old.error()));
  const result<os_handle> file =
      os.open_to_write(folder_, temporary_of(number).text, write_mode::update);
  if (!file) return os_error_of(tl::unexpected<error>(file.error()));
  const result<void> done = os.take_permissions_of(*file, *old, folder_, path.c_str());
  os.close(*file);
  return os_error_of(done);
}

int output_folder::place_new(const std::string& path, const char* temporary, int folder) const {
#if defined(RENAME_NOREPLACE)
  const int top = system_os().descriptor(folder_);
  if (::renameat2(top, temporary, folder, split_path(path).name, RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
#endif
  (void)folder;
  // The library knows other ways.
  return os_error_of(system_os().rename_new_below(folder_, temporary, path.c_str()));
}

namespace {

// Of what has the name, if anything has.
std::optional<file_state> state_at(int folder, const char* name) {
  struct stat found{};
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return state_of(found);
}

// Exchanges the names where no call does: the old file gets a second name before the new one takes
// its place. Returns ENOSYS where files have one name only.
int exchange_by_link(int from, const char* name, int to, const char* other,
                     const file_state& expected) {
  const std::string spare = std::string(name) + "-old";
  if (::linkat(to, other, from, spare.c_str(), 0) != 0) return ENOSYS;
  int failed = is_same_content(state_at(from, spare.c_str()), expected) ? 0 : error_changed;
  if (failed == 0 && ::renameat(from, name, to, other) != 0) failed = errno;
  if (failed != 0) {
    (void)::unlinkat(from, spare.c_str(), 0);
    return failed;
  }
  return ::renameat(from, spare.c_str(), from, name) == 0 ? 0 : errno;
}

// Exchanges the names of a file and of what should be in its place. If that is something else by
// then, it gets its name back. Returns 0 or the errno, ENOSYS where it cannot be done.
int exchange(int from, const char* name, int to, const char* other, const file_state& expected) {
#if defined(RENAME_EXCHANGE)
  const std::optional<file_state> own = state_at(from, name);
  if (!own) return error_changed;
  if (::renameat2(from, name, to, other, RENAME_EXCHANGE) != 0) {
    const bool is_missing = errno == EINVAL || errno == ENOSYS;
    return is_missing ? exchange_by_link(from, name, to, other, expected) : errno;
  }
  if (is_same_content(state_at(from, name), expected)) return 0;
  // Another program has written it, and may write it again until it has its name.
  if (::renameat2(from, name, to, other, RENAME_EXCHANGE) == 0 &&
      !is_same_content(state_at(from, name), *own)) {
    (void)!::renameat2(from, name, to, other, RENAME_EXCHANGE);
  }
  return error_changed;
#else
  return exchange_by_link(from, name, to, other, expected);
#endif
}

}  // namespace

int output_folder::prepare_placing() {
  std::size_t bytes = 0;
  bool replaces = false;
  for (const waiting_file& each : waiting_) {
    bytes = std::max(bytes, each.path.size());
    replaces = replaces || each.replaced;
  }
  placing_ = std::make_shared<inner_folder>(std::string_view{}, -1);
  placing_->path.reserve(bytes);
  return how_ == placing::at_end && replaces ? os_error_of(temporary_->keep()) : 0;
}

// Returns -1 and sets errno.
int output_folder::folder_to_place_in(std::string_view path) {
  if (placing_->file.get() >= 0 && placing_->path == path) return placing_->file.get();
  placing_->path.assign(path);
  placing_->file = open_below(system_os().descriptor(folder_), path);
  return placing_->file.get();
}

int output_folder::place(waiting_file& file) {
  const split_path target(file.path);
  const int folder = folder_to_place_in(target.folder);
  if (folder < 0) return errno;
  const int top = system_os().descriptor(folder_);
  const temporary_path temporary = temporary_of(file.number);
  struct stat found{};
  const int there = look_at(folder, target.name, found);
  if (there != 0 && there != EEXIST) return there;
  int failed = 0;
  if (!file.replaced) {
    failed = there != 0 ? error_changed : place_new(file.path, temporary.text, folder);
  } else if (there == 0 || !is_as_it_was(found, *file.replaced)) {
    failed = error_changed;
  } else {
    const std::optional<file_state> own = state_at(top, temporary.text);
    failed = exchange(top, temporary.text, folder, target.name, *file.replaced);
    file.has_old = own && !is_same_content(state_at(top, temporary.text), *own);
    if (failed == ENOSYS) {
      failed = ::renameat(top, temporary.text, folder, target.name) == 0 ? 0 : errno;
    }
  }
  if (failed == 0) file.placed = state_at(folder, target.name);
  return failed;
}

int output_folder::take_back(waiting_file& file) {
  const split_path target(file.path);
  const int folder = folder_to_place_in(target.folder);
  if (folder < 0) return errno;
  if (state_at(folder, target.name) != file.placed) return error_changed;
  const int top = system_os().descriptor(folder_);
  const temporary_path temporary = temporary_of(file.number);
  int failed = 0;
  if (file.has_old) {
    failed = exchange(top, temporary.text, folder, target.name, *file.placed);
  } else if (file.replaced) {
    failed = error_old_is_gone;  // where files have one name, and names cannot be exchanged
  } else {
    failed = ::renameat(folder, target.name, top, temporary.text) == 0 ? 0 : errno;
  }
  if (failed != 0) return failed;
  file.has_old = false;
  file.placed.reset();
  return 0;
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
