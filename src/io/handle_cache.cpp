#include "overture/handle_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/vec.hpp"
#include "io/descriptor_limit.hpp"
#include "io/handle_place.hpp"
#include "overture/limits.hpp"
#include "overture/wait_observer.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {

using io::handle_place;

// Files are numbered as they are added, so the number finds the file without a search; places hold
// those that are open, and are what the clock hand goes over. Files lie in chunks that never move,
// so that an open one is pinned without the lock.
struct handle_cache::state {
  static constexpr std::uint32_t no_place = UINT32_MAX;
  static constexpr std::uint32_t chunk_files = 1024;
  static constexpr std::size_t chunks_max = limits::sources_max / chunk_files;

  struct alignas(64) file {        // one is opened while its neighbour is read
    std::uint32_t path_begin = 0;  // in `paths`, ended by NUL
    atomic<std::uint32_t> place{no_place};
    mapping mapped;  // once it was shown; until the end
  };

  explicit state(allocator& from) noexcept : memory(from), paths(from, memory_tag::io) {}
  ~state() {
    for (std::uint32_t at = 0; at * chunk_files < known.load(std::memory_order_relaxed); ++at) {
      file* const chunk = chunks[at].load(std::memory_order_relaxed);
      for (std::uint32_t i = 0; i < chunk_files; ++i) chunk[i].~file();
      memory.deallocate(chunk, sizeof(file) * chunk_files, alignof(file), memory_tag::io);
    }
    for (std::uint32_t at = 0; at < place_count; ++at) places[at].~handle_place();
    memory.deallocate(places, sizeof(handle_place) * place_count, alignof(handle_place),
                      memory_tag::io);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  [[nodiscard]] bool make_places(std::size_t count) noexcept {
    void* const room =
        memory.allocate(sizeof(handle_place) * count, alignof(handle_place), memory_tag::io);
    if (!room) return false;
    places = static_cast<handle_place*>(room);
    for (; place_count < count; ++place_count) {
      ::new (static_cast<void*>(places + place_count)) handle_place;
    }
    return true;
  }
  [[nodiscard]] bool add_file(std::uint32_t path_begin) noexcept {
    const std::uint32_t index = known.load(std::memory_order_relaxed);
    if (index % chunk_files == 0) {
      void* const room = memory.allocate(sizeof(file) * chunk_files, alignof(file), memory_tag::io);
      if (!room) return false;
      auto* const made = static_cast<file*>(room);
      for (std::uint32_t i = 0; i < chunk_files; ++i) ::new (static_cast<void*>(made + i)) file;
      chunks[index / chunk_files].store(made, std::memory_order_relaxed);
    }
    at(index).path_begin = path_begin;
    known.store(index + 1, std::memory_order_release);
    return true;
  }
  [[nodiscard]] bool knows(source_id id) const noexcept {
    return id.generation == 1 && id.index < known.load(std::memory_order_acquire);
  }
  [[nodiscard]] file& at(std::uint32_t index) noexcept {
    return chunks[index / chunk_files].load(std::memory_order_relaxed)[index % chunk_files];
  }

  // The open file's place pinned, without the lock. Any thread.
  [[nodiscard]] bool pin_open(std::uint32_t index, os_handle& handle) noexcept {
    const std::uint32_t where = at(index).place.load(std::memory_order_acquire);
    return where != no_place && places[where].pin(index, handle);
  }

  // The rest: under the lock.
  //
  // Empties the place if nobody has come to use it since `seen`; its handle is the caller's to
  // close, outside of the lock.
  [[nodiscard]] bool vacate(std::uint32_t where, handle_place::state seen,
                            os_handle& closed) noexcept {
    if (!seen.is_open() || seen.pins() > 0 || !places[where].vacate(seen)) return false;
    note_left(seen);
    closed = places[where].handle();
    return true;
  }
  void note_left(handle_place::state seen) noexcept {
    at(seen.file()).place.store(no_place, std::memory_order_release);
    stats.hits += seen.hits();
  }
  // A place for this file, empty or made so; no_place if all are in use.
  [[nodiscard]] std::uint32_t take_place(std::uint32_t index, os_handle& evicted) noexcept {
    for (std::size_t look = 0; look < std::size_t{2} * place_count; ++look) {
      const std::uint32_t where = hand;
      hand = (hand + 1) % place_count;
      handle_place& each = places[where];
      const handle_place::state seen = each.look();
      if (!seen.is_empty()) {
        if (!seen.is_open() || seen.pins() > 0) continue;
        if (seen.was_used()) {
          (void)each.forget_use(seen);
          continue;
        }
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
      const handle_place::state seen = places[where].look();
      if (seen.is_empty()) continue;
      if (vacate(where, seen, closed)) return true;
      ++others;
    }
    in_use = others > starving;
    return false;
  }

  // Read by every read, and hardly ever written; the rest is kept away from it.
  allocator& memory;
  handle_place* places = nullptr;
  std::uint32_t place_count = 0;
  atomic<std::uint32_t> known{0};
  atomic<file*> chunks[chunks_max] = {};

  alignas(64) mutable mutex lock;  // guards what is not atomic
  std::uint32_t hand = 0;
  std::uint32_t starving = 0;  // wait for a descriptor to open a file in their place
  handle_cache_stats stats;
  vec<char> paths;
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
    if (due) address_wake_all(&changed);
  }
};

handle_cache::handle_cache(const handle_cache_config& config) noexcept : config_(config) {
  if (!config_.os) config_.os = &system_os();
  if (!config_.memory) config_.memory = &default_allocator();
  const std::size_t left = io::descriptors_left();
  const std::size_t allowed =
      left > config_.reserved_descriptors ? left - config_.reserved_descriptors : 1;
  config_.open_max = std::clamp<std::size_t>(config_.open_max, 1, allowed);
  state_ = make_object<state>(*config_.memory, memory_tag::io, *config_.memory);
  if (state_ && !state_->make_places(config_.open_max)) {
    destroy_object(*config_.memory, memory_tag::io, state_);
    state_ = nullptr;
  }
  if (state_) state_->stats.open_max = config_.open_max;
}

handle_cache::~handle_cache() {
  if (!state_) return;
  state& mine = *state_;
  for (std::uint32_t at = 0; at < mine.place_count; ++at) {
    if (mine.places[at].look().is_open()) config_.os->close(mine.places[at].handle());
  }
  for (std::uint32_t i = 0; i < mine.known.load(std::memory_order_relaxed); ++i) {
    if (mine.at(i).mapped.data) config_.os->unmap(mine.at(i).mapped);
  }
  destroy_object(*config_.memory, memory_tag::io, state_);
}

result<source_id> handle_cache::add(std::string_view path) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return fail(errc::bad_path, "no path of a file");
  }
  const scoped_lock hold(state_->lock);
  state& mine = *state_;
  const std::uint32_t index = mine.known.load(std::memory_order_relaxed);
  if (index >= limits::sources_max || mine.paths.size() + path.size() >= UINT32_MAX ||
      path.size() > limits::path_bytes_max) {
    return fail(errc::limit, "more files, or longer paths, than the limits allow");
  }
  const std::size_t begin = mine.paths.size();
  const bool kept = mine.paths.append(path.data(), path.size()) && mine.paths.append("", 1) &&
                    mine.add_file(static_cast<std::uint32_t>(begin));
  if (!kept) {
    while (mine.paths.size() > begin) mine.paths.pop_back();
    return fail(errc::out_of_memory, "no memory for the name of a file");
  }
  ++mine.stats.known;
  return source_id{index, 1};
}

