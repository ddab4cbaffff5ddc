// SPDX-License-Identifier: Zlib
#include "overture/io/handle_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/limit_text.hpp"
#include "io/files/descriptor_limit.hpp"
#include "io/files/handle_cache_state.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/mutex.hpp"
#include "sync/object_use.hpp"
#include "sync/wait.hpp"

namespace overture {
using namespace base_detail;

using io_detail::handle_entry;

handle_cache::handle_cache(const handle_cache_config& config) noexcept : config_(config) {
  if (!config_.os) config_.os = &system_os();
  if (!config_.memory) config_.memory = &default_allocator();
  const std::size_t left = io_detail::descriptors_left();
  const std::size_t allowed =
      left > config_.reserved_descriptors ? left - config_.reserved_descriptors : 1;
  config_.open_max = std::clamp<std::size_t>(config_.open_max, 1, allowed);
  state_ = make_object<state>(*config_.memory, memory_tag::io, *config_.memory);
  if (state_ && !state_->make_entries(config_.open_max)) {
    destroy_object(*config_.memory, memory_tag::io, state_);
    state_ = nullptr;
  }
  if (state_) state_->stats.open_max = config_.open_max;
}

handle_cache::~handle_cache() {
  if (!state_) return;
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  state& mine = *state_;
  for (std::uint32_t at = 0; at < mine.entry_count; ++at) {
    if (mine.entries[at].look().is_open()) config_.os->close(mine.entries[at].handle());
  }
  for (std::uint32_t i = 0; i < mine.files.count(); ++i) {
    const sync_detail::scoped_lock hold(mine.lock);
    const mapping& mapped = mine.files.mapping_of(mine.files.at(i), mine.lock);
    if (mapped.data) config_.os->unmap(mapped);
  }
  destroy_object(*config_.memory, memory_tag::io, state_);
}

result<source_id> handle_cache::add(std::string_view path) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the handle cache");
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return fail(errc::bad_path, "the path is empty or contains a NUL");
  }
  state& mine = *state_;
  const sync_detail::scoped_lock hold(mine.lock);
  const std::uint32_t index = mine.files.count();
  if (path.size() > limits::path_bytes_max) return fail(errc::limit, detail::path_too_long);
  if (index >= io_detail::known_files::files_max) {
    return fail(errc::limit, limit_text::known_files);
  }
  if (!mine.files.add(path, mine.lock))
    return fail(errc::out_of_memory, "out of memory for the path");
  ++mine.stats.known;
  return source_id{index, 1};
}

result<open_source> handle_cache::source(source_id id) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the handle cache");
  state& mine = *state_;
  if (!mine.files.knows(id)) return fail(errc::not_found, "unknown file", id);
  const sync_detail::scoped_lock hold(mine.lock);
  const std::uint32_t at = mine.files.at(id.index).entry.load(std::memory_order_relaxed);
  if (at == state::no_entry || !mine.entries[at].look().is_open()) {
    return fail(errc::busy, "the file is not open", id);
  }
  return open_source{config_.os, mine.entries[at].handle()};
}

result<open_source> handle_cache::pin(source_id id, bool may_wait) noexcept {
  if (!state_) return fail(errc::out_of_memory, "out of memory for the handle cache");
  if (!state_->files.knows(id)) return fail(errc::not_found, "unknown file", id);
  os_handle handle;
  if (state_->pin_open(id.index, handle)) return open_source{config_.os, handle};
  return pin_closed(id, may_wait);
}

