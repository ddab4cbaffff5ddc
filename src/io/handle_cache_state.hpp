// What a handle_cache knows: the files, and the places for those that are open.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "base/vec.hpp"
#include "io/handle_place.hpp"
#include "io/sizes.hpp"
#include "overture/base/limits.hpp"
#include "overture/io/handle_cache.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {

// Files are numbered as they are added, so the number finds the file without a search; places hold
// those that are open, and are what the clock hand goes over. Files lie in chunks that never move,
// so that an open one is pinned without the lock.
struct handle_cache::state {
  using place_state = io::handle_place::state;
  static constexpr std::uint32_t no_place = UINT32_MAX;
  static constexpr std::uint32_t chunk_files = io::cache_chunk_files;
  static constexpr std::size_t path_block_bytes = 64u << 10;
  static_assert(limits::path_bytes_max < path_block_bytes);
  static constexpr std::size_t chunks_max = io::cache_chunks_max;

  struct alignas(64) file {  // one is opened while its neighbour is read
    const char* path = nullptr;
    atomic<std::uint32_t> place{no_place};
    atomic<std::uint64_t> last_turn{0};  // of a reader that found it closed
    mapping mapped;                      // once it was shown; until the end
  };
  struct reader {
    source_reader* who = nullptr;
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
    for (std::uint32_t at = 0; at < place_count; ++at) places[at].~handle_place();
    memory.deallocate(places, sizeof(io::handle_place) * place_count, alignof(io::handle_place),
                      memory_tag::io);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  [[nodiscard]] bool make_places(std::size_t count) noexcept {
    void* const room = memory.allocate(sizeof(io::handle_place) * count, alignof(io::handle_place),
                                       memory_tag::io);
    if (!room) return false;
    places = static_cast<io::handle_place*>(room);
    for (; place_count < count; ++place_count) {
      ::new (static_cast<void*>(places + place_count)) io::handle_place;
    }
    place_limit = place_count;
    return true;
  }
  [[nodiscard]] bool add_file(std::string_view path) noexcept {
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
  [[nodiscard]] const char* keep(std::string_view path) noexcept {
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
  [[nodiscard]] file& at(std::uint32_t index) noexcept {
    return chunks[index / chunk_files].load(std::memory_order_relaxed)[index % chunk_files];
  }

  // False: it was read lately as well, so it will be read again, and gets a place. Any thread.
  [[nodiscard]] bool is_read_once(file& wanted, std::uint64_t turn) const noexcept {
    const std::uint64_t before = wanted.last_turn.load(std::memory_order_relaxed);
    wanted.last_turn.store(turn, std::memory_order_relaxed);
    return before == 0 || turn - before > place_count;
  }

  // The open file's place pinned, without the lock. Any thread.
  [[nodiscard]] bool pin_open(std::uint32_t index, os_handle& handle) noexcept {
    const std::uint32_t where = at(index).place.load(std::memory_order_acquire);
    return where != no_place && places[where].pin(index, handle);
  }

  // The rest: under the lock.
  //
  // Whether a reader that is not counted reads the file of the place, which is left as closing if
  // not. Otherwise left() will be called when the read has ended.
  [[nodiscard]] bool is_shown(std::uint32_t where, place_state& seen) noexcept {
    if (!seen.was_shown()) return false;
    const bool was_closing = seen.is_closing();
    if (!was_closing && !places[where].close_later(seen)) return true;
    seen = places[where].look();
    bool found = false;
    for (const reader& each : readers) found |= each.who->is_reading({seen.file(), 1});
    if (found && !was_closing) (void)places[where].stay_open(seen);
    return found;
  }
  // Empties the place if nobody has come to use it since `seen`; its handle is the caller's to
  // close, outside of the lock.
  [[nodiscard]] bool vacate(std::uint32_t where, place_state seen, os_handle& closed) noexcept {
    if (!seen.is_open() || seen.pins() > 0 || is_shown(where, seen)) return false;
    if (!places[where].vacate(seen)) return false;
    note_left(seen);
    closed = places[where].handle();
    return true;
  }
  void note_left(place_state seen) noexcept {
    at(seen.file()).place.store(no_place, std::memory_order_release);
    stats.hits += seen.hits();
  }
  // A place for this file, empty or made so; no_place if all are in use.
  [[nodiscard]] std::uint32_t take_place(std::uint32_t index, os_handle& evicted) noexcept {
    for (std::size_t look = 0; look < std::size_t{2} * place_limit; ++look) {
      const std::uint32_t where = hand;
      hand = (hand + 1) % place_limit;
      io::handle_place& each = places[where];
      place_state seen = each.look();
      if (!seen.is_empty()) {
        if (!seen.is_open() || seen.pins() > 0) continue;
        if (seen.was_used()) {
          (void)each.forget_use(seen);
          continue;
        }
        if (is_shown(where, seen)) continue;
      }
      const os_handle handle = each.handle();
      if (!each.begin_to_open(seen, index)) continue;
      if (seen.is_open()) {
        note_left(seen);
        evicted = handle;
        ++stats.evicted;
      }
      at(index).place.store(where, std::memory_order_release);
      return where;
    }
    return no_place;
  }
  // Closes a file that nobody uses, for who needs its descriptor. False: there is none; `in_use`
  // says whether another one is, and might be let go. Those who wait here themselves hold none.
  [[nodiscard]] bool take_any(std::uint32_t but, os_handle& closed, bool& in_use) noexcept {
    std::uint32_t others = 0;
    for (std::uint32_t where = 0; where < place_count; ++where) {
      if (where == but) continue;
      const place_state seen = places[where].look();
      if (seen.is_empty()) continue;
      if (vacate(where, seen, closed)) return true;
      ++others;
    }
    in_use = others > starving;
    return false;
  }

  // Those who wait for a place or a descriptor hear of every read that ends: a place that was used
  // when it was looked at may be so by somebody who came behind the look before. Under the lock.
  void begin_to_wait() noexcept {
    if (waiting.fetch_add(1, std::memory_order_seq_cst) == 0) tell_all(true);
  }
  void end_waiting() noexcept {
    if (waiting.fetch_sub(1, std::memory_order_relaxed) == 1) tell_all(false);
  }
  void tell_all(bool wanted) noexcept {
    for (const reader& each : readers) each.who->tell_all(wanted);
  }
  [[nodiscard]] bool has_own_files() noexcept {
    bool found = false;
    for (const reader& each : readers) found |= each.who->has_own_files();
    return found;
  }
  // Leaves the last so many places to a reader, for files of its own, if three quarters stay.
  [[nodiscard]] unsigned give_places(unsigned count) noexcept {
    if (count > place_limit / 4) return 0;
    for (std::uint32_t where = place_limit - count; where < place_limit; ++where) {
      if (!places[where].look().is_empty()) return 0;
    }
    place_limit -= count;
    hand %= place_limit;
    return count;
  }

  // Read by every read, and hardly ever written; the rest is kept away from it.
  allocator& memory;
  io::handle_place* places = nullptr;
  std::uint32_t place_count = 0;
  atomic<std::uint32_t> known{0};
  atomic<file*> chunks[chunks_max] = {};

  alignas(64) mutable mutex lock;  // guards what is not atomic
  std::uint32_t place_limit = 0;   // of the places, those for all
  std::uint32_t hand = 0;
  std::uint32_t starving = 0;  // wait for a descriptor to open a file in their place
  handle_cache_stats stats;
  vec<reader> readers;
  vec<char*> paths;                 // blocks of them
  std::size_t path_bytes_used = 0;  // of the last
  // Moves on when a place may be free, or a file has been opened, and somebody waits for that. Who
  // waits says so before he looks at the places once more, who unpins looks here behind that.
  alignas(64) atomic<std::uint32_t> changed{0};
  atomic<std::uint32_t> waiting{0};

  // True: wake_waiting() is due behind the lock.
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
