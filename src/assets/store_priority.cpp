// SPDX-License-Identifier: Zlib
//
// Which asset is how urgent: the program wants a priority for it, and what waits for it has one.
#include <algorithm>
#include <utility>

#include "assets/group_member.hpp"
#include "assets/store_core.hpp"

namespace overture::assets_detail {

namespace {

constexpr std::size_t changes_at_once = 256;  // under one lock

// As far as that is below what it has.
asset_priority due_to(const slot& one) noexcept {
  asset_priority due = one.wanted;
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    if (each->pending) due = std::max(due, each->parent->priority);
    if (due >= one.priority) break;
  }
  for (const group_member* each = one.groups; each != nullptr; each = each->next_of_asset) {
    due = std::max(due, each->group->priority);
  }
  return due;
}

}  // namespace

slot_lines* store_core::line_of(const slot& one) noexcept {
  for (slot_lines* each : {&needed_, &to_read_, &to_decode_, &for_main_, &for_workers_}) {
    if (each->has(one)) return each;
  }
  return nullptr;
}

// It becomes the last of its new priority.
void store_core::change_priority(slot& one, asset_priority to, std::uint64_t number,
                                 actions& todo) noexcept {
  slot_lines* const line = line_of(one);
  const bool same_class = class_of(one.priority) == class_of(to);
  counts_.take_out(one);
  if (line != nullptr) line->move(one, to, number);
  one.priority = to;
  one.number = number;
  note_class(one);
  counts_.put_in(one);
  const bool owes_step =
      one.now.state == asset_state::reading && one.of->reads && set_read_priority(one, to, number);
  if (line == &to_read_ || line == &needed_) todo.feeds = true;  // others may have had no room
  if (line == &needed_) resume_decodes(todo);                    // see is_behind_a_need()
  // The job that was queued for it is of the old class, or of another pool.
  const bool has_job = line == &to_decode_ || line == &for_workers_;
  if (owes_step || (has_job && !same_class)) ++todo.jobs[class_of(to)];
}

// A read that others share is not lowered. True if a step of it needs a job of the new class.
bool store_core::set_read_priority(slot& one, asset_priority to, std::uint64_t number) noexcept {
  slot& reader = one.read_by != nullptr ? *one.read_by : one;
  const asset_priority before = reader.fetch.priority;
  if (reader.shared_by != nullptr && to <= before) return false;
  const bool has_step = with_.files.set_priority(reader.fetch, to, number);
  return has_step && class_of(before) != class_of(to);
}

void store_core::raise_all(slot& from, asset_priority to, actions& todo) noexcept {
  if (is_settled(from.now.state) || from.priority >= to) return;
  const std::uint64_t number = ++times_queued_;
  for (slot* one = needs_.waited_for(from); one != nullptr; one = one->walk_next) {
    if (one->priority < to) change_priority(*one, to, number, todo);
  }
}

void store_core::raise(slot& wanted, asset_priority to) noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    wanted.wanted = std::max(wanted.wanted, to);
    raise_all(wanted, to, todo);
  }
  perform(todo);
}

void store_core::want_priority(slot& one, asset_priority to, slot*& lowered,
                               actions& todo) noexcept {
  one.wanted = to;
  if (is_settled(one.now.state)) return set_priority(one, to);
  raise_all(one, to, todo);
  lower_to_due(one, lowered, todo);
}

void store_core::lower_to_due(slot& one, slot*& lowered, actions& todo) noexcept {
  if (is_settled(one.now.state) || !lower_one(one, todo)) return;
  if (one.needs == nullptr || std::exchange(one.is_lowered, true)) return;
  one.lowered_next = std::exchange(lowered, &one);
}

bool store_core::lower_one(slot& one, actions& todo) noexcept {
  const asset_priority due = due_to(one);
  if (due >= one.priority) return false;
  change_priority(one, due, ++times_queued_, todo);
  return true;
}

// What these wait for is lowered to what others want, and so on. An asset that many of them need
// costs one look for all of them.
void store_core::lower_needs(slot* lowered, actions& todo) noexcept {
  while (lowered != nullptr) {
    slot* needed = nullptr;  // linked by look_next
    while (slot* const here = lowered) {
      lowered = here->lowered_next;
      here->is_lowered = false;
      for (const need* each = here->needs; each != nullptr; each = each->next_of_parent) {
        slot& child = *each->child;
        const bool may_be_lower = each->pending && child.priority > here->priority;
        if (!may_be_lower || std::exchange(child.is_looked_at, true)) continue;
        child.look_next = std::exchange(needed, &child);
      }
    }
    while (slot* const child = needed) {
      needed = child->look_next;
      child->is_looked_at = false;
      if (!lower_one(*child, todo)) continue;
      child->is_lowered = true;
      child->lowered_next = std::exchange(lowered, child);
    }
  }
}

// What it waited for is to be no more urgent than others want.
void store_core::drop_needs(slot& one) noexcept {
  for (const need* each = one.needs; each != nullptr; each = each->next_of_parent) {
    slot& child = *each->child;
    const bool may_be_lower = each->pending && child.priority <= one.priority;
    if (!may_be_lower || std::exchange(child.is_looked_at, true)) continue;
    child.look_next = std::exchange(unwanted_, &child);
  }
  stop_lending(one);
  needs_.remove_all(one);
  if (one.now.state == asset_state::unloaded) needs_.forget_failed(one);
}

void store_core::lower_unwanted(actions& todo) noexcept {
  slot* lowered = nullptr;
  while (slot* const child = unwanted_) {
    unwanted_ = child->look_next;
    child->is_looked_at = false;
    if (is_held(*child)) lower_to_due(*child, lowered, todo);
  }
  lower_needs(lowered, todo);
}

void store_core::set_priorities(std::span<const priority_change> changes) noexcept {
  while (!changes.empty()) {
    const auto some = changes.first(std::min(changes.size(), changes_at_once));
    changes = changes.subspan(some.size());
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      slot* lowered = nullptr;
      for (const priority_change& each : some) {
        want_priority(static_cast<slot&>(*each.head()), each.to, lowered, todo);
      }
      lower_needs(lowered, todo);
    }
    perform(todo);
  }
}

}  // namespace overture::assets_detail