result<open_source> handle_cache::source(source_id id) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  state& mine = *state_;
  if (!mine.knows(id)) return fail(errc::not_found, "no such file in the cache", id);
  const scoped_lock hold(mine.lock);
  const std::uint32_t at = mine.at(id.index).place.load(std::memory_order_relaxed);
  if (at == state::no_place || !mine.places[at].look().is_open()) {
    return fail(errc::busy, "the file is not open", id);
  }
  return open_source{config_.os, mine.places[at].handle()};
}

result<open_source> handle_cache::pin(source_id id, bool may_wait) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  if (!state_->knows(id)) return fail(errc::not_found, "no such file in the cache", id);
  os_handle handle;
  if (state_->pin_open(id.index, handle)) return open_source{config_.os, handle};
  return pin_closed(id, may_wait);
}

result<open_source> handle_cache::pin_closed(source_id id, bool may_wait) noexcept {
  state& mine = *state_;
  char path[limits::path_bytes_max + 1];
  std::uint32_t at = state::no_place;
  os_handle handle;
  os_handle evicted;
  for (bool waited = false, waits = false;;) {
    std::uint32_t seen = 0;
    {
      const scoped_lock hold(mine.lock);
      state::file& wanted = mine.at(id.index);
      const std::uint32_t where = wanted.place.load(std::memory_order_relaxed);
      bool pinned = false;
      if (where == state::no_place) {
        at = mine.take_place(id.index, evicted);
      } else {
        // Another thread opens it, or had it closed, which this one prevents.
        const handle_place::state now = mine.places[where].look();
        if (now.is_closing()) (void)mine.places[where].stay_open(now);
        pinned = mine.places[where].pin(id.index, handle);
      }
      const bool settled = pinned || at != state::no_place;
      if (settled && waits) mine.waiting.fetch_sub(1, std::memory_order_relaxed);
      if (pinned) return open_source{config_.os, handle};
      if (settled) {
        ++mine.stats.opens;
        std::strcpy(path, mine.paths.data() + wanted.path_begin);
        break;
      }
      if (!may_wait) return fail(errc::busy, "every place for an open file is taken", id);
      if (!waits) {
        // Says so, and looks once more: who unpins looks here behind that.
        mine.waiting.fetch_add(1, std::memory_order_seq_cst);
        waits = true;
        continue;
      }
      mine.stats.waits += waited ? 0 : 1;
      seen = mine.changed.load(std::memory_order_relaxed);
    }
    const observed_wait waiting(wait_reasons::handle);
    (void)address_wait(mine.changed, seen, 0);
    waited = true;
  }
  // The place counts as taken while the system works, so that there is never one too many.
  if (evicted.valid()) config_.os->close(evicted);
  return open_in(at, id, path, may_wait);
}

