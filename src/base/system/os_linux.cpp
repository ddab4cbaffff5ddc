// SPDX-License-Identifier: Zlib
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>  // RENAME_NOREPLACE
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/system/beneath_linux.hpp"
#include "base/system/file_attributes_linux.hpp"
#include "overture/base/os.hpp"

namespace overture {
using namespace base_detail;

namespace {

tl::unexpected<error> failed(const char* reason) {
  return tl::unexpected<error>(os_failure(errno, reason));
}

// Where something is to be made: a file that has the name of a folder is in the way, while a reader
// only learns that there is no such file.
tl::unexpected<error> failed_to_make(const char* reason) {
  if (errno != ENOTDIR) return failed(reason);
  error in_the_way = os_failure(ENOTDIR, "a file has the name of a folder");
  in_the_way.code = errc::exists;
  return tl::unexpected<error>(in_the_way);
}

// Handles are descriptors plus one, so that zero is not a handle.
os_handle to_handle(int descriptor) {
  return {std::int64_t{descriptor} + 1};
}
int to_descriptor(os_handle handle) {
  return static_cast<int>(handle.value - 1);
}

file_kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return file_kind::file;
  if (S_ISDIR(mode)) return file_kind::folder;
  if (S_ISLNK(mode)) return file_kind::link;
  return file_kind::other;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

file_status status_of(const struct stat& found) {
  file_status status;
  status.kind = kind_of(found.st_mode);
  if (status.kind == file_kind::file) status.size = static_cast<std::uint64_t>(found.st_size);
  status.mtime_ns = nanoseconds(found.st_mtim);
  status.atime_ns = nanoseconds(found.st_atim);
  status.ctime_ns = nanoseconds(found.st_ctim);
  status.volume = found.st_dev;
  status.number = found.st_ino;
  status.executable = (found.st_mode & S_IXUSR) != 0;
  status.permissions = found.st_mode & 0777;
  status.owner = found.st_uid;
  status.group = found.st_gid;
  return status;
}

class posix_system final : public operating_system {
 public:
  result<os_handle> open(const char* path) noexcept override {
    // O_NONBLOCK: a FIFO in a game folder must not hang the load.
    const int descriptor = retry_if_interrupted(
        [&] { return ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
    if (descriptor < 0) return failed("cannot open");
    return to_handle(descriptor);
  }

  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    const int descriptor = open_beneath(to_descriptor(folder), path);
    if (descriptor < 0) return failed("cannot open");
    return to_handle(descriptor);
  }

  int descriptor(os_handle handle) noexcept override { return to_descriptor(handle); }

  void close(os_handle handle) noexcept override { (void)::close(to_descriptor(handle)); }

  result<file_status> status(os_handle handle) noexcept override {
    struct stat found{};
    if (fstat(to_descriptor(handle), &found) != 0) return failed("cannot get the file status");
    return status_of(found);
  }

  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
      return std::size_t{0};
    const std::size_t wanted = std::min<std::size_t>(bytes.size(), read_bytes_max);
    const ssize_t got = retry_if_interrupted([&] {
      return pread(to_descriptor(handle), bytes.data(), wanted, static_cast<off_t>(offset));
    });
    if (got < 0) return failed("cannot read");
    return static_cast<std::size_t>(got);
  }

  result<std::size_t> read_parts_at(os_handle handle, std::uint64_t offset,
                                    std::span<const std::span<std::byte>> parts) noexcept override {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
      return std::size_t{0};
    constexpr std::size_t parts_max = 64;
    iovec vectors[parts_max];
    const std::size_t count = std::min(parts.size(), parts_max);
    std::size_t left = read_bytes_max;
    for (std::size_t i = 0; i < count; ++i) {
      vectors[i] = {parts[i].data(), std::min(parts[i].size(), left)};
      left -= vectors[i].iov_len;
    }
    const ssize_t got = retry_if_interrupted([&] {
      return preadv(to_descriptor(handle), vectors, static_cast<int>(count),
                    static_cast<off_t>(offset));
    });
    if (got < 0) return failed("cannot read");
    return static_cast<std::size_t>(got);
  }

