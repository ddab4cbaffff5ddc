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
#include "vfs/tree/path_key.hpp"

namespace overture::assets_detail {

namespace {

constexpr std::size_t reloads_at_once = 64;  // under one lock

// A part that has failed, and its whole is to be loaded again, and does not wait for others: they
// may wait for the part.
bool comes_after_the_whole(const slot& part) noexcept {
  if (part.of->reads || part.now.state != asset_state::failed) return false;
  for (const slot* one = part.first_of_path; one != nullptr; one = slot_table::next_of(*one)) {
    if (one->of == nullptr || !one->of->reads) continue;
    if (one->changed) return true;
    if (one->reload != nullptr && one->reload->now.state != asset_state::needing) return true;
  }
  return false;
}

}  // namespace

void store_core::note_change(slot& one, std::uint64_t due_ns) noexcept {
  if (one.of == nullptr || one.is_second) return;
  one.due_ns = due_ns;
  one.changed = true;
  look_later(one);
}

// What failed may load now, or be reloaded. Whatever assets do to one another, that ends: without
// a word of the program an asset is tried a few times only.
void store_core::try_again(slot& one) noexcept {
  if (std::exchange(one.tried_after, words_) != words_) one.tries = 0;
  if (one.tries == tries_max) return;
  ++one.tries;
  note_change(one, 0);
}

void store_core::look_later(slot& changed) noexcept {
  first_due_ns_ = std::min(first_due_ns_, changed.due_ns);
  if (std::exchange(changed.in_changed, true)) return;
  changed.changed_next = std::exchange(changed_, &changed);
}

// What it failed with stays loaded, and is loaded again with all that it needs itself.
void store_core::keep_failed(slot& one, life_event event) noexcept {
  slot* const need = one.failed_need;
  const bool is_only_kept = has_only_idle_handles(one);  // by what does without it
  if (ending_ || is_only_kept || one.failure.code == errc::out_of_memory) return;
  if (need != nullptr && need->failed_with != nullptr) return needs_.keep_failed(one, *need);
  if (need == nullptr && event == life_event::step_fails) needs_.keep_failed(one);
}

// `child` has another value.
void store_core::retry_failed_with(const slot& child) noexcept {
  for (const need* each = child.failed_parents; each != nullptr; each = each->next_of_child) {
    slot& parent = *each->parent;
    const bool is_loading = !is_settled(parent) || parent.reload != nullptr;
    if (!is_loading && !parent.is_second) try_again(parent);
  }
}

// What failed needs nothing any more, so the new value of its file does not reach it by itself.
void store_core::retry_parts_of(const slot& whole) noexcept {
  for (slot* one = table_.first_of(whole.path); one != nullptr; one = slot_table::next_of(*one)) {
    const bool is_part = one->of != nullptr && !one->of->reads;
    if (is_part && one->now.state == asset_state::failed) try_again(*one);
  }
}

void store_core::reload(const asset_path& path) noexcept {
  const auto delay_ns =
      static_cast<std::uint64_t>(std::max<std::int64_t>(config_.reload_delay.count(), 0));
  const std::uint64_t due_ns = now_ns() + delay_ns;
  const vfs_detail::path_key key(path, with_.ignores_case);
  const sync_detail::scoped_lock hold(lock_);
  ++words_;
  for (slot* one = table_.first_of(key); one != nullptr; one = slot_table::next_of(*one)) {
    if (whole_of(*one) != nullptr) continue;  // it is loaded again after that
    one->saved = true;
    note_change(*one, due_ns);
  }
}

void store_core::tree_changes() noexcept {
  const sync_detail::scoped_lock hold(lock_);
  tree_changes_ = true;
}

result<void> store_core::reload_status_of(const slot& one) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  return reloaded_last(one).last_reload;
}

// What tells how the last reload went. A part keeps its value if its whole does.
const slot& store_core::reloaded_last(const slot& one) noexcept {
  const slot* const whole = one.last_reload ? whole_of(one) : nullptr;
  return whole != nullptr ? *whole : one;
}

// For pump(): begins the reloads that are due, some at least. Those of assets that are loading wait
// for that.
void store_core::begin_reloads(std::uint64_t end_ns) noexcept {
  {
    const sync_detail::scoped_lock hold(lock_);
    tree_changes_ = false;
  }
  for (bool more = true; more;) {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      const std::uint64_t now = now_ns();
      if (to_look_at_ == nullptr) {
        if (first_due_ns_ > now) return;
        first_due_ns_ = UINT64_MAX;
        to_look_at_ = std::exchange(changed_, nullptr);
      }
      for (std::size_t i = 0; i < reloads_at_once && to_look_at_ != nullptr; ++i) {
        slot& one = *std::exchange(to_look_at_, to_look_at_->changed_next);
        one.in_changed = false;
        if (one.changed) {
          if (one.due_ns > now || !try_reload(one, todo)) look_later(one);
        } else {
          make_stage(one, todo);
        }
      }
      more = to_look_at_ != nullptr;
    }
    perform(todo);
    more = more && now_ns() < end_ns;
  }
}

