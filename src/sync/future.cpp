// SPDX-License-Identifier: Zlib
#include "overture/sync/future.hpp"

#include "overture/base/contracts.hpp"
#include "overture/sync/when.hpp"

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
