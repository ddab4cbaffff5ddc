// SPDX-License-Identifier: Zlib
//
// The operating system interface: all file access in Overture goes through it.
//
// system_os() is the real one. A host with its own storage (a console, a network) can implement the
// interface; Overture's tests use one that keeps files in memory and fails on demand. Its functions
// are noexcept: what goes wrong is an error.
//
// Paths are UTF-8 with '/' between their elements; on Windows a path of the system may also have
// backslashes, and names that Windows cannot have are refused.
//
// Errors carry the errno in error::os_error. Implementations retry EINTR but may return short reads
// and writes: read_fully() and write_fully() loop over those. To replace a file safely, see
// base/replace_file.hpp.
//
// Threads: any thread may call any function, several at once on one handle too. A handle is closed
// once, after all other calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/function_ref.hpp"

namespace overture {

enum class file_kind : std::uint8_t { file, folder, link, other };

struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;     // bytes; files only
  std::int64_t mtime_ns = 0;  // last change, nanoseconds since 1970
  std::int64_t atime_ns = 0;  // last read, as far as the system keeps track; 0 = unknown
  std::int64_t ctime_ns = 0;  // last change of the content or of the status; 0 = unknown
  // Together they identify a file among all existing ones (device and inode); 0 = unknown.
  std::uint64_t volume = 0;
  std::uint64_t number = 0;
  bool executable = false;  // by its owner
  // Who may read, write and execute it, as the nine bits of POSIX (0644), and whose it is.
  static constexpr std::uint32_t unknown_permissions = UINT32_MAX;
  std::uint32_t permissions = unknown_permissions;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;

  [[nodiscard]] bool is_read_only() const noexcept {
    return permissions != unknown_permissions && (permissions & 0222) == 0;
  }
};

struct folder_entry {
  std::string_view name;              // never "." or ".."; valid during the visit
  file_kind kind = file_kind::other;  // of a link: link, not the kind of its target
};

// An open file or folder; zero is invalid.
struct os_handle {
  std::int64_t value = 0;
  [[nodiscard]] bool valid() const noexcept { return value != 0; }
};

struct mapping {
  const std::byte* data = nullptr;
  std::size_t size = 0;
};

enum class write_mode : std::uint8_t {
  create,  // a new file
  append,  // an old file or a new one; what is written goes to its end, wherever that is by then
  update,  // an old file or a new one; what is written goes where it is told to
};

class operating_system {
 public:
  virtual ~operating_system() = default;

  // Opens a file for reading, or a folder as the root for open_below().
  [[nodiscard]] virtual result<os_handle> open(const char* path) noexcept = 0;
  // Opens a file for reading; `path` is relative to an open folder. Fails with errc::permission if
  // the path leaves the folder (through a link, say), where the system can tell.
  [[nodiscard]] virtual result<os_handle> open_below(os_handle folder,
                                                     const char* path) noexcept = 0;
  virtual void close(os_handle handle) noexcept = 0;

