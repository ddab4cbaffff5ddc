// SPDX-License-Identifier: Zlib
#include "overture/sync/event_count.hpp"

#include "sync/deadline.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture {

using namespace sync_detail;

void event_count::wait(key_type key, const wait_options& options) noexcept {
  (void)wait_slow(key.epoch_, 0, options);
}

bool event_count::wait_for(key_type key, std::chrono::nanoseconds duration,
                           const wait_options& options) noexcept {
  const std::uint64_t deadline_ns = deadline_in(duration);
  if (deadline_ns != 0) return wait_slow(key.epoch_, deadline_ns, options);
  cancel_wait();
  return false;
}

bool event_count::wait_until(key_type key, std::chrono::steady_clock::time_point deadline,
                             const wait_options& options) noexcept {
  return wait_for(key, time_until(deadline), options);
}

bool event_count::wait_slow(std::uint32_t epoch, std::uint64_t deadline_ns,
                            const wait_options& options) noexcept {
  const auto notified = [&]() noexcept { return epoch_.load(std::memory_order_acquire) != epoch; };
  wait_status status = wait_status::woken;
  if (!climb_ladder(notified, options.spin)) {
    const observed_wait observed(options.reason ? options.reason : wait_reasons::event_count);
    // No loop: a thread woken in the old epoch has consumed a wake that was meant for another, and
    // must check the condition in its place.
    status = address_wait(epoch_, epoch, deadline_ns);
  }
  // Acquires too, so that an early return sees everything notified before it.
  waiting_.fetch_sub(1, std::memory_order_seq_cst);
  return status == wait_status::woken || notified();
}

// A read-modify-write, not a load, to be ordered before or after every prepare_wait().
bool event_count::has_no_waiters() noexcept {
  return waiting_.fetch_add(0, std::memory_order_seq_cst) == 0;
}

void event_count::notify_one() noexcept {
  if (has_no_waiters()) return;
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  address_wake_one(&epoch_);
}

void event_count::notify_all() noexcept {
  if (has_no_waiters()) return;
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  address_wake_all(&epoch_);
}

}  // namespace overture
