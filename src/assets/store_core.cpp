// SPDX-License-Identifier: Zlib
//
// What becomes of an asset next: decisions under the store's lock.
#include "assets/store_core.hpp"

#include <algorithm>
#include <new>

#include "base/guarded_call.hpp"
#include "overture/base/spin.hpp"

namespace overture::assets_detail {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

asset_state state_of(const slot& one) noexcept {
  return one.state.load(relaxed);
}
template <class Counts>
std::uint32_t& count_of(Counts& counts, asset_priority priority) noexcept {
  return counts[static_cast<std::size_t>(priority)];
}

}  // namespace

loader_entry* store_core::loader_of(const void* type) noexcept {
  for (loader_entry* each = loaders_; each != nullptr; each = each->next) {
    if (each->type == type) return each;
  }
  return nullptr;
}

void store_core::set_state(slot& one, asset_state state) noexcept {
  --count_of_[static_cast<std::size_t>(state_of(one))];
  ++count_of_[static_cast<std::size_t>(state)];
  one.since_ns = now_ns();
  one.state.store(state, std::memory_order_release);
}

slot* store_core::ask(const asset_path& path, const void* type, asset_priority priority,
                      const asking& how) noexcept {
  actions todo;
  slot* found = nullptr;
  {
    const sync_detail::scoped_lock hold(lock_);
    const std::size_t before = table_.size();
    found = table_.find_or_add(path, type);
    if (found == nullptr) return nullptr;
    if (table_.size() != before) {
      found->store = this;
      ++count_of_[static_cast<std::size_t>(asset_state::unloaded)];
    }
    found->handles.fetch_add(1, relaxed);
    if (how.parent != nullptr) priority = how.parent->priority;
    want(*found, priority, how.flaw, todo);
    if (how.parent != nullptr && how.needed) {
      if (state_of(*found) == asset_state::failed) {
        how.parent->failed_need = found;
      } else if (const result<void> added = needs_.add(*how.parent, *found); !added) {
        how.parent->failure = added.error();
        how.parent->failed_need = how.parent;
      }
    }
    wake_parents(todo);
  }
  perform(todo);
  return found;
}

void store_core::want(slot& one, asset_priority priority, const error* flaw,
                      actions& todo) noexcept {
  if (one.in == &kept_) {
    kept_.remove(one);
    kept_bytes_ -= one.value_bytes;
  }
  if (state_of(one) != asset_state::unloaded) {
    raise_all(one, priority, todo);
    return;
  }
  one.priority = priority;
  if (one.of == nullptr) {
    one.of = loader_of(one.type);
    if (one.of != nullptr) one.shown.store(one.of->placeholder, relaxed);
  }
  static constexpr error ends{.code = errc::cancelled, .reason = "the store ends"};
  static constexpr error no_loader{.code = errc::unsupported,
                                   .reason = "the store has no loader for this type"};
  if (ending_) flaw = &ends;
  if (one.of == nullptr) flaw = &no_loader;
  if (flaw == nullptr) return enqueue(one, todo);
  fail_with(one, *flaw, nullptr, todo);
}

void store_core::enqueue(slot& one, actions& todo) noexcept {
  one.failed_need = nullptr;
  set_state(one, asset_state::queued);
  one.wanted_again = one.leaving || one.settling;
  if (one.wanted_again) return;
  one.settled.raise();
  to_read_.push_back(one);
  todo.feeds = true;
}

void store_core::enqueue_if_wanted(slot& one, actions& todo) noexcept {
  if (one.wanted_again && !one.leaving && !one.settling) enqueue(one, todo);
}

void store_core::raise_all(slot& from, asset_priority priority, actions& todo) noexcept {
  if (is_settled(from) || from.priority >= priority) return;
  for (slot* one = needs_.waited_for(from); one != nullptr; one = one->walk_next) {
    if (one->priority >= priority) continue;
    slot_lines* line = nullptr;
    for (slot_lines* each : {&to_read_, &to_decode_, &to_finalize_, &for_workers_}) {
      if (each->has(*one)) line = each;
    }
    if (line != nullptr) line->move(*one, priority);
    one->priority = priority;
    // The jobs that were queued for them are of the old priority, or of another pool.
    const bool is_read = state_of(*one) == asset_state::reading;
    if (is_read && files_.raise(one->fetch, priority)) ++count_of(todo.steps, priority);
    if (line == &to_decode_) ++count_of(todo.decodes, priority);
    if (line == &for_workers_) ++count_of(todo.finalizes, priority);
    if (line == &to_read_) todo.feeds = true;  // others may have had no room
  }
}

