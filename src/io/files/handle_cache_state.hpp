// SPDX-License-Identifier: Zlib
//
// What a handle_cache knows: the files, and an entry for each that is open.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "base/vec.hpp"
#include "io/files/handle_entry.hpp"
#include "io/files/sizes.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/io/handle_cache.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {

// A file's number is its index, so finding it needs no search. The clock hand goes over the
// entries, one for each open file. Files are in chunks that never move, so that an open one can be
// pinned without the lock.
struct handle_cache::state {
  using entry_state = io_detail::handle_entry::state;
  static constexpr std::uint32_t no_entry = UINT32_MAX;
  static constexpr std::uint32_t chunk_files = io_detail::cache_chunk_files;
  static constexpr std::size_t path_block_bytes = 64u << 10;
  static_assert(limits::path_bytes_max < path_block_bytes);
  static constexpr std::size_t chunks_max = io_detail::cache_chunks_max;

  struct alignas(detail::line_bytes) file {  // one is opened while its neighbour is read
    const char* path = nullptr;
    atomic<std::uint32_t> entry{no_entry};
    atomic<std::uint64_t> last_read_number{0};  // of a reader that found it closed

   private:
    friend struct state;
    mapping mapped_;  // made by the first view, kept until the end
  };
  struct reader {
    source_reader* asked = nullptr;
    unsigned own_files = 0;
  };

