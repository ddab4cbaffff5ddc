// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <cstdlib>

#include "interleave/explorer_state.hpp"

namespace interleave {

// -- memory --

std::size_t explorer::find(const void* address, std::uint64_t value) {
  const auto found = known_.find(address);
  if (found != known_.end()) return found->second;
  if (object_count_ == objects_max) std::abort();
  const std::size_t index = object_count_++;
  if (objects_.size() < object_count_) objects_.emplace_back();
  object& fresh = objects_[index];
  fresh.stores.clear();
  fresh.last_sequential = 0;
  fresh.alive = true;
  fresh.read_at = {};
  fresh.written_at = 0;
  stored first;
  first.value = value;
  fresh.stores.push_back(first);
  known_.emplace(address, index);
  return index;
}

// An atomic becomes an object at its first step, so a large array costs no more than the elements
// that a program touches.
void explorer::begin_life(const void* address) {
  if (!active_) return;
  known_.erase(address);
  stepped_at_ = nullptr;
  if (!gone_.empty()) gone_.erase(address);
}

void explorer::begin_plain_life(const void* address) {
  if (!active_) return;
  begin_life(address);
  object& fresh = objects_[find(address, 0)];
  fresh.writer = current_;
  fresh.written_at = mine().clock[current_];
}

void explorer::end_life(const void* address) {
  // After run() only the program's own thread is left.
  if (!active_ || ran_) return;
  const auto found = known_.find(address);
  if (found != known_.end()) {
    objects_[found->second].alive = false;
  } else {
    gone_.insert(address);
  }
}

void explorer::step(const void* address, std::uint64_t value, const char* what) {
  if (!threads_run()) return;
  if (gone_.contains(address)) return fail("use after end of lifetime");
  const std::size_t index = find(address, value);
  if (current_ != 0) schedule(false);
  if (trace_.size() > steps_max) fail("it runs for ever");
  if (!active_) return;
  trace(what, index, objects_[index].stores.back().value);
  // The address may belong to another object by now.
  if (!objects_[index].alive || known_.at(address) != index) fail("use after end of lifetime");
  stepped_at_ = address;
  stepped_index_ = index;
}

std::size_t explorer::oldest_visible(std::size_t index, std::memory_order order) {
  const auto known = static_cast<std::size_t>(mine().seen[index]);
  if (order != std::memory_order_seq_cst) return known;
  return std::max(known, objects_[index].last_sequential);
}

void explorer::see(std::size_t index, std::size_t store, std::memory_order order) {
  mine().seen[index] = static_cast<std::int16_t>(store);
  if (acquires(order)) mine().join(objects_[index].stores[store].released);
}

std::uint64_t explorer::load(const void* address, std::memory_order order) {
  const std::size_t index = index_of(address);
  const object& from = objects_[index];
  const std::size_t latest = from.stores.size() - 1;
  const std::size_t ways = latest - oldest_visible(index, order) + 1;
  const std::size_t back = choose(may_deviate(stale_left_) ? ways : 1, kind::rare);
  if (back != 0) {
    deviate(stale_left_);
    trace("...which sees an old value", index, from.stores[latest - back].value);
  }
  see(index, latest - back, order);
  return from.stores[latest - back].value;
}

void explorer::acquire_latest(const void* address, std::memory_order order) {
  const std::size_t index = index_of(address);
  see(index, objects_[index].stores.size() - 1, order);
}

// A failing one is a load: of the latest value, of an older one other than the expected one, or, if
// it is weak, of the expected one.
exchanged explorer::compare_exchange(const void* address, std::uint64_t expected,
                                     std::uint64_t fresh, std::memory_order success,
                                     std::memory_order failure, bool weak) {
  const std::size_t index = index_of(address);
  const object& from = objects_[index];
  const std::size_t latest = from.stores.size() - 1;
  const bool same = from.stores[latest].value == expected;
  std::array<std::size_t, 16> older{};
  std::size_t ways = 1;
  if (may_deviate(stale_left_)) {
    const std::size_t oldest = oldest_visible(index, failure);
    for (std::size_t i = latest; i-- > oldest && ways != older.size();) {
      if (from.stores[i].value != expected) older[ways++] = i;
    }
  }
  const bool may_fail = same && weak && may_deviate(spurious_left_);
  const std::size_t way = choose(ways + (may_fail ? 1 : 0), kind::rare);
  if (way == ways) {
    deviate(spurious_left_);
    trace("...which fails spuriously", index, expected);
    see(index, latest, failure);
    return {false, expected};
  }
  if (way != 0) {
    deviate(stale_left_);
    const std::uint64_t seen = from.stores[older[way]].value;
    trace("...which fails on an old value", index, seen);
    see(index, older[way], failure);
    return {false, seen};
  }
  if (same) {
    store(address, fresh, success, true);
  } else {
    see(index, latest, failure);
  }
  return {same, from.stores[latest].value};
}

void explorer::store(const void* address, std::uint64_t value, std::memory_order order,
                     bool reads) {
  if (reads) acquire_latest(address, order);
  const std::size_t index = index_of(address);
  object& into = objects_[index];
  stored fresh;
  fresh.value = value;
  mine().seen[index] = static_cast<std::int16_t>(into.stores.size());
  if (releases(order)) {
    fresh.released = mine();
  } else {
    fresh.released.seen[index] = mine().seen[index];
  }
  if (reads) fresh.released.join(into.stores.back().released);  // continues a release sequence
  if (order == std::memory_order_seq_cst) into.last_sequential = into.stores.size();
  into.stores.push_back(fresh);
  ++mine().clock[current_];
  trace("...makes it", index, value);
}

// The system interrupts each thread: everything it has stored is visible, and it sees nothing older
// from now on. Interrupting one thread later than another is the same as an execution in which the
// fence comes later.
void explorer::fence_all_threads() {
  if (!active_) return;
  if (current_ != 0) schedule(false);
  if (!active_) return;
  trace("fences all threads", objects_max, 0);
  if (!limits_.heavy_fences) return;
  for (std::size_t thread = 0; thread <= thread_count_; ++thread) {
    for (std::size_t i = 0; i < object_count_; ++i) {
      fibres_[thread].knows.seen[i] = static_cast<std::int16_t>(objects_[i].stores.size() - 1);
    }
  }
}

void explorer::read_plain(const void* address) {
  if (!active_) return;
  const std::size_t index = find(address, 0);
  object& data = objects_[index];
  trace("reads", index, 0);
  if (!data.alive) return fail("use after end of lifetime");
  if (mine().clock[data.writer] < data.written_at) return fail("a race with another write");
  data.read_at[current_] = mine().clock[current_];
}

void explorer::write_plain(const void* address) {
  if (!active_) return;
  const std::size_t index = find(address, 0);
  object& data = objects_[index];
  trace("writes", index, 0);
  if (!data.alive) return fail("use after end of lifetime");
  bool ordered = mine().clock[data.writer] >= data.written_at;
  for (std::size_t i = 0; i < threads_max; ++i) {
    ordered = ordered && mine().clock[i] >= data.read_at[i];
  }
  if (!ordered) return fail("a race with another access");
  data.writer = current_;
  data.written_at = mine().clock[current_];
}

// -- the wait layer --

slept explorer::sleep(const void* address, bool same, bool has_deadline) {
  if (!active_ || !same) return slept::not_at_all;
  if (current_ == 0) fail("the program's own thread sleeps");
  if (may_deviate(early_left_) && choose(2, kind::rare) != 0) {
    deviate(early_left_);
    trace("...returns without a wake", objects_max, 0);
    return slept::not_at_all;
  }
  fibre& self = fibres_[current_];
  self.now = state::asleep;
  self.key = address;
  self.has_deadline = has_deadline;
  self.timed_out = false;
  trace("...sleeps", index_of(address), 0);
  schedule(false);
  return self.timed_out ? slept::too_long : slept::until_woken;
}

// Any sleeper may be first: the system promises no order.
void explorer::wake(const void* key, state where, unsigned how_many) {
  if (!active_) return;
  for (; how_many != 0; --how_many) {
    std::array<std::size_t, threads_max> sleepers{};
    std::size_t count = 0;
    for (std::size_t i = 1; i <= thread_count_; ++i) {
      const fibre& each = fibres_[i];
      if (each.now == where && (where == state::relayed || each.key == key)) sleepers[count++] = i;
    }
    if (count == 0) return;
    fibre& woken = fibres_[sleepers[how_many >= count ? 0 : choose(count, kind::rare)]];
    woken.now = state::ready;
    trace("wakes thread", objects_max, 0);
  }
}

unsigned explorer::move_sleepers(const void* key) {
  unsigned moved = 0;
  for (std::size_t i = 1; i <= thread_count_; ++i) {
    fibre& each = fibres_[i];
    if (each.now != state::asleep || each.key != key) continue;
    each.now = state::relayed;
    ++moved;
  }
  return moved;
}

}  // namespace interleave
