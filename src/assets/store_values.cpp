// SPDX-License-Identifier: Zlib
//
// From the value of an asset to ready, and back: finalize(), unload(), pump().
#include <algorithm>
#include <utility>

#include "assets/loader_call.hpp"
#include "assets/store_core.hpp"
#include "assets/thread_work.hpp"
#include "assets/work_options.hpp"
#include "base/guarded_call.hpp"
#include "overture/base/spin.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::assets_detail {

namespace {

constexpr std::chrono::nanoseconds worker_step_ns{1'000'000};

}  // namespace

// What is given back comes first: others may wait for it.
void store_core::perform(actions& todo) noexcept {
  while (held_file* const file = todo.files) {
    todo.files = file->next;
    with_.files.done_with(file);
  }
  if (const std::uint64_t bytes = std::exchange(todo.returned_bytes, 0)) {
    with_.budget.give_back(bytes, memory_tag::decode);
  }
  if (std::exchange(todo.unloads, false)) {
    const thread_work::submitting now;
    group_.run([this]() noexcept { give_back_some(); }, options_for(asset_priority::low, "unload"));
  }
  for (std::size_t i = asset_priority_class_count; i-- > 0;) {
    const asset_priority priority = name_of_class(i);
    for (; todo.jobs[i] > 0; --todo.jobs[i]) work_later(priority);
  }
  if (std::exchange(todo.feeds, false)) feed_later();
  if (todo.settled != nullptr) todo.wakes_main = true;
  while (slot* const one = todo.settled) {
    todo.settled = one->settled_next;
    tell(*one);
  }
  if (std::exchange(todo.wakes_main, false)) for_main_thread_.notify_all();
}

void store_core::tell(slot& settled) noexcept {
  settled.settled.lower();
  const bool is_second = settled.is_second;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    happens(settled, life_event::told, todo);
  }
  if (todo.feeds) feed_later();
  // A reload belongs to pump() from now on.
  if (!is_second) overture::detail::drop_handle(settled);
}

// --- Finalizing ----------------------------------------------------------------------------------

bool store_core::finalize(slot& one, std::chrono::nanoseconds budget) noexcept {
  overture::detail::any_loader& by = *one.of->by;
  const result<finalize_step> step = [&] {
    const loader_call<> within(*this);
    const zone work("finalize", {.subject = one.subject, .bytes = one.value_bytes});
    return base_detail::guarded_result("loader::finalize() threw an exception",
                                       "loader::finalize() threw std::bad_alloc",
                                       [&] { return by.finalize_at(one.value, budget); });
  }();
  if (step && *step == finalize_step::again) return true;
  const std::uint64_t bytes = step ? counted(by.bytes_at(one.value)) : 0;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (step) {
      one.value_bytes = bytes;
      happens(one, life_event::step_ends, todo);
    } else {
      fails(one, life_event::step_fails, step.error(), todo);
    }
  }
  perform(todo);
  return false;
}

void store_core::build(slot& one) noexcept {
  overture::detail::any_loader& by = *one.of->by;
  const result<void> built = [&] {
    const loader_call<> within(*this);
    const zone work("build", {.subject = one.subject, .bytes = one.value_bytes});
    step_context context(one);
    return base_detail::guarded_result("loader::build() threw an exception",
                                       "loader::build() threw std::bad_alloc",
                                       [&] { return by.build_at(one.value, context); });
  }();
  const std::uint64_t bytes = built ? counted(by.bytes_at(one.value)) : 0;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    if (built) {
      one.value_bytes = bytes;
      note_size(one);
      set_room(one, bytes);
      happens(one, life_event::built, todo);
    } else {
      fails(one, life_event::step_fails, built.error(), todo);
    }
  }
  perform(todo);
}

// On a worker.
void store_core::finalize_step_of(slot& one) noexcept {
  if (!finalize(one, worker_step_ns)) return;
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    happens(one, life_event::step_again, todo);
  }
  perform(todo);
}

// --- Unloading -----------------------------------------------------------------------------------

void store_core::unload(slot& one) noexcept {
  overture::detail::any_loader& by = *one.of->by;
  bool begun = false;
  {
    const sync_detail::scoped_lock hold(lock_);
    begun = one.now.begun;
  }
  {
    const loader_call<> within(*this);
    const zone work("unload", {.subject = one.subject, .bytes = one.value_bytes});
    (void)base_detail::guarded_call([&] { by.unload_at(one.value, begun); });
    by.destroy_at(one.value);
  }
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    free_value(*one.of, std::exchange(one.value, nullptr));
    happens(one, life_event::unload_ends, todo);
    if (one.is_second && one.reload_of == nullptr) recycle(one);
  }
  perform(todo);
}

bool store_core::must_give_back(actions& todo) noexcept {
  return sweep(todo) || unload_any_.front != nullptr;
}

void store_core::give_back_some() noexcept {
  if (thread_work* const around = thread_work::around(*this)) {
    around->unloads = true;
    return;
  }
  thread_work here(*this);
  here.unloads = true;
  drain(here);
}

