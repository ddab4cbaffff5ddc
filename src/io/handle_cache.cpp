#include "overture/handle_cache.hpp"

#include <algorithm>
#include <cstring>

#include "base/vec.hpp"
#include "io/descriptor_limit.hpp"
#include "overture/limits.hpp"
#include "overture/wait_observer.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture {

// Files are numbered as they are added, so the number finds the file without a search; places hold
// those that are open, and are what the clock hand goes over.
struct handle_cache::state {
  static constexpr std::uint32_t no_place = UINT32_MAX;

  struct file {
    std::uint32_t path_begin = 0;  // in `paths`, ended by NUL
    std::uint32_t place = no_place;
  };
  struct place {
    enum class phase : std::uint8_t { empty, opening, open } now = phase::empty;
    bool used = false;     // since the hand was here last
    bool closing = false;  // as soon as nobody uses it
    std::uint32_t file = 0;
    std::uint32_t pins = 0;
    os_handle handle;
  };

  explicit state(allocator& memory) noexcept
      : files(memory, memory_tag::io),
        paths(memory, memory_tag::io),
        places(memory, memory_tag::io) {}

  // A place that is empty or whose file may be closed; no_place if all are in use.
  [[nodiscard]] std::uint32_t find_place() noexcept {
    for (std::size_t look = 0; look < 2 * places.size(); ++look) {
      const auto at = static_cast<std::uint32_t>(hand);
      hand = (hand + 1) % places.size();
      place& each = places[at];
      if (each.now == place::phase::empty) return at;
      if (each.now == place::phase::opening || each.pins > 0) continue;
      if (!each.used) return at;
      each.used = false;
    }
    return no_place;
  }
  // Empties the place; the handle is the caller's to close, outside of the lock.
  [[nodiscard]] os_handle vacate(std::uint32_t at) noexcept {
    place& left = places[at];
    const os_handle handle = left.handle;
    if (left.now != place::phase::empty) files[left.file].place = no_place;
    left = {};
    return handle;
  }

  mutable mutex lock;  // guards all of it
  vec<file> files;
  vec<char> paths;
  vec<place> places;
  std::size_t hand = 0;
  handle_cache_stats stats;
  // Moves on when a place may be free, or a file has been opened, and somebody waits for that.
  atomic<std::uint32_t> changed{0};
  std::uint32_t waiting = 0;

