// SPDX-License-Identifier: Zlib
#include "overture/sync/future.hpp"

#include "overture/base/contracts.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/when.hpp"
#include "sync/deadline.hpp"

namespace overture::sync_detail {
namespace {

// Marks a closed list.
constinit continuation closed;

continuation* reversed(continuation* list) noexcept {
  continuation* turned = nullptr;
  while (list != nullptr) {
    continuation* const next = std::exchange(list->next, turned);
    turned = std::exchange(list, next);
  }
  return turned;
}

}  // namespace

executor& executor_here() noexcept {
  class here final : public executor {
   public:
    void execute(task work) noexcept override { work.run(work.context); }
  };
  static here instance;
  return instance;
}

void future_core::complete() noexcept {
  const bool allocated = end_ != nullptr;
  continuation* list = continuations_.exchange(&closed, std::memory_order_acq_rel);
  ready_.lower();
  // From here on a state in the caller's storage may be gone.
  if constexpr (detail::contracts) {
    detail::expects(list != &closed,
                    "the value of a future_storage was set twice: make one promise for each");
  }
  list = reversed(list);
  while (list != nullptr) {
    // May be destroyed as soon as its work has begun.
    continuation& first = *std::exchange(list, list->next);
    first.where->execute(first.work);
  }
  if (allocated) give_up(promise_hold);
}

// The helper is not told when something else than its tasks makes this ready, a coroutine that has
// gone on in another pool, say. So it is asked to look up each millisecond.
bool future_core::help(std::uint64_t deadline_ns) noexcept {
  if (helper_ == nullptr) return false;
  constexpr std::uint64_t between_looks_ns = 1'000'000;
  for (;;) {
    const std::uint64_t next_ns = now_ns() + between_looks_ns;
    const bool is_last = deadline_ns != 0 && deadline_ns <= next_ns;
    const auto ready = [this]() noexcept { return is_ready(); };
    if (helper_->help_until(ready, is_last ? deadline_ns : next_ns)) return true;
    if (is_last || now_ns() < next_ns) return false;  // too early: it cannot help on this thread
  }
}

bool future_core::help_for(std::chrono::nanoseconds duration,
                           const wait_options& options) noexcept {
  const bool has_time = duration > std::chrono::nanoseconds::zero();
  const std::uint64_t deadline_ns = has_time ? deadline_in(duration) : now_ns();
  if (is_ready() || help(deadline_ns)) return true;
  // Where it could not help, time is left.
  const std::uint64_t now = now_ns();
  const std::uint64_t left_ns = deadline_ns > now ? deadline_ns - now : 0;
  return ready_.wait_for(std::chrono::nanoseconds(left_ns), named(options));
}

void future_core::add(continuation& added) noexcept {
  if constexpr (detail::contracts) {
    detail::expects(added.where != nullptr && added.work.run != nullptr,
                    "a continuation without an executor or a function was given to on_ready(): set "
                    "`where` and `work`");
  }
  continuation* head = continuations_.load(std::memory_order_acquire);
  while (head != &closed) {
    added.next = head;
    if (continuations_.compare_exchange_weak(head, &added, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
      return;
    }
  }
  // complete() may be between its two operations, but the work must find the future ready.
  ready_.wait({.reason = wait_reasons::future});
  added.where->execute(added.work);
}

}  // namespace overture::sync_detail
