// SPDX-License-Identifier: Zlib
//
// asset_group and what it asks of its store: store_groups.cpp does it.
#include "overture/assets/asset_group.hpp"

#include "assets/store_state.hpp"

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