void store_core::raise(slot& wanted, asset_priority priority) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    raise_all(wanted, priority, todo);
  }
  perform(todo);
}

void store_core::retry(slot& failed) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    // What made it fail has failed too, down to the one at fault.
    for (slot* one = &failed; one != nullptr && state_of(*one) == asset_state::failed;) {
      slot* const because = one->failed_need;
      enqueue(*one, todo);
      one = because;
    }
  }
  perform(todo);
}

void store_core::flawed(slot& one, const error& why) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  one.failure = why;
  one.failed_need = &one;
}

void store_core::settle(slot& one, asset_state state, actions& todo) noexcept {
  if (state == asset_state::ready) {
    one.version.fetch_add(1, relaxed);
    one.shown.store(one.value, std::memory_order_release);
  }
  set_state(one, state);
  // Held until those who wait have been told; a reload is held from its start.
  one.settling = true;
  if (one.reload_of == nullptr) one.handles.fetch_add(1, relaxed);
  one.settled_next = todo.settled;
  todo.settled = &one;
  for (slot* parent = needs_.settle(one); parent != nullptr; parent = parent->walk_next) {
    if (state == asset_state::failed && parent->failed_need == nullptr) parent->failed_need = &one;
    if (parent->pending_needs != 0 || state_of(*parent) != asset_state::needing) continue;
    parent->woken_next = todo.woken;
    todo.woken = parent;
  }
}

void store_core::wake_parents(actions& todo) noexcept {
  while (slot* const parent = todo.woken) {
    todo.woken = parent->woken_next;
    needs_are_there(*parent, todo);
  }
}

void store_core::fail_with(slot& one, const error& why, slot* because, actions& todo) noexcept {
  one.failure = why;
  one.failed_need = because;
  release_value(one, todo);
  settle(one, asset_state::failed, todo);
}

// Its decode has ended, and nothing is pending.
void store_core::needs_are_there(slot& one, actions& todo) noexcept {
  if (slot* const because = one.failed_need) {
    const error why = because->failure;
    return fail_with(one, why, because == &one ? nullptr : because, todo);
  }
  set_state(one, asset_state::finalizing);
  if (one.of->free_threaded) {
    for_workers_.push_back(one);
    ++count_of(todo.finalizes, one.priority);
  } else {
    to_finalize_.push_back(one);
    todo.wakes_main = true;
  }
}

// No handle holds it.
void store_core::give_up(slot& one, actions& todo) noexcept {
  if (one.reload_of != nullptr) return end_reload(one, todo);
  switch (state_of(one)) {
    case asset_state::queued:
      // While its old value waits to be unloaded, it is in that list.
      if (!one.wanted_again) to_read_.of(one.priority).remove(one);
      one.wanted_again = false;
      set_state(one, asset_state::unloaded);
      break;
    case asset_state::needing:
      dispose(one, todo);
      break;
    case asset_state::finalizing:
      if (one.in == nullptr) break;  // a worker has it: it goes once it is ready
      one.in->remove(one);
      dispose(one, todo);
      break;
    case asset_state::ready:
      if (one.in != nullptr) break;
      kept_.push_back(one);
      kept_bytes_ += one.value_bytes;
      evict(todo);
      break;
    case asset_state::failed:
      set_state(one, asset_state::unloaded);
      break;
    case asset_state::unloaded:
    case asset_state::reading:   // given up once it has been read,
    case asset_state::decoding:  // or decoded
      break;
  }
}

void store_core::evict(actions& todo) noexcept {
  while (kept_.front != nullptr && (kept_bytes_ > config_.keep_bytes || config_.keep_bytes == 0)) {
    slot& oldest = *kept_.pop_front();
    kept_bytes_ -= oldest.value_bytes;
    dispose(oldest, todo);
  }
}

void store_core::dispose(slot& one, actions& todo) noexcept {
  one.shown.store(one.of->placeholder, relaxed);
  set_state(one, asset_state::unloaded);
  release_value(one, todo);
}

void store_core::release_value(slot& one, actions& todo) noexcept {
  needs_.remove_all(one);
  if (one.value == nullptr || one.leaving) return;
  one.leaving = true;
  if (one.of->free_threaded) {
    one.work_next = todo.unload;
    todo.unload = &one;
  } else {
    to_unload_.push_back(one);
    todo.wakes_main = true;
  }
}