// If its value should be of another stage, pump() makes that: see begin_reloads().
void store_core::consider_stage(slot& one) noexcept {
  if (one.is_second || one.changed || one.of->last_stage == 0) return;
  if (next_stage(one) == one.stage.index) return;
  one.due_ns = 0;
  look_later(one);
}

void store_core::make_stage(slot& one, actions& todo) noexcept {
  const bool is_idle = one.now.state == asset_state::ready && one.reload == nullptr;
  if (!is_idle || !is_held(one)) return;
  if (const unsigned to = next_stage(one); to != one.stage.index) {
    begin_other_value(one, to, false, todo);
  }
}

asset_stage store_core::stage_of(const slot& one) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  if (one.now.state != asset_state::ready) return {};
  return {
      .index = one.stage.index, .is_whole = !one.stage.is_part, .file_bytes = one.stage.file_bytes};
}

void store_core::set_last_stage(slot& one, unsigned stage) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  // What was too little may have failed by chance; a game may say the same each frame.
  if (stage != one.last_stage) one.stages_left_out = 0;
  one.last_stage = stage;
  if (one.now.state == asset_state::ready) consider_stage(one);
}

// It may have copied from what has another value now. What waits for others goes on first: if it
// began again, and gave up what it needs, the next stages of that would let it begin for ever.
void store_core::remake(slot& loading) noexcept {
  slot& one = loading.reload_of != nullptr ? *loading.reload_of : loading;
  if (loading.now.state == asset_state::needing) {
    one.is_outdated = true;
  } else {
    note_change(one, 0);
  }
}

// False if it is being loaded, and has to end first, or is a part that has failed: it would be
// made of the old value of the whole.
bool store_core::try_reload(slot& one, actions& todo) noexcept {
  if (comes_after_the_whole(one)) return false;
  slot& loading = one.reload != nullptr ? *one.reload : one;
  if (loading.now.state == asset_state::needing) {
    take_change(one);
    happens(loading, life_event::superseded, todo);
    return true;
  }
  const bool is_idle = one.now.state == asset_state::unloaded || is_settled(one.now.state);
  if (!is_idle || one.reload != nullptr) return false;
  take_change(one);
  begin_reload(one, todo);
  return true;
}

// What is read from now on is the new file.
void store_core::take_change(slot& one) noexcept {
  one.changed = false;
  if (one.reload != nullptr) one.reload->is_of_change = true;
  if (std::exchange(one.saved, false)) retry_circles();
}

// A new value may open a circle, so what failed by closing one before is tried again, once. What
// the store itself reloads doesn't count, or the assets of a circle would retry each other for
// ever.
void store_core::retry_circles() noexcept {
  if (needs_.note_save()) look_for_failed();
}

// Whatever the look that is under way has found, this one finds more.
void store_core::look_for_failed() noexcept {
  left_to_retry_ = troubled_;
  ++blame_look_;
}

void store_core::note_troubled(slot& one) noexcept {
  if (one.is_second || std::exchange(one.in_troubled, true)) return;
  one.troubled_next = nullptr;
  (first_troubled_ != nullptr ? last_troubled_->troubled_next : first_troubled_) = &one;
  last_troubled_ = &one;
  ++troubled_;
}

slot& store_core::take_troubled() noexcept {
  slot& one = *std::exchange(first_troubled_, first_troubled_->troubled_next);
  one.in_troubled = false;
  --troubled_;
  return one;
}

// What has failed because of this one is tried again: retry_failed() looks for it.
void store_core::retry_blaming(slot& one) noexcept {
  one.blamed = false;  // until another fails for it again
  one.may_come = true;
  look_for_failed();
}

// Something has failed because of an asset that has come meanwhile.
void store_core::retry_if_come(slot* because) noexcept {
  if (because != nullptr && may_come(*because)) look_for_failed();
}

// Whether one of those to blame may come: it, what made it fail, and so on. One of them may have
// closed a circle and been let go of since. In one look each is visited once.
bool store_core::may_come(slot& because) noexcept {
  bool comes = false;
  slot* one = &because;
  for (; one != nullptr && one->blame_look != blame_look_; one = one->failed_need) {
    one->blame_look = blame_look_;
    one->blame_comes = comes = one->may_come || one->gave_up || needs_.may_be_opened(*one);
    if (comes) break;
  }
  if (one != nullptr) comes = one->blame_comes;
  for (slot* each = &because; each != one; each = each->failed_need) each->blame_comes = comes;
  return comes;
}