  void fetch_ahead(os_handle handle, std::uint64_t offset, std::uint64_t bytes) noexcept override {
    (void)posix_fadvise(to_descriptor(handle), static_cast<off_t>(offset),
                        static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
  }

  result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                     std::span<std::byte> bytes) noexcept override {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
      return std::size_t{0};
    iovec part{bytes.data(), std::min<std::size_t>(bytes.size(), read_bytes_max)};
    // Not glibc's preadv2(): as a cancellation point it costs two more atomic operations, for a
    // call that never waits. The kernel takes the offset in two halves; only 32-bit machines need
    // the upper one.
    const long got = retry_if_interrupted([&] {
      return syscall(SYS_preadv2, to_descriptor(handle), &part, 1L, offset, 0L, RWF_NOWAIT);
    });
    if (got < 0) {
      if (errno == ENOTSUP || errno == ENOSYS) errno = EAGAIN;
      return failed("not in the page cache");
    }
    return static_cast<std::size_t>(got);
  }

  result<file_status> status(const char* path, bool follow_links) noexcept override {
    struct stat found{};
    const int failure = follow_links ? stat(path, &found) : lstat(path, &found);
    if (failure != 0) return failed("cannot get the file status");
    return status_of(found);
  }

  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    DIR* folder = opendir(path);
    while (!folder && errno == EINTR) folder = opendir(path);
    if (!folder) return failed("cannot list the folder");
    int failure = 0;
    for (;;) {
      errno = 0;
      const dirent* const found = readdir(folder);
      if (!found) {
        if (errno != 0) failure = errno;
        break;
      }
      if (std::strcmp(found->d_name, ".") == 0 || std::strcmp(found->d_name, "..") == 0) continue;
      file_kind kind = file_kind::other;
      if (listed_kind(folder, *found, kind)) {
        visit({found->d_name, kind});
      } else if (errno != ENOENT) {  // removed meanwhile
        failure = errno;
      }
    }
    (void)closedir(folder);
    if (failure != 0) return tl::unexpected<error>(os_failure(failure, "cannot list the folder"));
    return {};
  }

  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    char resolved[PATH_MAX];
    if (!realpath(path, resolved)) return failed("cannot resolve the path");
    const std::size_t length = std::strlen(resolved);
    if (length >= text.size())
      return fail(errc::limit, "the path with its links resolved is too long");
    std::memcpy(text.data(), resolved, length + 1);
    return length;
  }