  explicit state(allocator& from) noexcept
      : memory(from), readers(from, memory_tag::io), paths(from, memory_tag::io) {}
  ~state() {
    for (const atomic<file*>& each : chunks) {
      file* const chunk = each.load(std::memory_order_relaxed);
      if (!chunk) break;
      for (std::uint32_t i = 0; i < chunk_files; ++i) chunk[i].~file();
      memory.deallocate(chunk, sizeof(file) * chunk_files, alignof(file), memory_tag::io);
    }
    for (char* block : paths) memory.deallocate(block, path_block_bytes, 1, memory_tag::io);
    for (std::uint32_t at = 0; at < entry_count; ++at) entries[at].~handle_entry();
    memory.deallocate(entries, sizeof(io_detail::handle_entry) * entry_count,
                      alignof(io_detail::handle_entry), memory_tag::io);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  [[nodiscard]] bool make_entries(std::size_t count) noexcept REQUIRES(lock) {
    void* const room = memory.allocate(sizeof(io_detail::handle_entry) * count,
                                       alignof(io_detail::handle_entry), memory_tag::io);
    if (!room) return false;
    entries = static_cast<io_detail::handle_entry*>(room);
    for (; entry_count < count; ++entry_count) {
      ::new (static_cast<void*>(entries + entry_count)) io_detail::handle_entry;
    }
    entry_limit = entry_count;
    return true;
  }
  [[nodiscard]] bool add_file(std::string_view path) noexcept REQUIRES(lock) {
    const std::uint32_t index = known.load(std::memory_order_relaxed);
    if (!chunks[index / chunk_files].load(std::memory_order_relaxed)) {
      void* const room = memory.allocate(sizeof(file) * chunk_files, alignof(file), memory_tag::io);
      if (!room) return false;
      auto* const made = static_cast<file*>(room);
      for (std::uint32_t i = 0; i < chunk_files; ++i) ::new (static_cast<void*>(made + i)) file;
      chunks[index / chunk_files].store(made, std::memory_order_relaxed);
    }
    const char* const kept = keep(path);
    if (!kept) return false;
    at(index).path = kept;
    known.store(index + 1, std::memory_order_release);
    return true;
  }
  // Paths never move, so that a reader opens a file without the lock.
  [[nodiscard]] const char* keep(std::string_view path) noexcept REQUIRES(lock) {
    if (paths.empty() || path.size() >= path_block_bytes - path_bytes_used) {
      void* const room = memory.allocate(path_block_bytes, 1, memory_tag::io);
      if (!room) return nullptr;
      if (!paths.push_back(static_cast<char*>(room))) {
        memory.deallocate(room, path_block_bytes, 1, memory_tag::io);
        return nullptr;
      }
      path_bytes_used = 0;
    }
    char* const begin = paths.back() + path_bytes_used;
    std::memcpy(begin, path.data(), path.size());
    begin[path.size()] = '\0';
    path_bytes_used += path.size() + 1;
    return begin;
  }
  [[nodiscard]] bool knows(source_id id) const noexcept {
    return id.generation == 1 && id.index < known.load(std::memory_order_acquire);
  }
  [[nodiscard]] mapping& mapping_of(file& of) noexcept REQUIRES(lock) { return of.mapped_; }
  [[nodiscard]] file& at(std::uint32_t index) noexcept {
    return chunks[index / chunk_files].load(std::memory_order_relaxed)[index % chunk_files];
  }

  // False: it was read recently too, so it is likely to be read again and gets an entry. Any
  // thread.
  [[nodiscard]] bool is_read_once(file& wanted, std::uint64_t read_number) const noexcept {
    const std::uint64_t before = wanted.last_read_number.load(std::memory_order_relaxed);
    wanted.last_read_number.store(read_number, std::memory_order_relaxed);
    return before == 0 || read_number - before > entry_count;
  }

  // The open file's entry pinned, without the lock. Any thread.
  [[nodiscard]] bool pin_open(std::uint32_t index, os_handle& handle) noexcept {
    const std::uint32_t where = at(index).entry.load(std::memory_order_acquire);
    return where != no_entry && entries[where].pin(index, handle);
  }

  // Whether a registered reader is reading the entry's file. If so, released() is called when the
  // read has ended; if not, the entry stays marked as closing.
  [[nodiscard]] bool is_lent(std::uint32_t where, entry_state& seen) noexcept REQUIRES(lock) {
    if (!seen.was_lent()) return false;
    const bool was_closing = seen.is_closing();
    if (!was_closing && !entries[where].close_later(seen, lock)) return true;
    seen = entries[where].look();
    bool found = false;
    for (const reader& each : readers) found |= each.asked->is_reading({seen.file(), 1});
    if (found && !was_closing) (void)entries[where].stay_open(seen, lock);
    return found;
  }
  // Empties the entry unless it was used since `seen`. The caller closes its handle after releasing
  // the lock.
  [[nodiscard]] bool vacate(std::uint32_t where, entry_state seen, os_handle& closed) noexcept
      REQUIRES(lock) {
    if (!seen.is_open() || seen.pins() > 0 || is_lent(where, seen)) return false;
    if (!entries[where].vacate(seen, lock)) return false;
    note_left(seen);
    closed = entries[where].handle();
    return true;
  }
  void note_left(entry_state seen) noexcept REQUIRES(lock) {
    at(seen.file()).entry.store(no_entry, std::memory_order_release);
    stats.hits += seen.hits();
  }
  // An entry for this file, empty or emptied; no_entry if all are in use.
  [[nodiscard]] std::uint32_t take_entry(std::uint32_t index, os_handle& evicted) noexcept
      REQUIRES(lock) {
    for (std::size_t look = 0; look < std::size_t{2} * entry_limit; ++look) {
      const std::uint32_t where = hand;
      hand = (hand + 1) % entry_limit;
      io_detail::handle_entry& each = entries[where];
      entry_state seen = each.look();
      if (!seen.is_empty()) {
        if (!seen.is_open() || seen.pins() > 0) continue;
        if (seen.was_used()) {
          (void)each.forget_use(seen, lock);
          continue;
        }
        if (is_lent(where, seen)) continue;
      }
      const os_handle handle = each.handle();
      if (!each.begin_to_open(seen, index, lock)) continue;
      if (seen.is_open()) {
        note_left(seen);
        evicted = handle;
        ++stats.evicted;
      }
      at(index).entry.store(where, std::memory_order_release);
      return where;
    }
    return no_entry;
  }
  // Closes an unused file, for a thread that needs its descriptor. False: there is none. `in_use`:
  // another file is in use and may be released; threads that wait here hold none.
  [[nodiscard]] bool take_any(std::uint32_t but, os_handle& closed, bool& in_use) noexcept
      REQUIRES(lock) {
    std::uint32_t others = 0;
    for (std::uint32_t where = 0; where < entry_count; ++where) {
      if (where == but) continue;
      const entry_state seen = entries[where].look();
      if (seen.is_empty()) continue;
      if (vacate(where, seen, closed)) return true;
      ++others;
    }
    in_use = others > starving;
    return false;
  }

  // While a thread waits for an entry or a descriptor, the end of every read must be reported: the
  // entry that it found in use may by now belong to a read that began later.
  void begin_to_wait() noexcept REQUIRES(lock) {
    if (waiting.fetch_add(1, std::memory_order_seq_cst) == 0) notify_every_release(true);
  }
  void end_waiting() noexcept REQUIRES(lock) {
    if (waiting.fetch_sub(1, std::memory_order_relaxed) == 1) notify_every_release(false);
  }
  void notify_every_release(bool wanted) noexcept REQUIRES(lock) {
    for (const reader& each : readers) each.asked->notify_every_release(wanted);
  }
  [[nodiscard]] bool has_own_files() noexcept REQUIRES(lock) {
    bool found = false;
    for (const reader& each : readers) found |= each.asked->has_own_files();
    return found;
  }
  // Leaves the last so many entries to a reader, for files of its own, if three quarters stay.
  [[nodiscard]] unsigned give_entries(unsigned count) noexcept REQUIRES(lock) {
    if (count > entry_limit / 4) return 0;
    for (std::uint32_t where = entry_limit - count; where < entry_limit; ++where) {
      if (!entries[where].look().is_empty()) return 0;
    }
    entry_limit -= count;
    hand %= entry_limit;
    return count;
  }

  // Read by every read, and hardly ever written; the rest is kept away from it.
  allocator& memory;
  io_detail::handle_entry* entries = nullptr;
  std::uint32_t entry_count = 0;
  atomic<std::uint32_t> known{0};
  atomic<file*> chunks[chunks_max] = {};

  alignas(detail::line_bytes) mutable sync_detail::mutex lock;
  std::uint32_t entry_limit GUARDED_BY(lock) = 0;  // of the entries, those for all
  std::uint32_t hand GUARDED_BY(lock) = 0;
  std::uint32_t starving GUARDED_BY(lock) =
      0;  // wait for a descriptor to open a file in their entry
  handle_cache_stats stats GUARDED_BY(lock);
  base_detail::vec<reader> readers GUARDED_BY(lock);
  base_detail::vec<char*> paths GUARDED_BY(lock);    // blocks of them
  std::size_t path_bytes_used GUARDED_BY(lock) = 0;  // of the last
  // Moves on when an entry may be free, or a file was opened, while a thread waits for that. A
  // thread that waits counts itself in `waiting` before it looks at the entries once more; one that
  // unpins reads `waiting` afterwards.
  alignas(detail::line_bytes) atomic<std::uint32_t> changed{0};
  atomic<std::uint32_t> waiting{0};

  // True: wake_waiting() is due once the lock is released.
  [[nodiscard]] bool note_change() noexcept {
    if (waiting.load(std::memory_order_seq_cst) == 0) return false;
    changed.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  void wake_waiting(bool due) noexcept {
    if (due) sync_detail::address_wake_all(&changed);
  }
};

}  // namespace overture