// Background assets leave most of the room to others.
slot* store_core::next_to_read() noexcept {
  const unsigned room = std::max(config_.files_max, 1u);
  if (ending_ || files_in_memory_ >= room) return nullptr;
  const bool may_background = files_in_memory_ < std::max(room / 4, 1u);
  const auto least = may_background ? asset_priority::background : asset_priority::low;
  return to_read_.pop({.least = least});
}

void store_core::free_value(loader_entry& of, void* value) noexcept {
  ::new (value) void*(of.free_values);
  of.free_values = value;
}

// --- What is known
// --------------------------------------------------------------------------------

result<void> store_core::status_of(const slot& one) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  switch (state_of(one)) {
    case asset_state::ready:
      return {};
    case asset_state::failed:
      return tl::unexpected<error>(one.failure);
    default:
      return fail(errc::busy, "the asset is loading");
  }
}

bool store_core::is_cancelled(const slot& one) noexcept {
  if (!is_held(one)) return true;
  const sync_detail::scoped_lock hold(lock_);
  return ending_;
}

asset_progress store_core::progress() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const auto count = [&](asset_state state)
                         REQUIRES(lock_) { return count_of_[static_cast<std::size_t>(state)]; };
  asset_progress now;
  now.asked = table_.size() + reloads_.size() - count(asset_state::unloaded) - kept_.size;
  now.ready = count(asset_state::ready) - kept_.size;
  now.failed = count(asset_state::failed);
  now.for_pump = to_finalize_.size();
  now.kept = kept_.size;
  now.kept_bytes = kept_bytes_;
  return now;
}

namespace {

const char* what_it_waits_for(const slot& one) noexcept {
  switch (state_of(one)) {
    case asset_state::queued:
      return one.leaving ? "its old value to be unloaded" : "its turn to be read";
    case asset_state::reading:
      return "its file to be read";
    case asset_state::decoding:
      return one.in != nullptr ? "a thread to decode it" : "decode() to return";
    case asset_state::needing:
      return "an asset that it needs";
    default:
      if (one.in == nullptr) return "finalize() to return";
      return one.of->free_threaded ? "a worker to finalize it" : "pump() on the main thread";
  }
}

}  // namespace

result<void> store_core::for_each_unsettled(
    function_ref<void(const unsettled_asset&)> visit) noexcept {
  const std::uint64_t now = now_ns();
  for (std::size_t i = 0;; ++i) {
    unsettled_asset found;
    {
      const sync_detail::scoped_lock hold(lock_);
      if (i >= table_.size()) return {};
      const slot& one = table_.at(i);
      found.state = state_of(one);
      if (found.state == asset_state::unloaded || is_settled(one)) continue;
      found.path = one.path;
      found.ns = now - std::min(now, one.since_ns);
      found.what = what_it_waits_for(one);
      for (const need* each = one.needs; each != nullptr; each = each->next_of_parent) {
        if (each->pending) found.needs = each->child->path;
      }
    }
    if (!base_detail::guarded_call([&] { visit(found); })) {
      return fail(errc::threw, base_detail::visitor_threw);
    }
  }
}

std::size_t store_core::chain_of(const slot& failed, std::span<const slot*> chain,
                                 error& why) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  std::size_t length = 0;
  // The others may have been given up since, which leaves their failures.
  for (const slot* one = &failed; one != nullptr; one = one->failed_need) {
    const asset_state state = state_of(*one);
    if (state != asset_state::failed && (one == &failed || state != asset_state::unloaded)) break;
    why = one->failure;
    if (length == chain.size()) break;
    chain[length++] = one;
  }
  return length;
}

result<void> store_core::record(load_record& into) noexcept {
  struct loaded {
    std::uint64_t read_number;
    recorded_file file;
  };
  base_detail::vec<loaded> all(memory_, memory_tag::load);
  // A file of which several assets were made counts once.
  const auto is_first = [&](const slot& one) REQUIRES(lock_) {
    const slot* each = table_.first_of(one.path);
    for (; each != nullptr; each = slot_table::next_of(*each)) {
      if (each->was_loaded && each->read_number < one.read_number) return false;
    }
    return true;
  };
  {
    const sync_detail::scoped_lock hold(lock_);
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const slot& one = table_.at(i);
      if (!one.was_loaded || !is_first(one)) continue;
      const recorded_file file{one.path.text, one.cost_ns / 1000, one.file_bytes};
      if (!all.push_back({one.read_number, file})) {
        return fail(errc::out_of_memory, "out of memory for a record");
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const loaded& a, const loaded& b) { return a.read_number < b.read_number; });
  for (const loaded& each : all) {
    if (result<void> added = into.add(each.file); !added) return added;
  }
  return {};
}

}  // namespace overture::assets_detail