  result<os_handle> create(const char* path) noexcept override {
    const int descriptor = retry_if_interrupted([&] {
      return ::open(
          path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    });
    if (descriptor < 0) return failed("cannot create");
    return to_handle(descriptor);
  }

  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
      errno = EFBIG;
      return failed("cannot write");
    }
    const std::size_t wanted = std::min<std::size_t>(bytes.size(), read_bytes_max);
    const ssize_t put = retry_if_interrupted([&] {
      return pwrite(to_descriptor(handle), bytes.data(), wanted, static_cast<off_t>(offset));
    });
    if (put < 0) return failed("cannot write");
    return static_cast<std::size_t>(put);
  }

  result<void> sync(os_handle handle) noexcept override {
    if (retry_if_interrupted([&] { return fsync(to_descriptor(handle)); }) != 0) {
      return failed("cannot sync");
    }
    return {};
  }

  result<void> rename(const char* from, const char* to) noexcept override {
    if (::rename(from, to) != 0) return failed_to_make("cannot rename");
    return {};
  }

  result<void> remove_file(const char* path) noexcept override {
    if (unlink(path) != 0) return failed("cannot remove");
    return {};
  }

  result<void> lock(os_handle file) noexcept override {
    const auto try_lock = [](int descriptor) {
      return retry_if_interrupted([&] { return flock(descriptor, LOCK_EX | LOCK_NB); }) == 0;
    };
    if (try_lock(to_descriptor(file))) return {};
    // NFS locks only what is open for writing.
    if (errno == EBADF && open_again(to_descriptor(file)) && try_lock(to_descriptor(file))) {
      return {};
    }
    // Some file systems know no such lock; EAGAIN is busy.
    if (errno != EWOULDBLOCK) errno = ENOTSUP;
    return failed("cannot lock");
  }

  result<void> take_permissions(os_handle file, const file_status& other) noexcept override {
    return give_permissions(file, other, 07);
  }

  // `group_rights`: no more than these are the group's; the bits may be those of an access list.
  static result<void> give_permissions(os_handle file, const file_status& other,
                                       unsigned group_rights) noexcept {
    if (other.permissions == file_status::unknown_permissions) return {};
    const int descriptor = to_descriptor(file);
    auto mode = static_cast<mode_t>(other.permissions);
    // Only root may give files away, and others only to their own groups.
    const bool given = fchown(descriptor, other.owner, other.group) == 0 ||
                       fchown(descriptor, static_cast<uid_t>(-1), other.group) == 0;
    struct stat now{};
    // Who was of the old group is one of the others now, and the other way round.
    if (!given && (fstat(descriptor, &now) != 0 || now.st_gid != other.group)) {
      const mode_t of_both = mode & (mode >> 3) & group_rights & 07;
      mode = (mode & 0700) | of_both << 3 | of_both;
    }
    if (fchmod(descriptor, mode) == 0) return {};
    // File systems without permissions keep none.
    if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS) return {};
    return failed("cannot keep the permissions of the old file");
  }

  result<void> take_permissions_of(os_handle file, const file_status& other, os_handle folder,
                                   const char* path) noexcept override {
    file_status kept = other;
    taken_attributes taken;
    errno = take_attributes(to_descriptor(file), folder.valid() ? to_descriptor(folder) : AT_FDCWD,
                            path, taken);
    if (errno != 0) return failed("cannot open the old file to keep its permissions");
    // The bits of the group were the most that anyone in the list may do, and those of the others
    // may be more than it allows to some.
    if (taken.has_lost_list) kept.permissions &= ~std::uint32_t{077};
    return give_permissions(file, kept, taken.group_rights);
  }

  result<mapping> map(os_handle handle) noexcept override {
    const result<file_status> found = status(handle);
    if (!found) return tl::unexpected<error>(found.error());
    if (found->size == 0) return mapping{};
    void* const memory =
        mmap(nullptr, found->size, PROT_READ, MAP_SHARED, to_descriptor(handle), 0);
    if (memory == MAP_FAILED) return failed("cannot map");
    return mapping{static_cast<const std::byte*>(memory), found->size};
  }

  void unmap(mapping memory) noexcept override {
    if (memory.data) (void)munmap(const_cast<std::byte*>(memory.data), memory.size);
  }

  result<file_status> status_below(os_handle folder, const char* path) noexcept override {
    const parent_folder parent(to_descriptor(folder), path);
    struct stat found{};
    if (parent.missing() ||
        fstatat(parent.descriptor(), parent.name(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return failed("cannot get the file status");
    }
    return status_of(found);
  }

  result<os_handle> open_to_write(os_handle folder, const char* path,
                                  write_mode mode) noexcept override {
    // O_NONBLOCK: a FIFO without a reader must not hang the writer.
    const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const bool is_new = mode == write_mode::create;
    const int how = is_new ? O_EXCL : mode == write_mode::append ? O_APPEND : 0;
    const int descriptor = open_beneath(to_descriptor(folder), path, flags | how);
    if (descriptor < 0) return failed("cannot open for writing");
    struct stat found{};
    if (is_new || (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode))) {
      return to_handle(descriptor);
    }
    (void)::close(descriptor);
    return fail(errc::not_a_file, "not a regular file");
  }

  result<void> make_folder_below(os_handle folder, const char* path) noexcept override {
    const parent_folder parent(to_descriptor(folder), path);
    if (parent.missing() || mkdirat(parent.descriptor(), parent.name(), 0777) != 0) {
      return failed_to_make("cannot create the folder");
    }
    return {};
  }

  result<void> remove_below(os_handle folder, const char* path) noexcept override {
    const parent_folder parent(to_descriptor(folder), path);
    if (parent.missing()) return failed("cannot remove");
    int outcome = unlinkat(parent.descriptor(), parent.name(), 0);
    if (outcome != 0 && errno == EISDIR) {
      outcome = unlinkat(parent.descriptor(), parent.name(), AT_REMOVEDIR);
    }
    if (outcome != 0) return failed("cannot remove");
    return {};
  }

  result<void> rename_below(os_handle folder, const char* from, const char* to) noexcept override {
    const parent_folder old_parent(to_descriptor(folder), from);
    if (old_parent.missing()) return failed("cannot rename");
    const parent_folder parent(to_descriptor(folder), to);
    struct stat old{};
    const bool is_there = !parent.missing() && fstatat(parent.descriptor(), parent.name(), &old,
                                                       AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && status_of(old).kind == file_kind::other) {
      return fail(errc::not_a_file, "a FIFO, socket or device has the name");
    }
    if (parent.missing() || renameat(old_parent.descriptor(), old_parent.name(),
                                     parent.descriptor(), parent.name()) != 0) {
      return failed_to_make("cannot rename");
    }
    return {};
  }

  result<void> rename_new_below(os_handle folder, const char* from,
                                const char* to) noexcept override {
    const parent_folder old_parent(to_descriptor(folder), from);
    if (old_parent.missing()) return failed("cannot rename");
    const parent_folder parent(to_descriptor(folder), to);
    if (parent.missing()) return failed_to_make("cannot rename");
    const auto put = [&](unsigned flags) {
      return static_cast<int>(syscall(SYS_renameat2, old_parent.descriptor(), old_parent.name(),
                                      parent.descriptor(), parent.name(), flags));
    };
    if (put(RENAME_NOREPLACE) == 0) return {};
    // A file system that cannot (NFS): a second name for the file is as good.
    if (errno != EINVAL && errno != ENOSYS) return failed_to_make("cannot rename");
    if (linkat(old_parent.descriptor(), old_parent.name(), parent.descriptor(), parent.name(), 0) ==
        0) {
      (void)unlinkat(old_parent.descriptor(), old_parent.name(), 0);
      return {};
    }
    // One without hard links: another process may come between the look and the rename.
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) {
      return failed_to_make("cannot rename");
    }
    struct stat there{};
    const bool is_free =
        fstatat(parent.descriptor(), parent.name(), &there, AT_SYMLINK_NOFOLLOW) != 0;
    if (!is_free || errno != ENOENT) {
      errno = EEXIST;
      return failed_to_make("cannot rename");
    }
    return rename_below(folder, from, to);
  }

 private:
  // Linux reads and writes at most 2^31 - 4096 bytes in one call.
  static constexpr std::size_t read_bytes_max = 0x7ffff000;

  // Opens the same file for writing, too, under the same descriptor.
  static bool open_again(int descriptor) {
    char path[40];
    (void)std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    owned_descriptor again;
    again.reset(::open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    return again.get() >= 0 && ::dup3(again.get(), descriptor, O_CLOEXEC) >= 0;
  }

  // False if the kind cannot be found out; errno says why.
  static bool listed_kind(DIR* folder, const dirent& found, file_kind& kind) {
    switch (found.d_type) {
      case DT_REG:
        kind = file_kind::file;
        return true;
      case DT_DIR:
        kind = file_kind::folder;
        return true;
      case DT_LNK:
        kind = file_kind::link;
        return true;
      case DT_UNKNOWN:
        break;  // some file systems do not report it
      default:
        kind = file_kind::other;
        return true;
    }
    struct stat status{};
    if (fstatat(dirfd(folder), found.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    kind = kind_of(status.st_mode);
    return true;
  }
};

}  // namespace

operating_system& system_os() noexcept {
  static posix_system instance;
  return instance;
}

}  // namespace overture