result<open_source> handle_cache::open_in(std::uint32_t at, source_id id, const char* path,
                                          bool may_wait) noexcept {
  state& mine = *state_;
  result<os_handle> opened = config_.os->open(path);
  while (!opened && (opened.error().os_error == EMFILE || opened.error().os_error == ENFILE)) {
    const freed outcome = free_descriptor(at, may_wait);
    if (outcome == freed::busy) opened = fail(errc::busy, "no descriptor is left", id);
    if (outcome != freed::one) break;
    opened = config_.os->open(path);
  }
  bool wake = false;
  if (opened) {
    mine.places[at].opened(id.index, *opened);
    // As unpin(): who waits has said so before he looked.
    if (mine.waiting.load(std::memory_order_seq_cst) == 0) return open_source{config_.os, *opened};
  }
  {
    const scoped_lock hold(mine.lock);
    if (!opened) {
      mine.at(id.index).place.store(state::no_place, std::memory_order_release);
      mine.places[at].give_up();
    }
    wake = mine.note_change();
  }
  mine.wake_waiting(wake);
  if (opened) return open_source{config_.os, *opened};
  opened.error().source = id;
  return tl::unexpected<error>(opened.error());
}

// Others of the process have taken more descriptors than were left to them.
handle_cache::freed handle_cache::free_descriptor(std::uint32_t opening, bool may_wait) noexcept {
  state& mine = *state_;
  os_handle closed;
  bool in_use = false;
  std::uint32_t seen = 0;
  {
    const scoped_lock hold(mine.lock);
    if (may_wait) mine.waiting.fetch_add(1, std::memory_order_seq_cst);
    const bool found = mine.take_any(opening, closed, in_use);
    mine.stats.evicted += found ? 1 : 0;
    const bool waits = may_wait && !found && in_use;
    if (may_wait && !waits) mine.waiting.fetch_sub(1, std::memory_order_relaxed);
    mine.starving += waits ? 1 : 0;
    seen = mine.changed.load(std::memory_order_relaxed);
  }
  if (closed.valid()) {
    config_.os->close(closed);
    return freed::one;
  }
  if (!in_use) return freed::none;
  if (!may_wait) return freed::busy;
  {
    const observed_wait waiting(wait_reasons::handle);
    (void)address_wait(mine.changed, seen, 0);
  }
  const scoped_lock hold(mine.lock);
  --mine.starving;
  mine.waiting.fetch_sub(1, std::memory_order_relaxed);
  return freed::one;
}