// For pump(): some at a time.
void store_core::retry_failed(std::uint64_t end_ns) noexcept {
  for (bool more = true; more;) {
    const sync_detail::scoped_lock hold(lock_);
    if (left_to_retry_ == 0) return;
    const std::size_t count = std::min(left_to_retry_, 16 * reloads_at_once);
    left_to_retry_ -= count;
    for (std::size_t i = 0; i < count; ++i) {
      slot& one = take_troubled();
      const bool failed = one.now.state == asset_state::failed;
      const bool keeps_old = one.now.state == asset_state::ready && !one.last_reload;
      if (!failed && !keeps_old) continue;
      note_troubled(one);
      if (one.changed || one.reload != nullptr) continue;  // what that brings decides
      slot* const because = failed ? one.failed_need : keeps_old ? one.reload_failed_need : nullptr;
      const bool may_load = (because != nullptr && may_come(*because)) || needs_.may_be_opened(one);
      if (may_load) try_again(one);
    }
    more = now_ns() < end_ns;
  }
}

void store_core::begin_reload(slot& one, actions& todo) noexcept {
  one.stages_left_out = 0;  // of the file as it was
  if (one.blamed) retry_blaming(one);
  // What nothing holds is loaded when it is asked for.
  happens(one, life_event::evicted, todo);
  happens(one, life_event::retried, todo);
  if (one.now.state == asset_state::ready) begin_other_value(one, one.stage.index, true, todo);
}

void store_core::begin_other_value(slot& one, unsigned stage, bool is_of_change,
                                   actions& todo) noexcept {
  slot* const fresh = ending_ ? nullptr : make_reload();
  if (fresh == nullptr) {
    one.last_reload = fail(errc::out_of_memory, "out of memory for a reload");
    note_troubled(one);
    note_failed_reload(one);
    return;
  }
  fresh->reload_of = &one;
  fresh->asked_stage = stage;
  fresh->is_of_change = is_of_change;
  one.reload = fresh;
  fresh->of = one.of;
  fresh->type = one.type;
  fresh->part = one.part;
  fresh->settings = one.settings;
  fresh->path = one.path;
  fresh->first_of_path = one.first_of_path;
  fresh->subject = one.subject;
  set_priority(*fresh, one.priority);
  fresh->handles.store(1, std::memory_order_relaxed);  // until pump() has exchanged the values
  happens(*fresh, life_event::asked, todo);
}

slot* store_core::make_reload() noexcept {
  if (slot* const again = free_reloads_) {
    free_reloads_ = again->work_next;
    return again;
  }
  slot* const made = base_detail::make_object<slot>(with_.memory, memory_tag::load);
  if (made == nullptr || !reloads_.push_back(made)) {
    base_detail::destroy_object(with_.memory, memory_tag::load, made);
    return nullptr;
  }
  made->store = this;
  made->is_second = true;
  counts_.put_in(*made);
  return made;
}

// For pump(): however a reload has ended, it ends here.
void store_core::end_reloads(std::uint64_t end_ns) noexcept {
  for (bool more = true; more;) {
    actions todo;
    {
      const sync_detail::scoped_lock hold(lock_);
      for (std::size_t i = 0; i < reloads_at_once && reloaded_ != nullptr; ++i) {
        exchange(*std::exchange(reloaded_, reloaded_->work_next), todo);
      }
      release_replaced(todo);
      more = reloaded_ != nullptr;
    }
    perform(todo);
    more = more && now_ns() < end_ns;
  }
}

// For pump(): reloads may have ended.
void store_core::judge_needs() noexcept {
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (!needs_.has_doubts()) return;
    for (slot* one = needs_.judge(); one != nullptr;) {
      slot& parent = *std::exchange(one, one->woken_next);
      if (parent.now.state != asset_state::needing) continue;
      parent.woken_next = std::exchange(woken_, &parent);
    }
    wake(todo);
  }
  perform(todo);
}

bool store_core::has_reloads_ahead() const noexcept {
  return changed_ != nullptr || to_look_at_ != nullptr || needs_.has_doubts() ||
         left_to_retry_ != 0 || replaced_ != nullptr;
}

