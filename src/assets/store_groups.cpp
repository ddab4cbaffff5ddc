// SPDX-License-Identifier: Zlib
//
// Groups of assets: each is a reason to hold its assets, and to want them with its priority.
#include <new>
#include <utility>

#include "assets/group_member.hpp"
#include "assets/store_core.hpp"

namespace overture::assets_detail {

namespace {

constexpr std::size_t members_at_once = 256;  // under one lock

}  // namespace

group_member* store_core::take_member() noexcept {
  if (group_member* const again = free_members_) {
    free_members_ = again->next_of_group;
    return again;
  }
  void* const place =
      with_.memory.allocate(sizeof(group_member), alignof(group_member), memory_tag::load);
  return place == nullptr ? nullptr : ::new (place) group_member;
}

bool store_core::join(overture::detail::group_head& group, slot& one) noexcept {
  group_member* const member = take_member();
  if (member == nullptr) return false;
  *member = {.of = &one, .group = &group, .next_of_asset = one.groups};
  if (one.groups != nullptr) one.groups->before_of_asset = member;
  one.groups = member;
  (group.members != nullptr ? group.last_member->next_of_group : group.members) = member;
  group.last_member = member;
  one.handles.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool store_core::add_to(overture::detail::group_head& group, slot& one) noexcept {
  actions todo;
  bool joined = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    joined = join(group, one);
    if (joined) raise_all(one, group.priority, todo);
  }
  perform(todo);
  return joined;
}

void store_core::set_priority_of(overture::detail::group_head& group, asset_priority to) noexcept {
  group_member* next = group.members;
  for (bool is_first = true; is_first || next != nullptr; is_first = false) {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      group.priority = to;
      slot* lowered = nullptr;
      for (std::size_t i = 0; i < members_at_once && next != nullptr; ++i) {
        slot& one = *std::exchange(next, next->next_of_group)->of;
        raise_all(one, to, todo);
        lower_to_due(one, lowered, todo);
      }
      lower_needs(lowered, todo);
    }
    perform(todo);
  }
}

void store_core::leave(overture::detail::group_head& group) noexcept {
  while (group.members != nullptr) {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      slot* lowered = nullptr;
      for (std::size_t i = 0; i < members_at_once && group.members != nullptr; ++i) {
        group_member& member = *std::exchange(group.members, group.members->next_of_group);
        slot& one = *member.of;
        (member.before_of_asset ? member.before_of_asset->next_of_asset : one.groups) =
            member.next_of_asset;
        if (member.next_of_asset) member.next_of_asset->before_of_asset = member.before_of_asset;
        member.next_of_group = std::exchange(free_members_, &member);
        lower_to_due(one, lowered, todo);
        overture::detail::drop_handle(one);
      }
      lower_needs(lowered, todo);
    }
    perform(todo);
  }
}

void store_core::take_over(overture::detail::group_head& to,
                           overture::detail::group_head& from) noexcept {
  for (group_member* next = from.members; next != nullptr;) {
    const sync_detail::scoped_lock hold(lock_);
    for (std::size_t i = 0; i < members_at_once && next != nullptr; ++i) {
      std::exchange(next, next->next_of_group)->group = &to;
    }
  }
  to.members = std::exchange(from.members, nullptr);
  to.last_member = std::exchange(from.last_member, nullptr);
}

asset_group_progress store_core::progress_of(const overture::detail::group_head& group) noexcept {
  asset_group_progress now;
  const sync_detail::scoped_lock hold(lock_);
  needs::walk all = needs_.begin_walk();
  for (const group_member* each = group.members; each != nullptr; each = each->next_of_group) {
    needs_.meet(*each->of, all);
  }
  for (const slot* here = all.first; here != nullptr; here = here->walk_next) {
    for (const need* each = here->needs; each != nullptr; each = each->next_of_parent) {
      if (each->needed) needs_.meet(*each->child, all);
    }
    const bool ready = here->now.state == asset_state::ready;
    const bool was_read = ready || here->now.state > asset_state::reading;
    ++now.assets;
    now.ready += ready ? 1 : 0;
    now.failed += here->now.state == asset_state::failed ? 1 : 0;
    now.bytes_read += was_read ? here->file_bytes : 0;
    now.bytes_ready += ready ? here->file_bytes : 0;
  }
  return now;
}

bool store_core::wait_for_all(const overture::detail::group_head& group,
                              std::uint64_t deadline_ns) noexcept {
  for (const group_member* each = group.members; each != nullptr; each = each->next_of_group) {
    if (!wait_until(*each->of, deadline_ns)) return false;
  }
  return true;
}

slot* store_core::failed_of(const overture::detail::group_head& group) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  for (const group_member* each = group.members; each != nullptr; each = each->next_of_group) {
    if (each->of->now.state == asset_state::failed) return each->of;
  }
  return nullptr;
}

void store_core::free_members() noexcept {
  while (group_member* const one = free_members_) {
    free_members_ = one->next_of_group;
    with_.memory.deallocate(one, sizeof(group_member), alignof(group_member), memory_tag::load);
  }
}

}  // namespace overture::assets_detail
