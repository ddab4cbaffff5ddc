// Files by number, opened when they are read and closed when others need their place.
//
//   handle_cache files({.open_max = 256});
//   const source_id map = *files.add("game/maps/one.map");   // opens nothing
//   read_queue reads{files};
//   reads.submit(...);                                       // opens, reads, keeps open
//
// For hosts that read loose files without a file_system: thousands of files may be known, and no
// more than `open_max` are open at any time, whatever happens; a read that finds all places taken
// by other reads waits for one. A path is looked at when its file is opened and never else. A file
// that a queue with threads of its own reads for the first time in `open_max` reads is opened for
// that read alone and closed behind it, so that loading thousands of files, each once, does not
// push out those that are read all the time (Johnson and Shasha, "2Q", 1994). If it is read again
// soon it stays open. A queue gets a descriptor for each of its threads for that, out of open_max,
// if that is no more than a quarter of what others have left.
//
// Cost: a queue with threads of its own finds an open file by two loads and writes nothing shared:
// it can say what it reads, and is asked when the file is to be closed. For all others pin() of an
// open file is one look into a table and one compare-and-swap, unpin() one subtraction: no lock,
// and no string is compared. Which file has to go is chosen by a clock hand that spares those used
// since its last turn (Corbato, 1968). A file is never closed under a read. Limits: `open_max` is
// cut to what the process's limit on descriptors leaves, less a reserve for everybody else; if the
// system has no descriptor left even so, because others took them, a file that is not in use is
// closed for the next one. 4,095 reads of one file at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/allocator.hpp"
#include "overture/error.hpp"
#include "overture/os.hpp"
#include "overture/read_queue.hpp"

namespace overture {

struct handle_cache_config {
  std::size_t open_max = 512;            // files open at once, at least 1
  std::size_t reserved_descriptors = 8;  // of the process's limit, left to others
  // Files do not change while the cache lives: then view() shows a mapping of the whole file, which
  // stays until the cache ends. Touching a mapping of a file that was cut short is a fault.
  bool immutable_files = false;
  operating_system* os = nullptr;  // null = system_os()
  allocator* memory = nullptr;     // null = default_allocator()
};

struct handle_cache_stats {
  std::uint64_t hits = 0;     // pins that found the file open
  std::uint64_t opens = 0;    // system calls
  std::uint64_t evicted = 0;  // closed because another one needed the place
  std::uint64_t waits = 0;    // pins that had to wait for a place
  std::size_t known = 0;
  std::size_t open = 0;
  std::size_t open_max = 0;  // what open_max was cut to
};

class handle_cache final : public source_files {
 public:
  explicit handle_cache(const handle_cache_config& config = {}) noexcept;
  // Closes everything. No read may be under way.
  ~handle_cache() override;
  handle_cache(const handle_cache&) = delete;
  handle_cache& operator=(const handle_cache&) = delete;

  // Makes a file known; it need not exist yet. The same path twice is two files. Errors:
  // out_of_memory, bad_path (empty, or with a NUL), limit. Any thread.
  [[nodiscard]] result<source_id> add(std::string_view path) noexcept;

  // Of source_files; the errors of pin() are those of opening. source() does not open, and says
  // busy for a file that is not open. Any thread.
  [[nodiscard]] result<open_source> source(source_id id) noexcept override;
  [[nodiscard]] result<open_source> pin(source_id id, bool may_wait = true) noexcept override;
  void unpin(source_id id) noexcept override;
  [[nodiscard]] reader_terms add_reader(source_reader& who, unsigned at_once,
                                        unsigned wished) noexcept override;
  void remove_reader(source_reader& who) noexcept override;
  [[nodiscard]] result<open_source> look(source_id id, std::uint64_t turn) noexcept override;
  [[nodiscard]] const char* path_to_open(source_id id, std::uint64_t turn) noexcept override;
  void released(source_id id) noexcept override;
  void open_ahead(source_id id) noexcept override;
  // Error: unsupported without immutable_files, truncated, those of opening and mapping. Any
  // thread.
  [[nodiscard]] result<std::span<const std::byte>> view(source_id id, std::uint64_t offset,
                                                        std::size_t bytes) noexcept override;
  // Closed at once, or as soon as no read uses it.
  void close_source(source_id id) noexcept override;
  // Writes its path.
  std::size_t describe(source_id id, std::span<char> text) const noexcept override;

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