void store_core::exchange(slot& reload, actions& todo) noexcept {
  slot& one = *reload.reload_of;
  if (reload.now.state == asset_state::ready) {
    counts_.take_out(one);
    counts_.take_out(reload);
    std::swap(one.value, reload.value);
    std::swap(one.value_bytes, reload.value_bytes);
    std::swap(one.stage, reload.stage);
    std::swap(one.now.begun, reload.now.begun);
    one.file_bytes = reload.file_bytes;
    one.cost_ns = reload.cost_ns;
    reload.room_bytes = reload.value_bytes;  // the old one is what it brings now
    counts_.put_in(one);
    counts_.put_in(reload);
    take_room(reload, todo);
    stop_lending(one);
    needs::exchange(one, reload);
    needs_.forget_failed(one);
    one.version.fetch_add(1, std::memory_order_relaxed);
    one.shown.store(one.value, std::memory_order_release);
    if (!std::exchange(one.last_reload, {})) retry_circles();  // its old needs were not of its file
    one.reload_failed_need = nullptr;
    one.circle_at = 0;
    consider_stage(one);
    if (one.of->reads) retry_parts_of(one);
    retry_failed_with(one);
    for (need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
      if (each->needed && each->parent->of->dependent) remake(*each->parent);
    }
  } else {
    if (!reload.was_too_little) one.last_reload = tl::unexpected<error>(reload.failure);
    // Of what was saved, the stage that it shows has not been tried.
    if (reload.is_of_change && reload.asked_stage != one.stage.index) note_change(one, 0);
    note_troubled(one);
    needs_.forget_failed(one);
    needs::move_failed(reload, one);
    one.reload_failed_need = reload.failed_need;
    one.circle_at = reload.circle_at;
    if (needs_.may_be_opened(one)) try_again(one);
    const bool may_be_another = reload.was_too_little || reload.asked_stage == one.stage.index;
    if (may_be_another) consider_stage(one);
    retry_if_come(reload.failed_need);
    one.failed_at = reload.failed_at;
  }
  if (std::exchange(one.is_outdated, false)) note_change(one, 0);
  note_event(one);
  if (!one.last_reload) note_failed_reload(one);
  one.reload = nullptr;
  reload.reload_of = nullptr;
  reload.handles.store(0, std::memory_order_relaxed);
  if (reload.now.state == asset_state::ready) {
    reload.replaced_in = calls_generation_;
    reload.work_next = nullptr;
    (replaced_ != nullptr ? last_replaced_->work_next : replaced_) = &reload;
    last_replaced_ = &reload;
  } else {
    end_reload(reload, todo);
  }
  overture::detail::drop_handle(one);
}

// Nothing holds the asset any more, and the reload waits to be read. What comes of a change comes
// when the asset is asked for again.
void store_core::give_up_reload(slot& reload, actions& todo) noexcept {
  slot& one = *reload.reload_of;
  const bool is_of_change = reload.is_of_change;
  happens(reload, life_event::let_go, todo);
  one.reload = nullptr;
  reload.reload_of = nullptr;
  reload.handles.store(0, std::memory_order_relaxed);
  end_reload(reload, todo);
  if (is_of_change) note_change(one, 0);
}

void store_core::hold_reloaded(slot& reload, asset_state before) noexcept {
  if (reload_keeps_asset(reload.now.state) == reload_keeps_asset(before)) return;
  reload_keeps_asset(before) ? overture::detail::drop_handle(*reload.reload_of)
                             : add_handle(*reload.reload_of);
}

void store_core::end_reload(slot& reload, actions& todo) noexcept {
  happens(reload, life_event::exchanged, todo);
  if (!reload.now.leaving) recycle(reload);
}

// A function of a loader that is running, on whatever thread, may use the old value of what it
// needs: that stays until all calls have ended that had begun before the exchange. Calls belong to
// the generation in which they begin. A generation ends once the calls of the one before have
// ended, so two later all have ended that could have seen the value.
void store_core::release_replaced(actions& todo) noexcept {
  for (int i = 0; i < 2 && replaced_ != nullptr; ++i) {
    if (calls_in_[(calls_generation_ + 1) % 2] == 0) ++calls_generation_;
  }
  while (replaced_ != nullptr && replaced_->replaced_in + 2 <= calls_generation_) {
    slot& reload = *std::exchange(replaced_, replaced_->work_next);
    end_reload(reload, todo);
  }
}

void store_core::recycle(slot& reload) noexcept {
  reload.work_next = free_reloads_;
  free_reloads_ = &reload;
}

slot* store_core::slot_at(std::size_t index) noexcept {
  if (index < table_.size()) return &table_.at(index);
  index -= table_.size();
  return index < reloads_.size() ? reloads_[index] : nullptr;
}

}  // namespace overture::assets_detail
