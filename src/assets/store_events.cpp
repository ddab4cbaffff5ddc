// SPDX-License-Identifier: Zlib
//
// What has become of assets since the program asked the last time.
#include <utility>

#include "assets/store_core.hpp"
#include "base/guarded_call.hpp"
#include "overture/assets/asset_event.hpp"

namespace overture::assets_detail {

void store_core::note_event(slot& one) noexcept {
  if (std::exchange(one.has_event, true)) return;
  one.event_next = nullptr;
  (last_event_ != nullptr ? last_event_->event_next : first_event_) = &one;
  last_event_ = &one;
  ++events_;
}

// Its parts keep their values with it.
void store_core::note_failed_reload(slot& one) noexcept {
  one.reload_failed_since_told = true;
  note_event(one);
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    slot& parent = *each->parent;
    if (parent.is_second || whole_of(parent) != &one) continue;
    parent.reload_failed_since_told = true;
    note_event(parent);
  }
}

void store_core::note_change_of_state(slot& one, asset_state before) noexcept {
  if (one.is_second) return;
  const bool was_ready = before == asset_state::ready;
  const bool has_failed = one.now.state == asset_state::failed;
  if (!was_ready && !has_failed && one.now.state != asset_state::ready) return;
  one.left_since_told |= was_ready;
  one.failed_since_told |= has_failed;
  note_event(one);
}

// The differences between what was told of it and what it is now.
store_core::told_events store_core::events_of(slot& one) noexcept {
  told_events told;
  told.of = &one;
  told.type = type_name_of(one);
  const auto add = [&](asset_event_kind kind) { told.kinds[told.count++] = kind; };
  const bool is_ready = one.now.state == asset_state::ready;
  const std::uint32_t version = one.version.load(std::memory_order_relaxed);
  const bool has_left = std::exchange(one.left_since_told, false);
  if (has_left && std::exchange(one.told_ready, false)) add(asset_event_kind::unloaded);
  if (std::exchange(one.failed_since_told, false)) {
    add(asset_event_kind::failed);
    told.failure = failure_of(one);
  }
  if (is_ready && std::exchange(one.told_version, version) != version) {
    const bool was_ready = std::exchange(one.told_ready, true);
    add(was_ready ? asset_event_kind::reloaded : asset_event_kind::loaded);
  }
  const bool kept_old = std::exchange(one.reload_failed_since_told, false);
  const result<void>& reloaded = reloaded_last(one).last_reload;
  if (kept_old && is_ready && !reloaded) {
    add(asset_event_kind::reload_failed);
    told.reload_failure = reloaded.error();
  }
  return told;
}

// It was not told of these.
void store_core::tell_later(slot& one, std::span<const asset_event_kind> kinds) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  for (const asset_event_kind kind : kinds) {
    one.failed_since_told |= kind == asset_event_kind::failed;
    one.reload_failed_since_told |= kind == asset_event_kind::reload_failed;
    if (kind == asset_event_kind::loaded) one.told_ready = false;
    if (kind == asset_event_kind::loaded || kind == asset_event_kind::reloaded) --one.told_version;
  }
  if (kinds.empty() || std::exchange(one.has_event, true)) return;
  one.event_next = first_event_;
  if (first_event_ == nullptr) last_event_ = &one;
  first_event_ = &one;
  ++events_;
}

result<std::size_t> store_core::take_events(function_ref<void(const asset_event&)> visit) noexcept {
  std::size_t left = 0;
  {
    const sync_detail::scoped_lock hold(lock_);
    left = events_;  // what the visitor causes comes the next time
  }
  std::size_t count = 0;
  for (; left > 0; --left) {
    told_events told;
    {
      const sync_detail::scoped_lock hold(lock_);
      if (first_event_ == nullptr) break;  // the visitor has taken them, which it must not
      slot& one = *std::exchange(first_event_, first_event_->event_next);
      if (first_event_ == nullptr) last_event_ = nullptr;
      one.has_event = false;
      --events_;
      told = events_of(one);
    }
    for (std::size_t i = 0; i < told.count; ++i, ++count) {
      asset_event event;
      event.kind = told.kinds[i];
      event.path = told.of->path;
      event.part = told.of->part;
      event.settings = told.of->settings;
      event.type = told.type;
      event.subject = told.of->subject;
      event.failure = event.kind == asset_event_kind::failed ? told.failure : told.reload_failure;
      event.head = told.of;
      if (base_detail::guarded_call([&] { visit(event); })) continue;
      tell_later(*told.of, {told.kinds.data() + i + 1, told.count - i - 1});
      return fail(errc::threw, base_detail::visitor_threw);
    }
  }
  return count;
}

}  // namespace overture::assets_detail