  [[nodiscard]] virtual result<file_status> status(os_handle handle) noexcept = 0;
  // Reads up to bytes.size() bytes at `offset`. Returns the number of bytes read, 0 only at the end
  // of the file.
  [[nodiscard]] virtual result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                                                    std::span<std::byte> bytes) noexcept = 0;
  // As read_at(), into several buffers in order. The default fills only the first, as a short read.
  [[nodiscard]] virtual result<std::size_t> read_parts_at(
      os_handle handle, std::uint64_t offset,
      std::span<const std::span<std::byte>> parts) noexcept {
    return parts.empty() ? result<std::size_t>(0) : read_at(handle, offset, parts[0]);
  }
  // As read_at(), but fails with errc::busy rather than wait for the disk, so it reads only from
  // the page cache. Systems that cannot tell always fail with busy.
  [[nodiscard]] virtual result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                                           std::span<std::byte> bytes) noexcept {
    (void)handle, (void)offset, (void)bytes;
    return fail(errc::busy, "cached reads are not supported");
  }

  // A hint that these bytes will be read soon. Does not wait for the disk.
  virtual void fetch_ahead(os_handle handle, std::uint64_t offset, std::uint64_t bytes) noexcept {
    (void)handle, (void)offset, (void)bytes;
  }

  // The file descriptor of an open file, for direct system calls such as io_uring's; -1 if it has
  // none.
  [[nodiscard]] virtual int descriptor(os_handle handle) noexcept {
    (void)handle;
    return -1;
  }

  // The status of a path. follow_links affects only its last element.
  [[nodiscard]] virtual result<file_status> status(const char* path,
                                                   bool follow_links) noexcept = 0;
  // Calls `visit` for each entry of a folder, in no particular order.
  [[nodiscard]] virtual result<void> list(
      const char* path, function_ref<void(const folder_entry&) noexcept> visit) noexcept = 0;
  // Writes the absolute path, with links resolved, to `text`, NUL-terminated. Returns its length.
  [[nodiscard]] virtual result<std::size_t> canonical_path(const char* path,
                                                           std::span<char> text) noexcept = 0;

  // Writing. Functions that are not overridden fail with errc::unsupported.

  // Creates or truncates a file and opens it for reading and writing. Does not follow a link.
  [[nodiscard]] virtual result<os_handle> create(const char* path) noexcept {
    (void)path;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Writes up to bytes.size() (> 0) bytes at `offset`. Returns the number of bytes written.
  [[nodiscard]] virtual result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                                                     std::span<const std::byte> bytes) noexcept {
    (void)handle, (void)offset, (void)bytes;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Flushes a file's data, or a folder's names, to the disk, so that they survive a power failure
  // as far as the system can tell.
  [[nodiscard]] virtual result<void> sync(os_handle handle) noexcept {
    (void)handle;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Renames a file atomically, replacing an existing one. Error: not_a_file (a FIFO, socket or
  // device has the new name).
  [[nodiscard]] virtual result<void> rename(const char* from, const char* to) noexcept {
    (void)from, (void)to;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Removes a file or a link.
  [[nodiscard]] virtual result<void> remove_file(const char* path) noexcept {
    (void)path;
    return fail(errc::unsupported, "this operating_system is read-only");
  }

  // Takes the lock of an open file, which is held until the handle is closed, without waiting. It
  // prevents no access: it shows other processes that a temporary file is still in use.
  // Errors: busy (another handle holds it), unsupported.
  [[nodiscard]] virtual result<void> lock(os_handle file) noexcept {
    (void)file;
    return fail(errc::unsupported, "this operating_system has no locks");
  }
  // Gives an open file the permissions of another, and its owner and group as far as this process
  // may. Succeeds where files have none, and if those of the other are unknown.
  [[nodiscard]] virtual result<void> take_permissions(os_handle file,
                                                      const file_status& other) noexcept {
    (void)file, (void)other;
    return {};
  }
  // As take_permissions(), with other rights that a system keeps, such as an access control list:
  // `other` is the status of the file at `path`, relative to an open folder if that is valid. No
  // user may do more with the file than with the other; what cannot be kept so that this holds is
  // left out.
  [[nodiscard]] virtual result<void> take_permissions_of(os_handle file, const file_status& other,
                                                         os_handle folder,
                                                         const char* path) noexcept {
    (void)folder, (void)path;
    return take_permissions(file, other);
  }

  // Maps a whole file read-only. If the file shrinks, reading past its new end faults.
  [[nodiscard]] virtual result<mapping> map(os_handle handle) noexcept = 0;
  virtual void unmap(mapping memory) noexcept = 0;

  // Writing below an open folder: paths are relative to it and may not leave it, as in
  // open_below().

  // The status of what has the name, also where it cannot be opened. Does not follow a link, where
  // the system can tell. The default opens it.
  [[nodiscard]] virtual result<file_status> status_below(os_handle folder,
                                                         const char* path) noexcept {
    const result<os_handle> opened = open_below(folder, path);
    if (!opened) return tl::unexpected<error>(opened.error());
    const result<file_status> found = status(*opened);
    close(*opened);
    return found;
  }
  // Opens a file for write_at(). Does not follow a link. Error of write_mode::create: exists.
  [[nodiscard]] virtual result<os_handle> open_to_write(os_handle folder, const char* path,
                                                        write_mode mode) noexcept {
    (void)folder, (void)path, (void)mode;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Creates a folder. Error: exists.
  [[nodiscard]] virtual result<void> make_folder_below(os_handle folder,
                                                       const char* path) noexcept {
    (void)folder, (void)path;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Removes a file, a link or an empty folder. Error: exists (the folder is not empty).
  [[nodiscard]] virtual result<void> remove_below(os_handle folder, const char* path) noexcept {
    (void)folder, (void)path;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // Renames a file atomically, replacing an existing one. Error: not_a_file (a FIFO, socket or
  // device has the new name).
  [[nodiscard]] virtual result<void> rename_below(os_handle folder, const char* from,
                                                  const char* to) noexcept {
    (void)folder, (void)from, (void)to;
    return fail(errc::unsupported, "this operating_system is read-only");
  }
  // As rename_below(), but never replaces anything. Error: exists (the new name is taken). The
  // default looks first and then renames, so another process may come between the two.
  [[nodiscard]] virtual result<void> rename_new_below(os_handle folder, const char* from,
                                                      const char* to) noexcept {
    const result<os_handle> there = open_below(folder, to);
    if (!there && there.error().code == errc::not_found) return rename_below(folder, from, to);
    if (there) close(*there);
    return fail(errc::exists, "the name is taken");
  }
};

// The real operating system. Lives as long as the process. Any thread.
[[nodiscard]] OVERTURE_API operating_system& system_os() noexcept;

// Reads exactly bytes.size() bytes at `offset`, retrying short reads. Errors: those of read_at(),
// and truncated if the file ends first. Any thread.
[[nodiscard]] OVERTURE_API result<void> read_fully(operating_system& os, os_handle handle,
                                                   std::uint64_t offset,
                                                   std::span<std::byte> bytes);
// As read_fully(), into several buffers in order. Modifies `parts`. Any thread.
[[nodiscard]] OVERTURE_API result<void> read_parts_fully(operating_system& os, os_handle handle,
                                                         std::uint64_t offset,
                                                         std::span<std::span<std::byte>> parts);

// Writes all of `bytes` at `offset`, retrying short writes. Errors: those of write_at(), and io if
// a call writes nothing. Any thread.
[[nodiscard]] OVERTURE_API result<void> write_fully(operating_system& os, os_handle handle,
                                                    std::uint64_t offset,
                                                    std::span<const std::byte> bytes);

// Flushes a folder's names to the disk. Succeeds on file systems that cannot sync a folder. Any
// thread.
[[nodiscard]] OVERTURE_API result<void> sync_names(operating_system& os, os_handle folder);

}  // namespace overture
