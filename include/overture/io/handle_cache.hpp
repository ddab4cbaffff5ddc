// SPDX-License-Identifier: Zlib
//
// Files by number, opened when they are read and closed to make room for others.
//
//   handle_cache files({.open_max = 256});
//   const source_id map = *files.add("game/maps/one.map");   // opens nothing
//   read_queue reads{files};
//   reads.submit(...);                                       // opens, reads, keeps open
//
// For hosts that read loose files without a file_system. Thousands of files may be known; at most
// `open_max` are open at any time, and a read waits while all of them are in use. A path is only
// looked at when its file is opened.
//
// A file that a queue has not read in its last `open_max` reads is opened for that read alone and
// closed afterwards, so that loading thousands of files once does not push out those that are read
// all the time (Johnson and Shasha, "2Q", 1994). If it is read again soon it stays open. A queue
// gets a descriptor for each of its threads for this, out of open_max, if that is at most a quarter
// of what is left for others.
//
// Cost. A queue with threads of its own finds an open file by two loads and writes nothing shared:
// it can be asked what it reads (source_reader) when a file is to be closed. For all others pin()
// of an open file is one table look-up and one compare-and-swap, and unpin() one subtraction; no
// lock is taken and no string compared. A clock hand chooses which file to close, sparing those
// used since it last passed (Corbato, 1968). A file is never closed while it is read.
//
// Limits. `open_max` is reduced to what the process's limit on descriptors allows, less a reserve
// for others. If the system has no descriptor left all the same, an unused file is closed for the
// next one. 4,095 pins of one file at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/filesystem_path.hpp"
#include "overture/base/os.hpp"
#include "overture/io/read_queue.hpp"

namespace overture {

struct handle_cache_config {
  std::size_t open_max = 512;            // most files open at a time, at least 1
  std::size_t reserved_descriptors = 8;  // of the process's limit, left to others
  // Files do not change while the cache lives, so view() may map them. A mapping stays until the
  // cache ends; touching the mapping of a file that was truncated is a fault.
  bool immutable_files = false;
  operating_system* os = nullptr;  // null = system_os()
  allocator* memory = nullptr;     // null = default_allocator()
};

struct handle_cache_stats {
  std::uint64_t hits = 0;     // pins that found the file open
  std::uint64_t opens = 0;    // files opened
  std::uint64_t evicted = 0;  // files closed to make room
  std::uint64_t waits = 0;    // pins that had to wait
  std::size_t known = 0;
  std::size_t open = 0;
  std::size_t open_max = 0;  // what it was reduced to
};

class OVERTURE_API handle_cache final : public source_files {
 public:
  explicit handle_cache(const handle_cache_config& config = {}) noexcept;
  // Closes everything. No read may be under way.
  ~handle_cache() override;
  handle_cache(const handle_cache&) = delete;
  handle_cache& operator=(const handle_cache&) = delete;

  // Adds a file, which need not exist yet. The same path twice is two files. Errors:
  // out_of_memory, bad_path (empty, or with a NUL), limit. Any thread.
  [[nodiscard]] result<source_id> add(std::string_view path) noexcept;
  template <filesystem_path Path>
  [[nodiscard]] result<source_id> add(const Path& path) {
    return add(std::string_view(detail::utf8_path(path).c_str()));
  }

  // See source_files. source() does not open; error: busy if the file is not open. Any thread.
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  [[nodiscard]] result<open_source> pin(source_id id, bool may_wait = true) noexcept override;
  void unpin(source_id id) noexcept override;
  [[nodiscard]] reader_terms add_reader(source_reader& reader, unsigned reads_max,
                                        unsigned own_files_wanted) noexcept override;
  void remove_reader(source_reader& reader) noexcept override;
  [[nodiscard]] result<open_source> borrow(source_id id,
                                           std::uint64_t read_number) noexcept override;
  [[nodiscard]] const char* path_to_open(source_id id, std::uint64_t read_number) noexcept override;
  void released(source_id id) noexcept override;
  void open_ahead(source_id id) noexcept override;
  // Errors: unsupported without immutable_files, truncated, those of opening and mapping. Any
  // thread.
  [[nodiscard]] result<std::span<const std::byte>> view(source_id id, std::uint64_t offset,
                                                        std::size_t bytes) noexcept override;
  // Closes the file at once, or as soon as no read uses it. Any thread.
  void close_source(source_id id) noexcept override;
  // Writes its path. Any thread.
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;

  // Any thread.
  [[nodiscard]] handle_cache_stats stats() const noexcept;

 private:
  struct state;
  enum class freed : std::uint8_t { one, none, busy };
  [[nodiscard]] result<open_source> pin_closed(source_id id, bool may_wait) noexcept;
  [[nodiscard]] result<open_source> open_in(std::uint32_t at, source_id id, bool may_wait) noexcept;
  [[nodiscard]] freed free_descriptor(std::uint32_t opening, bool may_wait) noexcept;

  handle_cache_config config_;
  state* state_ = nullptr;
};

}  // namespace overture
