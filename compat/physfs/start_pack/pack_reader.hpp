// SPDX-License-Identifier: Zlib
//
// Reads a start pack from front to back on a thread of its own, ahead of the game.
//
//   result<pack_reader*> pack = pack_reader::open(os, file, threads, memory);
//   result<blob> bytes = (*pack)->take(path, name, identity_of(status));
//
// take(): what the thread has read, or is about to reach, costs no read. Others
// are read from the pack at once. An error means that the file has to be read where it is.
//
// Memory: at most `ahead_bytes_max` of entries that have not been taken yet. When room is short,
// those in front of the last one that was taken go first: this time the game does not want them. A
// few seconds after the last entry was read, all go.
//
// What take() gave must be gone before close().
//
// Threads: take() on any thread. One reader only: a second one would make the disk seek.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "overture/base/blob.hpp"
#include "overture/base/os.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/event_count.hpp"
#include "start_pack/pack_index.hpp"
#include "sync/mutex.hpp"

namespace overture::start_pack {

struct reader_config {
  std::uint64_t ahead_bytes_max = std::uint64_t{64} << 20;
  std::uint64_t wait_bytes_max = std::uint64_t{8}
                                 << 20;  // an entry further ahead is not waited for
  std::uint64_t linger_ns = 5'000'000'000;
};

class pack_reader {
 public:
  // `file` is closed with the reader, which is destroyed by close(). Errors: those of
  // pack_index::read() and of starting a thread. If it fails, `file` is closed.
  [[nodiscard]] static result<pack_reader*> open(operating_system& os, os_handle file,
                                                 thread_factory& threads, allocator& memory,
                                                 const reader_config& config = {}) noexcept;
  // Ends the thread and destroys the reader. No other call may be going on.
  void close() noexcept;

  // The content of a file, or of an entry of an archive. Errors: not_found (not in the pack, or the
  // real file has changed), corrupt (the pack is damaged), out_of_memory, those of reading.
  [[nodiscard]] result<blob> take(std::string_view path, std::string_view name,
                                  const identity& real) noexcept;

  [[nodiscard]] const pack_index& index() const noexcept { return index_; }

 private:
  enum class progress : std::uint8_t { waiting, reading, ready, taken, failed };
  struct item {
    progress state = progress::waiting;
    blob content;
  };

  pack_reader(operating_system& os, os_handle file, allocator& memory, pack_index&& index,
              const reader_config& config) noexcept
      : os_(os),
        file_(file),
        memory_(memory),
        config_(config),
        index_(std::move(index)),
        pool_({.memory = &memory, .tag = memory_tag::vfs, .kept_bytes_max = 0}),
        items_(memory, memory_tag::vfs) {}
  ~pack_reader();

  static void run(void* self) noexcept;
  void read_all() noexcept;
  void linger() noexcept;
  [[nodiscard]] bool make_room(std::size_t number) noexcept;
  [[nodiscard]] bool try_make_room(std::uint64_t bytes) noexcept REQUIRES(lock_);
  void drop(std::size_t begin, std::size_t end) noexcept REQUIRES(lock_);
  [[nodiscard]] bool is_near(std::size_t number) const noexcept REQUIRES(lock_);
  [[nodiscard]] result<blob> read(const entry& one) noexcept;

  operating_system& os_;
  os_handle file_;
  allocator& memory_;
  reader_config config_;
  pack_index index_;
  buffer_pool pool_;
  thread_factory* threads_ = nullptr;
  thread_handle thread_;
  event_count changed_;  // an item's state, what was taken last, `ends_`

  sync_detail::mutex lock_;
  base_detail::vec<item> items_ GUARDED_BY(lock_);
  std::size_t next_ GUARDED_BY(lock_) = 0;        // the one that the thread reads
  std::size_t dropped_to_ GUARDED_BY(lock_) = 0;  // nothing before it is held
  std::size_t last_taken_ GUARDED_BY(lock_) = 0;
  std::uint64_t held_bytes_ GUARDED_BY(lock_) = 0;
  bool ends_ GUARDED_BY(lock_) = false;
};

}  // namespace overture::start_pack
