// SPDX-License-Identifier: Zlib
//
// What nothing holds: it is kept for a while, and then given up.
//
// An asset is idle if nothing but idle assets has handles on it: what is kept, and what only that
// keeps loaded, however many share it. An idle asset lends its needs the handles that it has on
// them (slot::idle_handles); a need whose handles are all lent is idle too, and so on. A handle
// that goes while others are lent comes by way of unused_, as the last one does.
#include <utility>

#include "assets/store_core.hpp"

namespace overture::assets_detail {

namespace {

constexpr std::size_t at_once = 64;  // under one lock
// What is deeper counts as held. So a chain of any length goes in a time in proportion to it.
constexpr std::uint8_t depth_max = 64;

bool should_be_idle(const slot& one) noexcept {
  return one.now.state == asset_state::ready && has_only_idle_handles(one);
}

void push_look(slot& one, slot*& looks) noexcept {
  if (std::exchange(one.in_idle_look, true)) return;
  one.idle_next = std::exchange(looks, &one);
}

void lend(slot& to, const need& by, std::uint8_t depth) noexcept {
  // Before its handles are looked at: see drop_handle().
  if (to.idle_handles == 0) to.tells_drops.store(true, std::memory_order_seq_cst);
  to.idle_handles += by.handles();
  to.idle_depth = depth;
}

void take_back(slot& from, const need& by) noexcept {
  from.idle_handles -= by.handles();
  if (from.idle_handles == 0) from.tells_drops.store(false, std::memory_order_relaxed);
}

}  // namespace

void store_core::set_idle(slot& one, bool idle, slot*& looks) noexcept {
  counts_.take_out(one);
  one.is_idle = idle;
  counts_.put_in(one);
  if (one.idle_handles == 0) one.idle_depth = 0;
  if (!idle && !one.lends) return;
  if (idle && one.idle_depth == depth_max) return;
  one.lends = idle;
  for (const need* const first : {one.needs, one.failed_with}) {
    for (const need* each = first; each != nullptr; each = each->next_of_parent) {
      if (idle) {
        lend(*each->child, *each, static_cast<std::uint8_t>(one.idle_depth + 1));
      } else {
        take_back(*each->child, *each);
      }
      push_look(*each->child, looks);
    }
  }
}

void store_core::look_at_all(slot* looks) noexcept {
  while (slot* const one = looks) {
    looks = one->idle_next;
    one->in_idle_look = false;
    const bool idle = should_be_idle(*one);
    if (idle != one->is_idle) set_idle(*one, idle, looks);
    // What could do without this one is only kept.
    const bool has_failed = one->now.state == asset_state::failed;
    if (has_failed && has_only_idle_handles(*one)) needs_.forget_failed(*one);
  }
}

void store_core::look_if_idle(slot& one) noexcept {
  slot* looks = nullptr;
  push_look(one, looks);
  look_at_all(looks);
}

void store_core::stop_lending(slot& one) noexcept {
  slot* looks = nullptr;
  if (one.is_idle) set_idle(one, false, looks);
  look_at_all(looks);
}

void store_core::add_handle(slot& one) noexcept {
  one.handles.fetch_add(1, std::memory_order_relaxed);
  one.goes_first = false;
  if (one.is_idle) look_if_idle(one);
}

// A few at a time, so that others get the lock.
bool store_core::sweep(actions& todo) noexcept {
  for (std::size_t i = 0; i < at_once; ++i) {
    slot* const one = unused_.take();
    if (one == nullptr) break;
    if (is_held(*one)) {
      look_if_idle(*one);
      continue;
    }
    apply(*one, life_event::let_go, todo);
    if (one->reload != nullptr) give_up_reload(*one->reload, todo);
  }
  lower_unwanted(todo);  // once for all of them: many may have waited for one asset
  const bool keeps_too_much = evict(todo);
  return unused_.has_more() || keeps_too_much;
}

// The one that was given up first, and before all others what only that keeps loaded.
bool store_core::evict(actions& todo) noexcept {
  const auto keeps_too_much = [&]() REQUIRES(lock_) {
    return kept_.front != nullptr &&
           (counts_.kept_bytes > config_.keep_bytes || config_.keep_bytes == 0);
  };
  for (std::size_t i = 0; i < at_once && keeps_too_much(); ++i) {
    slot& oldest = *kept_.front;
    for (const need* each = oldest.needs; each != nullptr; each = each->next_of_parent) {
      slot& child = *each->child;
      child.goes_first = child.is_idle && child.idle_handles == each->handles();
    }
    happens(oldest, life_event::evicted, todo);
  }
  return keeps_too_much();
}

void store_core::sweep_all() noexcept {
  for (bool more = true; more;) {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      more = sweep(todo);
    }
    perform(todo);
  }
}

}  // namespace overture::assets_detail
