// SPDX-License-Identifier: Zlib
//
// Reloads: another value for an asset whose file has changed.
//
// The new value is made in a slot of its own, which goes the way of every other. Once it is ready,
// pump() exchanges the values, and the slot leaves with the old one.
#include <algorithm>
#include <utility>

#include "assets/store_core.hpp"
#include "overture/base/spin.hpp"

namespace overture::assets_detail {

void store_core::note_change(slot& one, std::uint64_t due_ns) noexcept {
  if (one.of == nullptr) return;
  if (!one.changed) {
    one.changed_next = changed_;
    changed_ = &one;
  }
  one.changed = true;
  one.due_ns = due_ns;
}

void store_core::reload(const asset_path& path) noexcept {
  const auto delay_ns =
      static_cast<std::uint64_t>(std::max<std::int64_t>(config_.reload_delay.count(), 0));
  const std::uint64_t due_ns = now_ns() + delay_ns;
  const sync_detail::scoped_lock hold(lock_);
  for (slot* one = table_.first_of(path); one != nullptr; one = slot_table::next_of(*one)) {
    note_change(*one, due_ns);
  }
}

result<void> store_core::reload_status_of(const slot& one) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return one.last_reload;
}

// For pump(): begins the reloads that are due. Those of assets that are loading wait for that.
void store_core::begin_reloads() noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (changed_ == nullptr) return;
    const std::uint64_t now = now_ns();
    slot* next = std::exchange(changed_, nullptr);
    while (next != nullptr) {
      slot& one = *next;
      next = one.changed_next;
      const bool is_unloaded = one.state.load(std::memory_order_relaxed) == asset_state::unloaded;
      const bool is_due = one.due_ns <= now && (is_unloaded || is_settled(one));
      if (is_due && one.reload == nullptr) {
        one.changed = false;
        begin_reload(one, todo);
      } else {
        one.changed_next = changed_;
        changed_ = &one;
      }
    }
    wake_parents(todo);
  }
  perform(todo);
}

void store_core::begin_reload(slot& one, actions& todo) noexcept {
  if (one.in == &kept_) {  // no handle holds it: it is loaded when it is asked for
    kept_.remove(one);
    kept_bytes_ -= one.value_bytes;
    dispose(one, todo);
    return;
  }
  switch (one.state.load(std::memory_order_relaxed)) {
    case asset_state::failed:
      enqueue(one, todo);
      return;
    case asset_state::ready:
      break;
    default:
      return;
  }
  slot* const fresh = ending_ ? nullptr : make_reload();
  if (fresh == nullptr) {
    one.last_reload = fail(errc::out_of_memory, "out of memory for a reload");
    return;
  }
  fresh->reload_of = &one;
  one.reload = fresh;
  fresh->of = one.of;
  fresh->type = one.type;
  fresh->path = one.path;
  fresh->priority = one.priority;
  fresh->handles.store(1, std::memory_order_relaxed);  // until it is settled
  one.handles.fetch_add(1, std::memory_order_relaxed);
  enqueue(*fresh, todo);
}

slot* store_core::make_reload() noexcept {
  if (slot* const again = free_reloads_) {
    free_reloads_ = again->work_next;
    return again;
  }
  slot* const made = base_detail::make_object<slot>(memory_, memory_tag::load);
  if (made == nullptr || !reloads_.push_back(made)) {
    base_detail::destroy_object(memory_, memory_tag::load, made);
    return nullptr;
  }
  made->store = this;
  ++count_of_[static_cast<std::size_t>(asset_state::unloaded)];
  return made;
}

// It has settled, and pump() comes by.
void store_core::end_reload(slot& reload, actions& todo) noexcept {
  slot& one = *reload.reload_of;
  if (reload.state.load(std::memory_order_relaxed) == asset_state::ready) {
    std::swap(one.value, reload.value);
    std::swap(one.value_bytes, reload.value_bytes);
    std::swap(one.began_finalize, reload.began_finalize);
    needs::exchange(one, reload);
    one.version.fetch_add(1, std::memory_order_relaxed);
    one.shown.store(one.value, std::memory_order_release);
    one.last_reload = {};
    for (need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
      if (each->parent->of->dependent) note_change(*each->parent, 0);
    }
  } else {
    one.last_reload = tl::unexpected<error>(reload.failure);
  }
  one.reload = nullptr;
  dispose(reload, todo);
  if (!reload.leaving) recycle_reload(reload);
  overture::detail::drop_handle(one);
}

void store_core::recycle_reload(slot& reload) noexcept {
  reload.reload_of = nullptr;
  reload.work_next = free_reloads_;
  free_reloads_ = &reload;
}

slot* store_core::slot_at(std::size_t index) noexcept {
  if (index < table_.size()) return &table_.at(index);
  index -= table_.size();
  return index < reloads_.size() ? reloads_[index] : nullptr;
}

}  // namespace overture::assets_detail