  // Under the lock; true: wake_waiting() is due behind it.
  [[nodiscard]] bool note_change() noexcept {
    if (waiting == 0) return false;
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
  if (state_ && !state_->places.resize(config_.open_max)) {
    destroy_object(*config_.memory, memory_tag::io, state_);
    state_ = nullptr;
  }
  if (state_) state_->stats.open_max = config_.open_max;
}

handle_cache::~handle_cache() {
  if (!state_) return;
  for (std::uint32_t at = 0; at < state_->places.size(); ++at) {
    const os_handle handle = state_->vacate(at);
    if (handle.valid()) config_.os->close(handle);
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
  if (mine.files.size() >= limits::sources_max || mine.paths.size() + path.size() >= UINT32_MAX ||
      path.size() > limits::path_bytes_max) {
    return fail(errc::limit, "more files, or longer paths, than the limits allow");
  }
  const std::size_t begin = mine.paths.size();
  const bool kept = mine.paths.append(path.data(), path.size()) && mine.paths.append("", 1) &&
                    mine.files.push_back({static_cast<std::uint32_t>(begin), state::no_place});
  if (!kept) {
    while (mine.paths.size() > begin) mine.paths.pop_back();
    return fail(errc::out_of_memory, "no memory for the name of a file");
  }
  ++mine.stats.known;
  return source_id{static_cast<std::uint32_t>(mine.files.size() - 1), 1};
}

result<open_source> handle_cache::source(source_id id) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  const scoped_lock hold(state_->lock);
  if (id.generation != 1 || id.index >= state_->files.size()) {
    return fail(errc::not_found, "no such file in the cache", id);
  }
  const std::uint32_t at = state_->files[id.index].place;
  if (at == state::no_place || state_->places[at].now != state::place::phase::open) {
    return fail(errc::busy, "the file is not open", id);
  }
  return open_source{config_.os, state_->places[at].handle};
}

result<open_source> handle_cache::pin(source_id id, bool may_wait) noexcept {
  if (!state_) return fail(errc::out_of_memory, "no memory for a handle cache");
  state& mine = *state_;
  char path[limits::path_bytes_max + 1];
  std::uint32_t at = state::no_place;
  os_handle evicted;
  for (bool waited = false;; waited = true) {
    std::uint32_t seen = 0;
    {
      const scoped_lock hold(mine.lock);
      if (waited) --mine.waiting;
      if (id.generation != 1 || id.index >= mine.files.size()) {
        return fail(errc::not_found, "no such file in the cache", id);
      }
      state::file& wanted = mine.files[id.index];
      at = wanted.place == state::no_place ? mine.find_place() : state::no_place;
      if (wanted.place != state::no_place) {
        state::place& open = mine.places[wanted.place];
        if (open.now == state::place::phase::open) {
          ++open.pins;
          open.used = true;
          ++mine.stats.hits;
          return open_source{config_.os, open.handle};
        }
        // Another thread opens it.
      } else if (at != state::no_place) {
        evicted = mine.vacate(at);
        if (evicted.valid()) ++mine.stats.evicted;
        mine.places[at].now = state::place::phase::opening;
        mine.places[at].file = id.index;
        wanted.place = at;
        ++mine.stats.opens;
        std::strcpy(path, mine.paths.data() + wanted.path_begin);
        break;
      }
      if (!may_wait) return fail(errc::busy, "every place for an open file is taken", id);
      mine.stats.waits += waited ? 0 : 1;
      ++mine.waiting;
      seen = mine.changed.load(std::memory_order_relaxed);
    }
    const observed_wait waiting(wait_reasons::handle);
    (void)address_wait(mine.changed, seen, 0);
  }
  // The place counts as taken while the system works, so that there is never one too many.
  if (evicted.valid()) config_.os->close(evicted);
  result<os_handle> opened = config_.os->open(path);
  bool wake = false;
  {
    const scoped_lock hold(mine.lock);
    if (opened) {
      mine.places[at].now = state::place::phase::open;
      mine.places[at].handle = *opened;
      mine.places[at].pins = 1;
      mine.places[at].used = true;
    } else {
      (void)mine.vacate(at);
    }
    wake = mine.note_change();
  }
  mine.wake_waiting(wake);
  if (opened) return open_source{config_.os, *opened};
  opened.error().source = id;
  return tl::unexpected<error>(opened.error());
}

void handle_cache::unpin(source_id id) noexcept {
  os_handle closed;
  bool wake = false;
  {
    const scoped_lock hold(state_->lock);
    const std::uint32_t at = state_->files[id.index].place;
    state::place& left = state_->places[at];
    if (--left.pins > 0) return;
    if (left.closing) closed = state_->vacate(at);
    wake = state_->note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  state_->wake_waiting(wake);
}

void handle_cache::open_ahead(source_id id) noexcept {
  {
    // A hint must not wait for a place, nor take one from a file in use.
    if (!state_) return;
    const scoped_lock hold(state_->lock);
    const bool room = std::any_of(
        state_->places.begin(), state_->places.end(),
        [](const state::place& each) { return each.now == state::place::phase::empty; });
    if (!room) return;
  }
  if (pin(id, false)) unpin(id);
}

void handle_cache::close_source(source_id id) noexcept {
  os_handle closed;
  bool wake = false;
  {
    if (!state_) return;
    const scoped_lock hold(state_->lock);
    if (id.generation != 1 || id.index >= state_->files.size()) return;
    const std::uint32_t at = state_->files[id.index].place;
    if (at == state::no_place) return;
    state::place& open = state_->places[at];
    if (open.now == state::place::phase::opening || open.pins > 0) {
      open.closing = true;
      return;
    }
    closed = state_->vacate(at);
    wake = state_->note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  state_->wake_waiting(wake);
}

std::size_t handle_cache::describe(source_id id, std::span<char> text) const noexcept {
  if (!state_) return 0;
  const scoped_lock hold(state_->lock);
  if (id.generation != 1 || id.index >= state_->files.size()) return 0;
  const char* const path = state_->paths.data() + state_->files[id.index].path_begin;
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
  now.open = static_cast<std::size_t>(std::count_if(
      state_->places.begin(), state_->places.end(),
      [](const state::place& each) { return each.now == state::place::phase::open; }));
  return now;
}

}  // namespace overture
