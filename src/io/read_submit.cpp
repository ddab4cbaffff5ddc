// How requests come in, and who is woken for them.
#include <algorithm>
#include <utility>

#include "base/processor.hpp"
#include "io/read_core.hpp"
#include "overture/base/thread.hpp"
#include "sync/wait.hpp"

namespace overture::io {

// No request is looked at: the threads that read wrote their lines last. Gated ones are registered
// before this returns, because who lowers a barricade may end its life.
void read_core::submit(std::span<read_request> requests, barricade* after) noexcept {
  const std::uint64_t now_at = now();
  std::uint32_t calls = 0;
  if (after || !inbox_.put(requests, now_at, calls)) {
    return submit_locked(requests, now_at, after);
  }
  if (calls != 0) call(calls);
}

void read_core::submit_locked(std::span<read_request> requests, std::uint64_t now_at,
                              barricade* after) noexcept {
  gate* fresh = nullptr;
  wakes due;
  {
    const scoped_lock hold(lock_);
    take_up();
    for (read_request& request : requests) {
      if (after) {
        hold_back(request, now_at, *after, fresh);
      } else {
        take_in(request, now_at);
      }
    }
    note_submitted(requests.size());
    call_for_queued(due);
    if (fresh && !errands_.empty()) claim_sleeper(due);
    offer_sleeper(due);
  }
  send(due);
  register_gates(fresh);
}

void read_core::take_up() noexcept {
  read_inbox::batch next;
  std::size_t count = 0;
  while (inbox_.take(next)) {
    for (read_request& request : std::span(next.first, next.count)) {
      take_in(request, next.queued_ns);
    }
    count += next.count;
  }
  if (count != 0) note_submitted(count);
}

void read_core::take_up_and_call() noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    take_up();
    call_for_queued(due);
    offer_sleeper(due);
  }
  send(due);
}

void read_core::take_in(read_request& request, std::uint64_t now_at) noexcept {
  request.queued_ns = now_at;
  if (!enqueue(request, now_at)) refuse(request);
}

void read_core::refuse(read_request& request) noexcept {
  request.next = refused_;
  refused_ = &request;
}

void read_core::note_submitted(std::size_t count) noexcept {
  outstanding_ += count;
  stats_.requests += count;
  stats_.in_flight_max = std::max(stats_.in_flight_max, outstanding_);
  recall_outranked();
}

// --- Who is woken --------------------------------------------------------------------------------

// Outside of the lock, for an offer that submit() has found.
void read_core::call(std::uint32_t who) noexcept {
  if ((who & read_inbox::reader) != 0) {
    if (config_.backend == read_backend::uring) {
      wakes due;
      {
        const scoped_lock hold(lock_);
        wake_claimed(due);
      }
      send(due);
    } else {
      work_word_.fetch_add(1, std::memory_order_relaxed);
      calling_on_.store(this_processor() + 1, std::memory_order_relaxed);
      sync_detail::address_wake_one(&work_word_);
      calling_on_.store(0, std::memory_order_relaxed);
    }
  }
  if ((who & read_inbox::host) != 0) {
    drain_word_.fetch_add(1, std::memory_order_relaxed);
    sync_detail::address_wake_all(&drain_word_);
  }
}

void read_core::call_for_queued(wakes& due) noexcept {
  const bool to_read = queued() > 0 && !suspended_;
  const bool to_end = refused_ != nullptr;
  if (to_end || (to_read && may_read_more())) claim_sleeper(due);
  if (helpers_ > 0 && config_.run_by_host && (to_end || to_read)) call_helpers(due);
}

bool read_core::is_waking() noexcept {
  if (offered_ && !inbox_.is_offered(read_inbox::reader)) {
    offered_ = false;
    waking_ = true;
  }
  return waking_;
}

void read_core::claim_sleeper(wakes& due) noexcept {
  if (sleepers_ == 0 || is_waking()) return;
  waking_ = true;
  if (std::exchange(offered_, false) && !inbox_.withdraw(read_inbox::reader)) return;
  ++stats_.wakes;
  wake_claimed(due);
}

void read_core::wake_claimed(wakes& due) noexcept {
  work_word_.fetch_add(1, std::memory_order_relaxed);  // the lock orders it
  due.worker = wake_ == nullptr;
  // Under the lock: behind set_waker() nobody may still be about to call the one before.
  if (wake_) wake_(wake_context_);
}

bool read_core::offer_sleeper() noexcept {
  const bool wanted = sleepers_ > 0 && !is_waking() && !suspended_ && may_read_more();
  if (wanted == offered_) return true;
  if (wanted) return offered_ = inbox_.offer(read_inbox::reader);
  offered_ = false;
  if (!inbox_.withdraw(read_inbox::reader)) waking_ = true;
  return true;
}

void read_core::offer_sleeper(wakes& due) noexcept {
  while (!offer_sleeper()) {
    take_up();
    call_for_queued(due);
  }
}

// Once only: where others want the processor too, the system gives it back at once.
void read_core::give_way_to_submit() const noexcept {
  if (calling_on_.load(std::memory_order_relaxed) == this_processor() + 1) yield_thread();
}

bool read_core::note_asleep(std::uint32_t& seen) noexcept {
  ++sleepers_;
  // Before it can be called.
  seen = work_word_.load(std::memory_order_relaxed);
  if (offer_sleeper()) return true;
  --sleepers_;
  return false;
}

// What was put by whoever has taken the offer meanwhile is taken up behind this.
void read_core::note_woken() noexcept {
  if (std::exchange(offered_, false)) (void)inbox_.withdraw(read_inbox::reader);
  --sleepers_;
  waking_ = false;
}

}  // namespace overture::io
