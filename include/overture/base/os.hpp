// The seam to the operating system: everything Overture asks of a disk goes through here.
//
// system_os() is the real one. A host with storage of its own (a console, a network) implements the
// interface itself; Overture's tests do so with one that holds files in memory and fails on demand.
//
// A call that fails says so with the errno in error::os_error. EINTR never comes out of here, short
// reads and writes do: read_fully() and write_fully() are the loops around them. replace_file() is
// how a file gets new content of which a crash or a full disk leaves either all or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture {

enum class file_kind : std::uint8_t { file, folder, link, other };

struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;     // bytes; files only
  std::int64_t mtime_ns = 0;  // last change, nanoseconds since 1970
  // Together what no other file has at the same time (device and inode); 0 where nobody knows.
  std::uint64_t volume = 0;
  std::uint64_t number = 0;
};

struct folder_entry {
  std::string_view name;              // one element, never "." or ".."; valid during the visit
  file_kind kind = file_kind::other;  // a link is reported as a link, not as its target
};

// An open file or folder. Zero is not a valid handle.
struct os_handle {
  std::int64_t value = 0;
  [[nodiscard]] bool valid() const noexcept { return value != 0; }
};

struct mapping {
  const std::byte* data = nullptr;
  std::size_t size = 0;
};

enum class write_mode : std::uint8_t { create, append };

class operating_system {
 public:
  virtual ~operating_system() = default;

  // Opens a file for reading, or a folder as a root for open_below(). Any thread.
  [[nodiscard]] virtual result<os_handle> open(const char* path) = 0;
  // Opens a file for reading by its path relative to an open folder. Fails with errc::permission
  // if the path (through links, say) leaves that folder, where the system can tell. Any thread.
  [[nodiscard]] virtual result<os_handle> open_below(os_handle folder, const char* path) = 0;
  // Once for each handle. Any thread.
  virtual void close(os_handle handle) = 0;

