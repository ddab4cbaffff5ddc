// SPDX-License-Identifier: Zlib
//
// What the jobs of a store do.
#include <utility>

#include "assets/store_core.hpp"
#include "assets/thread_work.hpp"
#include "assets/work_options.hpp"

namespace overture::assets_detail {

void store_core::feed_later() noexcept {
  if (feeding_.exchange(true, std::memory_order_seq_cst)) return;
  const thread_work::submitting now;
  group_.run([this]() noexcept {
    feeding_.store(false, std::memory_order_seq_cst);
    feed();
  });
}

// In a job.
void store_core::feed() noexcept {
  if (thread_work* const around = thread_work::around(*this)) {
    around->feeds = true;
    return;
  }
  thread_work here(*this);
  here.feeds = true;
  drain(here);
}

void store_core::do_next(bool background) noexcept {
  if (thread_work* const around = thread_work::around(*this)) {
    ++(background ? around->background_jobs : around->jobs);
    return;
  }
  thread_work here(*this);
  ++(background ? here.background_jobs : here.jobs);
  drain(here);
}

void store_core::drain(thread_work& here) noexcept {
  for (;;) {
    if (here.jobs > 0) {
      --here.jobs;
      here.feeds |= do_one(taken_by(false));
    } else if (here.background_jobs > 0) {
      --here.background_jobs;
      here.feeds |= do_one(taken_by(true));
    } else if (std::exchange(here.feeds, false)) {
      begin_reads();
    } else if (std::exchange(here.unloads, false)) {
      unload_some();
    } else {
      return;
    }
  }
}

priority_classes store_core::taken_by(bool background) const noexcept {
  if (background) return {.most = background_class};
  return {.least = background_group_ ? background_class + 1 : background_class};
}

void store_core::step_waits(asset_priority priority) noexcept {
  work_later(priority);
}

void store_core::work_later(asset_priority priority) noexcept {
  const thread_work::submitting now;
  if (is_for_background(priority)) {
    return background_group_->run([this]() noexcept { do_next(true); }, {.always = true});
  }
  group_.run([this]() noexcept { do_next(false); }, options_for(priority, "asset"));
}

// A job belongs to no asset, nor to one kind of work: there is one for each step of a read, each
// decode() and each build() or finalize(), and each does what is most urgent by then. What is
// queued in a pool cannot be overtaken otherwise. At one priority reads go on first, to keep the
// disk busy, and then the order is that of asking; what an asset needs has its number, and is ready
// before its siblings are decoded.
// True if there may be something to read.
bool store_core::do_one(priority_classes of_these) noexcept {
  for (;;) {
    actions todo;
    chosen_work next;
    bool more = false;
    {
      const sync_detail::scoped_lock hold(lock_);
      more = must_give_back(todo);
      if (!more) next = choose_work(of_these, todo);
    }
    perform(todo);
    if (more) {
      (void)give_back();
      continue;
    }
    switch (next.kind) {
      case work_kind::read:
        with_.files.do_step(*next.step);
        return false;
      case work_kind::decode:
        decode(*next.of);
        return true;
      case work_kind::build:
        build(*next.of);
        return false;
      case work_kind::finalize:
        finalize_step_of(*next.of);
        return false;
      case work_kind::none:
        return true;
    }
  }
}

// It has begun.
store_core::chosen_work store_core::choose_work(priority_classes of_these, actions& todo) noexcept {
  slot* const read = to_decode_.first(of_these);
  slot* const made = for_workers_.first(of_these);
  const bool made_is_next = made != nullptr && (read == nullptr || !comes_before(*read, *made));
  const slot* const first = made_is_next ? made : read;
  const asset_priority least = first != nullptr ? first->priority : asset_priority{};
  if (fetch_request* const step = with_.files.take_step(of_these, least)) {
    return {.kind = work_kind::read, .step = step};
  }
  const bool lacks_room = !made_is_next && read != nullptr && !has_room_to_decode(*read);
  if (!made_is_next && read != nullptr && !lacks_room) {
    if (!begin_decode(*read, todo)) return {};  // it was given up
    return {.kind = work_kind::decode, .of = read};
  }
  if (made != nullptr) {
    const work_kind kind = made->now.building ? work_kind::build : work_kind::finalize;
    happens(*made, life_event::step_begins, todo);
    return {.kind = kind, .of = made};
  }
  if (!lacks_room) return {};
  if (fetch_request* const step = with_.files.take_step(of_these, asset_priority{})) {
    return {.kind = work_kind::read, .step = step};
  }
  wait_for_room(*read, todo);
  return {};
}

}  // namespace overture::assets_detail
