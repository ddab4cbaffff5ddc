// SPDX-License-Identifier: Zlib
//
// The lives of the assets: what happens to one, in lists, counts and room of the budget.
#include <string_view>
#include <utility>

#include "assets/store_core.hpp"
#include "overture/base/spin.hpp"

namespace overture::assets_detail {

namespace {

constexpr memory_tag room_tag = memory_tag::decode;

bool is_waited_for(const slot& one) noexcept {
  const need* each = one.needed_by;
  while (each != nullptr && !each->pending) each = each->next_of_child;
  return each != nullptr;
}

// A loader may return the error of a need that it has looked at.
bool returns_error_of_need(const slot& one) noexcept {
  if (one.failed_need == nullptr) return false;
  const error& of_need = one.failed_need->failure;
  return one.failure == of_need && std::string_view(one.failure.reason) == of_need.reason;
}

// A program waits while an asset is busy, which would never end for one that has failed with that.
error as_failure(error why, life_event event) noexcept {
  if (why.code != errc::busy) return why;
  const bool of_loader = event != life_event::read_fails;
  why.code = of_loader ? errc::invalid : errc::io;
  if (of_loader) {
    why.reason =
        "its loader returned the error \"busy\", which is the status of an asset that is "
        "loading: return another";
  }
  return why;
}

}  // namespace

void store_core::happens(slot& one, life_event event, actions& todo) noexcept {
  apply(one, event, todo);
  wake(todo);
  lower_unwanted(todo);
}

void store_core::wake(actions& todo) noexcept {
  while (slot* const parent = woken_) {
    woken_ = parent->woken_next;
    apply(*parent, life_event::needs_settle, todo);
  }
}

void store_core::fails(slot& one, life_event event, const error& why, actions& todo) noexcept {
  one.failure = as_failure(why, event);
  const bool is_of_need = event != life_event::read_fails && returns_error_of_need(one);
  if (!is_of_need) one.failed_need = nullptr;
  one.failed_at = {};
  happens(one, event, todo);
}

life_facts store_core::facts_of(const slot& one) const noexcept {
  return {.held = is_held(one),
          .ending = ending_,
          .has_value = one.value != nullptr,
          .free_threaded = one.of != nullptr && one.of->free_threaded,
          .builds = one.of != nullptr && one.of->builds,
          .need_failed = one.failed_need != nullptr,
          .needs_pending = one.pending_needs != 0,
          .is_reload = one.reload_of != nullptr,
          .is_part = one.stage.is_part};
}

// Calls of loaders, by generations: see release_replaced().
void store_core::note_call(slot& one, life_event event, asset_state next) noexcept {
  switch (event) {
    case life_event::decode_begins:
      if (next != asset_state::decoding) break;  // it was given up
      [[fallthrough]];
    case life_event::step_begins:
    case life_event::unload_begins:
      one.in_call = true;
      one.call_parity = calls_generation_ % 2;
      ++calls_in_[one.call_parity];
      break;
    case life_event::decode_ends:
    case life_event::decode_fails:
    case life_event::built:
    case life_event::step_again:
    case life_event::step_ends:
    case life_event::step_fails:
    case life_event::unload_ends:
      if (std::exchange(one.in_call, false)) --calls_in_[one.call_parity];
      break;
    default:
      break;
  }
}

// What was refused room keeps its turn and its stage, and so does what needs more of its file.
void store_core::note_queued(slot& one, life_event event) noexcept {
  one.circle_at = 0;
  if (!one.is_second) one.is_outdated = false;
  if (event == life_event::read_refused || event == life_event::decode_fails) return;
  one.number = ++times_queued_;
  one.stage = {.index = one.is_second ? one.asked_stage : 0};
}

void store_core::apply(slot& one, life_event event, actions& todo) noexcept {
  const life before = one.now;
  const bool moved = moves(one);
  const auto [next, what] = step(before, event, facts_of(one));
  if (next == before && what == life_actions{}) return;
  const bool changes_state = next.state != before.state;
  if (changes_state && next.state == asset_state::failed && one.failed_need != nullptr) {
    one.failure = one.failed_need->failure;
    if (one.failed_need == &one) one.failed_need = nullptr;  // it is itself at fault
  }
  if (changes_state && next.state == asset_state::queued) note_queued(one, event);
  // Until it is tried again, others that have failed for it can be told why.
  if (changes_state && next.state == asset_state::decoding) one.failed_need = nullptr;
  if (changes_state && next.state == asset_state::unloaded) {
    one.gave_up = !is_settled(before.state);
    if (one.gave_up && one.blamed) look_for_failed();  // it may have had a new value
  }
  if (changes_state && is_settled(next.state)) {
    one.gave_up = false;
    one.has_failed = next.state == asset_state::failed;
    if (one.has_failed) note_troubled(one);
  }
  if (changes_state && (is_settled(next.state) || next.state == asset_state::unloaded)) {
    if (!one.lends) needs_.forget_failed(one);
    if (next.state == asset_state::failed) keep_failed(one, event);
  }
  if (changes_state && next.state == asset_state::ready && !one.is_second) {
    one.last_reload = {};
    one.reload_failed_need = nullptr;
  }

  note_call(one, event, next.state);
  counts_.take_out(one);
  one.now = next;
  note_class(one);
  measure(one, before);
  counts_.put_in(one);
  if (next.in != before.in) {
    move(one);
    count_waiting_read(one, before.in);
  }
  if (changes_state) {
    one.since_ns = now_ns();
    if (next.state == asset_state::ready) {
      one.shown.store(one.value, std::memory_order_release);
    } else if (before.state == asset_state::ready) {
      one.shown.store(one.of->placeholder, std::memory_order_relaxed);
    }
    one.state.store(next.state, std::memory_order_release);
    note_change_of_state(one, before.state);
    if (one.reload_of != nullptr) hold_reloaded(one, before.state);
  }
  if (before.in == place::kept && next.in == place::none) consider_stage(one);
  if (one.is_idle || next.in == place::kept) look_if_idle(one);
  trace(one, before, event);
  carry_out(one, what, todo);
  take_room(one, todo);
  const bool stops = (moved && !moves(one)) || (has_file(before.state) && !has_file(next.state)) ||
                     (before.leaving && !next.leaving) ||
                     (before.in == place::to_read && next.state == asset_state::unloaded);
  // It waits in another class than it moves in, and its job may take nothing of that one.
  const bool makes_way = next.in == place::to_decode && before.in != place::to_decode &&
                         one.moves_as != class_of(one.priority);
  const bool is_new = next.in == place::to_read && before.in != place::to_read;
  if (ending_) return;  // nothing begins any more, nor does a job
  const bool frees = stops || makes_way;
  if (frees) resume_decodes(todo);
  if (is_new || (frees && !(needed_.empty() && to_read_.empty()))) todo.feeds = true;
}

// What becomes free, before what it needs is given up.
void store_core::measure(slot& one, const life& before) noexcept {
  if (one.now.leaving && !before.leaving) one.leaving_bytes = needs_.kept_alive_by(one);
}

slot_list* store_core::list_of(slot& one) noexcept {
  switch (one.now.in) {
    case place::none:
      return nullptr;
    case place::to_read:
      return &(is_waited_for(one) ? needed_ : to_read_).of(one.priority);
    case place::to_decode:
      return &to_decode_.of(one.priority);
    case place::for_main:
      return &for_main_.of(one.priority);
    case place::for_workers:
      return &for_workers_.of(one.priority);
    case place::kept:
      return &kept_;
    case place::unload_main:
      return &unload_main_;
    case place::unload_any:
      return &unload_any_;
  }
  return nullptr;
}

// From one list to another: in order of asking, until it is decoded.
void store_core::move(slot& one) noexcept {
  if (one.in != nullptr) one.in->remove(one);
  slot_list* const to = list_of(one);
  if (to == nullptr) return;
  if (one.now.in == place::to_decode) return to->insert_last_of_number(one);
  const bool was_refused = one.now.in == place::to_read && one.number != times_queued_;
  if (was_refused) return to->insert_first_of_number(one);
  const bool comes_back = one.now.in == place::for_main && one.now.begun;
  const bool goes_first = one.now.in == place::kept && std::exchange(one.goes_first, false);
  comes_back || goes_first ? to->push_front(one) : to->push_back(one);
}

// What waits to be read may share a read of its file.
void store_core::count_waiting_read(slot& one, place before) noexcept {
  if (one.of == nullptr || !one.of->reads) return;
  std::uint32_t& waiting = one.first_of_path->waiting_reads_of_path;
  if (one.now.in == place::to_read) ++waiting;
  if (before == place::to_read) --waiting;
}

void store_core::carry_out(slot& one, const life_actions& what, actions& todo) noexcept {
  if (what.raise) one.settled.raise();
  if (what.drop_needs) drop_needs(one);
  if (what.drop_file) {
    if (held_file* const file = let_go(std::exchange(one.fetch.file, nullptr))) {
      file->next = std::exchange(todo.files, file);
    }
  }
  if (what.settle) settle(one, todo);
  if (what.finalize_job) ++todo.jobs[class_of(one.priority)];
  if (what.unload_job) todo.unloads = true;
  if (what.exchange) {
    one.work_next = reloaded_;
    reloaded_ = &one;
  }
  if (what.wake_main) todo.wakes_main = true;
}

// What it takes of the budget follows from its life.
void store_core::take_room(slot& one, actions& todo) noexcept {
  const std::uint64_t wanted = room_of(one);
  if (wanted > one.taken_bytes) {
    with_.budget.add(wanted - one.taken_bytes, room_tag);
  } else {
    todo.returned_bytes += one.taken_bytes - wanted;
  }
  one.taken_bytes = wanted;
}

void store_core::settle(slot& one, actions& todo) noexcept {
  const bool failed = one.now.state == asset_state::failed;
  if (!failed) one.version.fetch_add(1, std::memory_order_relaxed);
  if (!failed) consider_stage(one);
  if (!failed && !one.is_second) one.reload_failed_since_told |= !reloaded_last(one).last_reload;
  if (!one.is_second && std::exchange(one.is_outdated, false)) {
    failed ? try_again(one) : note_change(one, 0);
  }
  // Held until those who wait have been told; a reload is held from its start.
  if (!one.is_second) one.handles.fetch_add(1, std::memory_order_relaxed);
  one.settled_next = todo.settled;
  todo.settled = &one;
  if (failed && needs_.may_be_opened(one)) try_again(one);
  if (!is_decided(one)) return;
  one.retry = 0;
  if (failed) {
    // Some of those that blame it may not have been tried again meanwhile.
    if (std::exchange(one.may_come, false)) one.blamed = true;
    retry_if_come(one.failed_need);
  } else if (one.blamed) {
    retry_blaming(one);
  }
  if (!failed) remake_what_did_without(one);
  if (!failed) retry_failed_with(one);
  for (slot* parent = needs_.settle(one); parent != nullptr; parent = parent->walk_next) {
    if (failed && parent->lacks) blame(*parent, one);
    if (parent->pending_needs != 0 || parent->now.state != asset_state::needing) continue;
    parent->let_go_by = &one;
    parent->woken_next = woken_;
    woken_ = parent;
  }
}

// What copies from its needs has copied a placeholder.
void store_core::remake_what_did_without(const slot& one) noexcept {
  for (const need* each = one.needed_by; each != nullptr; each = each->next_of_child) {
    if (each->may_fail && !each->pending && each->parent->of->dependent) remake(*each->parent);
  }
}

void store_core::set_priority(slot& one, asset_priority to) noexcept {
  counts_.take_out(one);
  one.priority = to;
  note_class(one);
  counts_.put_in(one);
}

void store_core::set_room(slot& one, std::uint64_t bytes) noexcept {
  counts_.take_out(one);
  one.room_bytes = bytes;
  counts_.put_in(one);
}

// What waits for room to be decoded tries again. A job takes the most urgent, so what one line owes
// may be meant for another.
void store_core::resume_decodes(actions& todo) noexcept {
  for (std::size_t i = 0; i < asset_priority_class_count; ++i) {
    if (!had_no_room_[i] || owed_decodes_[i] == 0) continue;
    const std::uint32_t now = stands(i) ? 1 : owed_decodes_[i];
    had_no_room_[i] = stands(i);
    owed_decodes_[i] -= now;
    todo.jobs[i] += now;
  }
}

}  // namespace overture::assets_detail