  // Any thread, several at once on one handle.
  [[nodiscard]] virtual result<file_status> status(os_handle handle) = 0;
  // Reads up to bytes.size() bytes at `offset`; returns how many, 0 only at the end of the file.
  // Any thread, several at once on one handle.
  [[nodiscard]] virtual result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                                                    std::span<std::byte> bytes) = 0;
  // As read_at(), into several places one after the other. Systems that cannot fill the first
  // only, which is a short read. Any thread.
  [[nodiscard]] virtual result<std::size_t> read_parts_at(
      os_handle handle, std::uint64_t offset, std::span<const std::span<std::byte>> parts) {
    return parts.empty() ? result<std::size_t>(0) : read_at(handle, offset, parts[0]);
  }
  // As read_at(), but fails with errc::busy instead of waiting for the disk: the question "is it
  // in the page cache" and its answer in one call. Systems that cannot tell always say busy.
  [[nodiscard]] virtual result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                                           std::span<std::byte> bytes) {
    (void)handle, (void)offset, (void)bytes;
    return fail(errc::busy, "cached reads are not known here");
  }

  // A hint: these bytes are read soon, so the disk may begin now. Does not wait for them. Any
  // thread.
  virtual void fetch_ahead(os_handle handle, std::uint64_t offset, std::uint64_t bytes) {
    (void)handle, (void)offset, (void)bytes;
  }

  // The descriptor behind an open file, for whoever asks the system itself to read it (io_uring);
  // -1 if there is none. Any thread.
  [[nodiscard]] virtual int descriptor(os_handle handle) {
    (void)handle;
    return -1;
  }

  // What a path names. follow_links decides about the last element only. Any thread.
  [[nodiscard]] virtual result<file_status> status(const char* path, bool follow_links) = 0;
  // Calls `visit` for each entry of a folder, in no order. Any thread.
  [[nodiscard]] virtual result<void> list(const char* path,
                                          function_ref<void(const folder_entry&)> visit) = 0;
  // Writes the absolute path without links into `text`, ended by NUL; returns its length. Any
  // thread.
  [[nodiscard]] virtual result<std::size_t> canonical_path(const char* path,
                                                           std::span<char> text) = 0;

  // Writing. What a system does not override is errc::unsupported: most only read.
  //
  // Opens a file for writing and reading, new or emptied; a link is not followed. Any thread.
  [[nodiscard]] virtual result<os_handle> create(const char* path) {
    (void)path;
    return fail(errc::unsupported, "files are not written here");
  }
  // Writes up to bytes.size() (> 0) bytes at `offset`; returns how many. Any thread, several at
  // once on one handle.
  [[nodiscard]] virtual result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                                                     std::span<const std::byte> bytes) {
    (void)handle, (void)offset, (void)bytes;
    return fail(errc::unsupported, "files are not written here");
  }
  // Returns when a file's bytes, or the names in a folder, would survive a loss of power, as far as
  // the system knows. Any thread.
  [[nodiscard]] virtual result<void> sync(os_handle handle) {
    (void)handle;
    return fail(errc::unsupported, "files are not written here");
  }
  // Gives a file another name, in one step, in the place of what had it. Any thread.
  [[nodiscard]] virtual result<void> rename(const char* from, const char* to) {
    (void)from, (void)to;
    return fail(errc::unsupported, "files are not written here");
  }
  // Removes a file or a link. Any thread.
  [[nodiscard]] virtual result<void> remove_file(const char* path) {
    (void)path;
    return fail(errc::unsupported, "files are not written here");
  }

  // Maps a whole file read-only. Reading a mapping of a file that has shrunk faults.
  [[nodiscard]] virtual result<mapping> map(os_handle handle) = 0;
  virtual void unmap(mapping memory) = 0;

  // Writing below an open folder: paths are relative to it and do not leave it, as those of
  // open_below(). Any thread.
  //
  // Opens a file for write_at(): a new one (errc::exists if something has this name), or with
  // write_mode::append at the end of one that may be there. A link is not followed.
  [[nodiscard]] virtual result<os_handle> open_to_write(os_handle folder, const char* path,
                                                        write_mode mode) {
    (void)folder, (void)path, (void)mode;
    return fail(errc::unsupported, "files are not written here");
  }
  // Error: exists.
  [[nodiscard]] virtual result<void> make_folder_below(os_handle folder, const char* path) {
    (void)folder, (void)path;
    return fail(errc::unsupported, "files are not written here");
  }
  // A file, a link or an empty folder. Error: exists if the folder is not empty.
  [[nodiscard]] virtual result<void> remove_below(os_handle folder, const char* path) {
    (void)folder, (void)path;
    return fail(errc::unsupported, "files are not written here");
  }
  // In one step, in the place of a file that has the new name.
  [[nodiscard]] virtual result<void> rename_below(os_handle folder, const char* from,
                                                  const char* to) {
    (void)folder, (void)from, (void)to;
    return fail(errc::unsupported, "files are not written here");
  }
};

// The operating system itself. Lives for the whole process. Any thread.
[[nodiscard]] operating_system& system_os() noexcept;

// Fills all of `bytes` from `offset` on, over short reads. Errors: those of read_at(), and
// errc::truncated if the file ends before. Any thread.
[[nodiscard]] result<void> read_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                                      std::span<std::byte> bytes);
// The same into several places one after the other; `parts` is used up.
[[nodiscard]] result<void> read_parts_fully(operating_system& os, os_handle handle,
                                            std::uint64_t offset,
                                            std::span<std::span<std::byte>> parts);

// Writes all of `bytes` from `offset` on, over short writes. Errors: those of write_at(), and
// errc::io if nothing is written without a reason. Any thread.
[[nodiscard]] result<void> write_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                                       std::span<const std::byte> bytes);

// Makes the names in a folder lasting, as sync() does; that a file system has nothing to sync of a
// folder is no error. Any thread.
[[nodiscard]] result<void> sync_names(operating_system& os, os_handle folder);

// Gives the file at `path` new content: writes it to the side (`path` and ".new"), syncs it,
// renames it over the old one and syncs the folder. `write` fills the empty file. After an error
// `path` is what it was, and the file at the side is gone; only if the last step fails, which the
// reason says, the new content is in place and may not survive a loss of power. One thread at a
// time for one path. Errors: those of the system's calls and of `write`, limit (the path is too
// long), not_a_file (a folder, a device or a pipe has this name).
[[nodiscard]] result<void> replace_file(operating_system& os, const char* path,
                                        function_ref<result<void>(os_handle file)> write);

}  // namespace overture