result<open_source> handle_cache::pin_closed(source_id id, bool may_wait) noexcept {
  state& mine = *state_;
  std::uint32_t at = state::no_entry;
  os_handle handle;
  os_handle evicted;
  for (bool waited = false, waits = false;;) {
    std::uint32_t seen = 0;
    {
      const sync_detail::scoped_lock hold(mine.lock);
      state::file& wanted = mine.files.at(id.index);
      const std::uint32_t where = wanted.entry.load(std::memory_order_relaxed);
      bool pinned = false;
      if (where == state::no_entry) {
        at = mine.take_entry(id.index, evicted);
      } else {
        // Another thread opens it, or was closing it, which the pin prevents.
        const handle_entry::state now = mine.entries[where].look();
        if (now.is_closing()) (void)mine.entries[where].stay_open(now, mine.lock);
        pinned = mine.entries[where].pin(id.index, handle);
      }
      const bool settled = pinned || at != state::no_entry;
      if (settled && waits) mine.end_waiting();
      if (pinned) return open_source{config_.os, handle};
      if (settled) {
        ++mine.stats.opens;
        break;
      }
      if (!may_wait) return fail(errc::busy, "too many open files in this handle cache", id);
      if (!waits) {
        // Look once more: a thread that unpins reads `waiting` after that.
        mine.begin_to_wait();
        waits = true;
        continue;
      }
      mine.stats.waits += waited ? 0 : 1;
      seen = mine.changed.load(std::memory_order_relaxed);
    }
    const observed_wait waiting(wait_reasons::handle);
    (void)sync_detail::address_wait(mine.changed, seen, 0);
    waited = true;
  }
  // The entry counts as taken during the system call, so there are never too many open files.
  if (evicted.valid()) config_.os->close(evicted);
  return open_in(at, id, may_wait);
}

result<open_source> handle_cache::open_in(std::uint32_t at, source_id id, bool may_wait) noexcept {
  state& mine = *state_;
  const char* const path = mine.files.at(id.index).path;
  result<os_handle> opened = config_.os->open(path);
  while (!opened && (opened.error().os_error == EMFILE || opened.error().os_error == ENFILE)) {
    const freed outcome = free_descriptor(at, may_wait);
    if (outcome == freed::busy)
      opened = fail(errc::busy, "too many open files in this process", id);
    if (outcome == freed::busy) break;
    // Another thread may have closed a file since the refusal.
    opened = config_.os->open(path);
    if (outcome == freed::none) break;
  }
  bool wake = false;
  if (opened) {
    mine.entries[at].opened(id.index, *opened);
    // As in unpin(): a thread that waits counts itself before it looks.
    if (mine.waiting.load(std::memory_order_seq_cst) == 0) return open_source{config_.os, *opened};
  }
  {
    const sync_detail::scoped_lock hold(mine.lock);
    if (!opened) {
      mine.files.at(id.index).entry.store(state::no_entry, std::memory_order_release);
      mine.entries[at].give_up();
    }
    wake = mine.note_change();
  }
  mine.wake_waiting(wake);
  if (opened) return open_source{config_.os, *opened};
  opened.error().source = id;
  return tl::unexpected<error>(opened.error());
}

// Other code of the process has taken more descriptors than it was left.
handle_cache::freed handle_cache::free_descriptor(std::uint32_t opening, bool may_wait) noexcept {
  state& mine = *state_;
  os_handle closed;
  bool in_use = false;
  std::uint32_t seen = 0;
  {
    const sync_detail::scoped_lock hold(mine.lock);
    if (may_wait) mine.begin_to_wait();
    const bool found = mine.take_any(opening, closed, in_use);
    if (!found) in_use |= mine.has_own_files();
    mine.stats.evicted += found ? 1 : 0;
    const bool waits = may_wait && !found && in_use;
    if (may_wait && !waits) mine.end_waiting();
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
    (void)sync_detail::address_wait(mine.changed, seen, 0);
  }
  const sync_detail::scoped_lock hold(mine.lock);
  --mine.starving;
  mine.end_waiting();
  return freed::one;
}

void handle_cache::unpin(source_id id) noexcept {
  state& mine = *state_;
  const std::uint32_t at = mine.files.at(id.index).entry.load(std::memory_order_relaxed);
  const handle_entry::state before = mine.entries[at].unpin();
  if (before.pins() > 1) return;
  if (!before.is_closing() && mine.waiting.load(std::memory_order_seq_cst) == 0) return;
  os_handle closed;
  bool wake = false;
  {
    const sync_detail::scoped_lock hold(mine.lock);
    const handle_entry::state now = mine.entries[at].look();
    if (now.is_closing() && now.file() == id.index) (void)mine.vacate(at, now, closed);
    wake = mine.note_change();
  }
  if (closed.valid()) config_.os->close(closed);
  mine.wake_waiting(wake);
}