// The job may run in pump(), so it makes way for the end of that.
void store_core::unload_some() noexcept {
  constexpr std::size_t some = 64;
  actions todo;
  todo.unloads = give_back(some);
  perform(todo);
}

bool store_core::give_back(std::size_t most) noexcept {
  for (std::size_t i = 0; i < most; ++i) {
    actions todo;
    slot* next = nullptr;
    bool more = false;
    {
      const sync_detail::scoped_lock hold(lock_);
      more = sweep(todo);
      next = unload_any_.front;
      if (next != nullptr) happens(*next, life_event::unload_begins, todo);
    }
    todo.unloads = false;  // it is done here
    perform(todo);
    if (next != nullptr) {
      unload(*next);
    } else if (!more) {
      return false;
    }
  }
  return true;
}

// --- The main thread -----------------------------------------------------------------------------

// What is not held any more goes before what is no more urgent.
slot* store_core::next_for_main(std::uint64_t end_ns, bool& unloads) noexcept {
  actions todo;
  slot* next = nullptr;
  for (bool more = true; more;) {
    {
      const sync_detail::scoped_lock hold(lock_);
      more = sweep(todo) && now_ns() < end_ns;
      if (!more) {
        next = for_main_.first();
        slot* const leaving = unload_main_.front;
        unloads = leaving != nullptr &&
                  (next == nullptr || class_of(leaving->priority) >= class_of(next->priority));
        if (unloads) next = leaving;
        const auto begins = unloads ? life_event::unload_begins : life_event::step_begins;
        if (next != nullptr) happens(*next, begins, todo);
      }
    }
    perform(todo);
  }
  return next;
}

pump_result store_core::pump(std::chrono::nanoseconds budget, bool of_frame) noexcept {
  pump_result did;
  if (is_pumping_) return did;  // within finalize() or unload(), which this would call again
  const zone work("pump");
  is_pumping_ = true;
  const std::uint64_t begin_ns = now_ns();
  const std::uint64_t end_ns =
      begin_ns + static_cast<std::uint64_t>(std::max<std::int64_t>(budget.count(), 0));
  slot* again = nullptr;  // those that want another step, the last one first; linked by work_next
  end_reloads(end_ns);
  retry_failed(end_ns);
  begin_reloads(end_ns);
  judge_needs();
  bool unloads = false;
  const slot* longest = nullptr;
  std::uint64_t longest_ns = 0;
  for (std::uint64_t now = begin_ns; slot* const next = next_for_main(end_ns, unloads);) {
    if (unloads) {
      ++did.unloaded;
      unload(*next);
    } else {
      ++did.steps;
      if (finalize(*next, std::chrono::nanoseconds(end_ns > now ? end_ns - now : 1))) {
        next->work_next = again;
        again = next;
      }
    }
    const std::uint64_t began_ns = std::exchange(now, now_ns());
    if (now - began_ns > longest_ns) {
      longest_ns = now - began_ns;
      longest = next;
    }
    if (now >= end_ns) break;
  }
  actions todo;
  {
    const sync_detail::scoped_lock hold(lock_);
    while (slot* const one = again) {
      again = one->work_next;
      happens(*one, life_event::step_again, todo);
    }
    (void)evict(todo);
    // Others give room back without a word.
    if (others_have_room_) {
      resume_decodes(todo);
      todo.feeds = !(needed_.empty() && to_read_.empty());
    }
  }
  perform(todo);
  // Without workers this thread does everything, two jobs at least, or nothing would ever load: one
  // may only begin reads, and each change of priorities asks for that.
  const bool has_time = did.steps + did.unloaded == 0 || now_ns() < end_ns;
  if (with_.jobs.concurrency() == 1 && has_time && !with_.jobs.wait_until(group_, end_ns)) {
    (void)with_.jobs.wait_until(group_, end_ns);
  }
  is_pumping_ = false;
  if (of_frame && budget.count() > 0) trace_overrun(end_ns, longest);
  return did;
}

bool store_core::wait_until(slot& wanted, std::uint64_t deadline_ns) noexcept {
  constexpr std::uint64_t slice_ns = 1'000'000;
  const auto is_done = [&] { return is_settled(wanted); };
  for (;;) {
    const event_count::key_type key = for_main_thread_.prepare_wait();
    const std::uint64_t now = now_ns();
    if (is_done() || now >= deadline_ns || is_pumping_) {
      for_main_thread_.cancel_wait();
      return is_done();
    }
    const bool reads_itself = with_.files.help();
    const std::uint64_t left_ns = std::min(deadline_ns - now, slice_ns);
    const pump_result did = pump(std::chrono::nanoseconds(left_ns), false);
    if (is_done() || did.steps + did.unloaded > 0 || with_.jobs.concurrency() == 1) {
      for_main_thread_.cancel_wait();
      continue;
    }
    bool has_reloads = false;
    {
      const sync_detail::scoped_lock hold(lock_);
      has_reloads = has_reloads_ahead();
    }
    const std::uint64_t sleep_ns = has_reloads || reads_itself ? left_ns : deadline_ns - now;
    (void)for_main_thread_.wait_for(key, std::chrono::nanoseconds(sleep_ns));
  }
}

}  // namespace overture::assets_detail
