// SPDX-License-Identifier: Zlib
//
// Groups of assets: each is a reason to hold its assets, and to want them with its priority.
#include <new>
#include <utility>

#include "assets/group_member.hpp"
#include "assets/store_state.hpp"

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

// --- The public interface ------------------------------------------------------------------------

namespace overture {

using assets_detail::deadline_after;
using assets_detail::is_none;
using assets_detail::or_none;
using assets_detail::slot;
using assets_detail::without_memory;

detail::asset_head* asset_store::get_for(detail::group_head& group, const asset_path& path,
                                         const detail::asset_wanted& what) noexcept {
  if (state_ == nullptr) return &without_memory();
  return or_none(state_->core.ask(path, what, group.priority, {.group = &group}));
}

detail::asset_head* asset_store::get_for(detail::group_head& group, std::string_view path,
                                         const detail::asset_wanted& what) noexcept {
  path_buffer room;
  const result<asset_path> normal = normalise(path, room);
  if (normal) return get_for(group, *normal, what);
  if (state_ == nullptr) return &without_memory();
  return or_none(state_->core.ask({path, {hash64(path)}}, what, group.priority,
                                  {.group = &group, .flaw = &normal.error()}));
}

result<void> asset_store::join(detail::group_head& group, detail::asset_head* one) noexcept {
  if (is_none(one)) return fail(errc::invalid, "a handle on no asset cannot be in a group");
  state_->expects_own(*one);
  if (state_->core.add_to(group, static_cast<slot&>(*one))) return {};
  return fail(errc::out_of_memory, "out of memory for a group");
}

void asset_store::set_priority_of(detail::group_head& group, asset_priority to) noexcept {
  if (state_ != nullptr) state_->core.set_priority_of(group, to);
}

asset_group_progress asset_store::progress_of(const detail::group_head& group) const noexcept {
  return state_ == nullptr ? asset_group_progress{} : state_->core.progress_of(group);
}

asset_group_progress asset_group::progress() const noexcept {
  return store_->progress_of(head_);
}

bool asset_store::wait_for_all(const detail::group_head& group,
                               std::chrono::nanoseconds duration) noexcept {
  if (state_ == nullptr) return true;
  state_->expects_main_thread();
  return state_->core.wait_for_all(group, deadline_after(duration));
}

detail::asset_head* asset_store::failed_of(const detail::group_head& group) const noexcept {
  return state_ == nullptr ? nullptr : state_->core.failed_of(group);
}

result<void> asset_store::failure_of(const detail::group_head& group) const noexcept {
  const detail::asset_head* const failed = failed_of(group);
  return failed == nullptr ? result<void>{} : detail::asset_status(*failed);
}

void asset_store::leave(detail::group_head& group) noexcept {
  if (group.members != nullptr) state_->core.leave(group);
}

void asset_store::take_over(detail::group_head& to, detail::group_head& from) noexcept {
  to.priority = from.priority;
  if (state_ != nullptr) state_->core.take_over(to, from);
}

}  // namespace overture
