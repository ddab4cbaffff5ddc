// The seam to the operating system: everything Overture asks of a disk goes through here.
//
// system_os() is the real one. A host with storage of its own (a console, a network) implements the
// interface itself; Overture's tests do so with one that holds files in memory and fails on demand.
//
// A call that fails says so with the errno in error::os_error. EINTR never comes out of here, short
// reads do: read_fully() is the loop around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/error.hpp"
#include "overture/function_ref.hpp"

namespace overture {

enum class file_kind : std::uint8_t { file, folder, link, other };

struct file_status {
  file_kind kind = file_kind::other;
  std::uint64_t size = 0;     // bytes; files only
  std::int64_t mtime_ns = 0;  // last change, nanoseconds since 1970
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
  // As read_at(), but fails with errc::busy instead of waiting for the disk: the question "is it
  // in the page cache" and its answer in one call. Systems that cannot tell always say busy.
  [[nodiscard]] virtual result<std::size_t> read_cached_at(os_handle handle, std::uint64_t offset,
                                                           std::span<std::byte> bytes) {
    (void)handle, (void)offset, (void)bytes;
    return fail(errc::busy, "cached reads are not known here");
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

  // Maps a whole file read-only. Reading a mapping of a file that has shrunk faults.
  [[nodiscard]] virtual result<mapping> map(os_handle handle) = 0;
  virtual void unmap(mapping memory) = 0;
};

// The operating system itself. Lives for the whole process. Any thread.
[[nodiscard]] operating_system& system_os() noexcept;

// Fills all of `bytes` from `offset` on, over short reads. Errors: those of read_at(), and
// errc::truncated if the file ends before. Any thread.
[[nodiscard]] result<void> read_fully(operating_system& os, os_handle handle, std::uint64_t offset,
                                      std::span<std::byte> bytes);

}  // namespace overture
