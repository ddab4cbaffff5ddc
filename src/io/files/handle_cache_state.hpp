// SPDX-License-Identifier: Zlib
//
// What a handle_cache knows: the files, and an entry for each that is open.
#pragma once

#include <new>

#include "base/vec.hpp"
#include "io/files/handle_entry.hpp"
#include "io/files/known_files.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/io/handle_cache.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {

// The clock hand goes over the entries, one for each open file.
struct handle_cache::state {
  using entry_state = io_detail::handle_entry::state;
  static constexpr std::uint32_t no_entry = io_detail::no_entry;
  using file = io_detail::known_file;
  struct reader {
    source_reader* asked = nullptr;
    unsigned own_files = 0;
  };

  explicit state(allocator& from) noexcept
      : memory(from), files(from), readers(from, memory_tag::io) {}
  ~state() {
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
  // False: it was read recently too, so it is likely to be read again and gets an entry. Any
  // thread.
  [[nodiscard]] bool is_read_once(file& wanted, std::uint64_t read_number) const noexcept {
    const std::uint64_t before = wanted.last_read_number.load(std::memory_order_relaxed);
    wanted.last_read_number.store(read_number, std::memory_order_relaxed);
    return before == 0 || read_number - before > entry_count;
  }

  // The open file's entry pinned, without the lock. Any thread.
  [[nodiscard]] bool pin_open(std::uint32_t index, os_handle& handle) noexcept {
    const std::uint32_t where = files.at(index).entry.load(std::memory_order_acquire);
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
    files.at(seen.file()).entry.store(no_entry, std::memory_order_release);
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
      files.at(index).entry.store(where, std::memory_order_release);
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
  io_detail::known_files files;

  alignas(detail::line_bytes) mutable sync_detail::mutex lock;
  std::uint32_t entry_limit GUARDED_BY(lock) = 0;  // of the entries, those for all
  std::uint32_t hand GUARDED_BY(lock) = 0;
  std::uint32_t starving GUARDED_BY(lock) =
      0;  // wait for a descriptor to open a file in their entry
  handle_cache_stats stats GUARDED_BY(lock);
  base_detail::vec<reader> readers GUARDED_BY(lock);
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