// --- Hints, views and what is told ---------------------------------------------------------------

void handle_cache::open_ahead(source_id id) noexcept {
  {
    // A hint must not wait for an entry, nor take one from a file in use.
    if (!state_) return;
    const sync_detail::scoped_lock hold(state_->lock);
    const bool room = std::any_of(state_->entries, state_->entries + state_->entry_limit,
                                  [](const handle_entry& each) { return each.look().is_empty(); });
    if (!room) return;
  }
  if (pin(id, false)) unpin(id);
}

void handle_cache::close_source(source_id id) noexcept {
  if (!state_ || !state_->files.knows(id)) return;
  state& mine = *state_;
  os_handle closed;
  bool wake = false;
  {
    const sync_detail::scoped_lock hold(mine.lock);
    const std::uint32_t at = mine.files.at(id.index).entry.load(std::memory_order_relaxed);
    if (at == state::no_entry) return;
    for (;;) {
      const handle_entry::state seen = mine.entries[at].look();
      if (!seen.is_open()) return;  // it is being opened, by a thread that needs it now
      // It is being read, so the end of the last read closes it: unpin() or released().
      if (!seen.is_closing() && !mine.entries[at].close_later(seen, mine.lock)) continue;
      const handle_entry::state marked = mine.entries[at].look();
      if (marked.pins() == 0) (void)mine.vacate(at, marked, closed);
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
    return fail(errc::unsupported, "views need handle_cache_config::immutable_files", id);
  }
  if (!state_) return fail(errc::out_of_memory, "out of memory for the handle cache");
  if (!state_->files.knows(id)) return fail(errc::not_found, "unknown file", id);
  state::file& wanted = state_->files.at(id.index);
  mapping mapped;
  {
    const sync_detail::scoped_lock hold(state_->lock);
    mapped = state_->files.mapping_of(wanted, state_->lock);
  }
  if (!mapped.data) {
    const result<open_source> opened = pin(id, true);
    if (!opened) return tl::unexpected<error>(opened.error());
    const result<mapping> made = config_.os->map(opened->handle);
    unpin(id);
    if (!made) return tl::unexpected<error>(made.error());
    const sync_detail::scoped_lock hold(state_->lock);
    mapping& kept = state_->files.mapping_of(wanted, state_->lock);
    if (kept.data) {
      config_.os->unmap(*made);
    } else {
      kept = *made;
    }
    mapped = kept;
  }
  if (offset > mapped.size || bytes > mapped.size - offset) {
    return fail(errc::truncated, "the file ends before the requested bytes", id, mapped.size);
  }
  return std::span(mapped.data + offset, bytes);
}

std::size_t handle_cache::describe(source_id id, std::span<char> text) const noexcept {
  if (!state_) return 0;
  if (!state_->files.knows(id)) return 0;
  const std::string_view path(state_->files.at(id.index).path);
  if (text.empty()) return 0;
  const std::size_t length = path.copy(text.data(), text.size() - 1);
  text[length] = '\0';
  return length;
}

handle_cache_stats handle_cache::stats() const noexcept {
  if (!state_) return {};
  const sync_detail::scoped_lock hold(state_->lock);
  handle_cache_stats now = state_->stats;
  for (const state::reader& each : state_->readers) {
    const reader_counts counts = each.asked->counts();
    now.hits += counts.hits;
    now.opens += counts.opens;
  }
  for (std::uint32_t at = 0; at < state_->entry_count; ++at) {
    const handle_entry::state seen = state_->entries[at].look();
    now.open += seen.is_open() ? 1 : 0;
    now.hits += seen.hits();
  }
  return now;
}

}  // namespace overture