void handle_cache::unpin(source_id id) noexcept {
  state& mine = *state_;
  const std::uint32_t at = mine.at(id.index).place.load(std::memory_order_relaxed);
  const handle_place::state before = mine.places[at].unpin();
  if (before.pins() > 1) return;
  if (!before.is_closing() && mine.waiting.load(std::memory_order_seq_cst) == 0) return;
  os_handle closed;
  bool wake = false;
  {
    const scoped_lock hold(mine.lock);
    const handle_place::state now = mine.places[at].look();
    if (now.is_closing() && now.file() == id.index) (void)mine.vacate(at, now, closed);
    wake = mine.note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  mine.wake_waiting(wake);
}

void handle_cache::open_ahead(source_id id) noexcept {
  {
    // A hint must not wait for a place, nor take one from a file in use.
    if (!state_) return;
    const scoped_lock hold(state_->lock);
    const bool room = std::any_of(state_->places, state_->places + state_->place_count,
                                  [](const handle_place& each) { return each.look().is_empty(); });
    if (!room) return;
  }
  if (pin(id, false)) unpin(id);
}

void handle_cache::close_source(source_id id) noexcept {
  if (!state_ || !state_->knows(id)) return;
  state& mine = *state_;
  os_handle closed;
  bool wake = false;
  {
    const scoped_lock hold(mine.lock);
    const std::uint32_t at = mine.at(id.index).place.load(std::memory_order_relaxed);
    if (at == state::no_place) return;
    for (;;) {
      const handle_place::state seen = mine.places[at].look();
      if (!seen.is_open()) return;  // it is being opened, by who needs it now
      if (seen.pins() > 0 ? mine.places[at].close_later(seen) : mine.vacate(at, seen, closed))
        break;
    }
    wake = mine.note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  mine.wake_waiting(wake);
}

result<std::span<const std::byte>> handle_cache::view(source_id id, std::uint64_t offset,
                                                      std::size_t bytes) noexcept {
  if (!config_.immutable_files) {
    return fail(errc::unsupported, "the files were not declared immutable", id);
  }
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  if (!state_->knows(id)) return fail(errc::not_found, "no such file in the cache", id);
  state::file& wanted = state_->at(id.index);
  mapping mapped;
  {
    const scoped_lock hold(state_->lock);
    mapped = wanted.mapped;
  }
  if (!mapped.data) {
    const result<open_source> opened = pin(id, true);
    if (!opened) return tl::unexpected<error>(opened.error());
    const result<mapping> made = config_.os->map(opened->handle);
    unpin(id);
    if (!made) return tl::unexpected<error>(made.error());
    const scoped_lock hold(state_->lock);
    if (wanted.mapped.data) config_.os->unmap(*made);
    if (!wanted.mapped.data) wanted.mapped = *made;
    mapped = wanted.mapped;
  }
  if (offset > mapped.size || bytes > mapped.size - offset) {
    return fail(errc::truncated, "the file ends before the bytes asked for", id, mapped.size);
  }
  return std::span(mapped.data + offset, bytes);
}

std::size_t handle_cache::describe(source_id id, std::span<char> text) const noexcept {
  if (!state_) return 0;
  if (!state_->knows(id)) return 0;
  const scoped_lock hold(state_->lock);
  const char* const path = state_->paths.data() + state_->at(id.index).path_begin;
  const std::size_t length = std::strlen(path);
  if (!text.empty()) {
    const std::size_t cut = std::min(length, text.size() - 1);
    std::memcpy(text.data(), path, cut);
    text[cut] = '\0';
  }
  return length;
}

handle_cache_stats handle_cache::stats() const noexcept {
  if (!state_) return {};
  const scoped_lock hold(state_->lock);
  handle_cache_stats now = state_->stats;
  for (std::uint32_t at = 0; at < state_->place_count; ++at) {
    const handle_place::state seen = state_->places[at].look();
    now.open += seen.is_open() ? 1 : 0;
    now.hits += seen.hits();
  }
  return now;
}

}  // namespace overture
