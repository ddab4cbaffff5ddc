// SPDX-License-Identifier: Zlib
#include "overture/sync/parking_word.hpp"

#include "sync/deadline.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture {

using namespace sync_detail;

bool parking_word::try_park() noexcept {
  std::uint32_t expected = permit;
  return word_.compare_exchange_strong(expected, empty, std::memory_order_acquire,
                                       std::memory_order_relaxed);
}

bool parking_word::park_for(std::chrono::nanoseconds duration,
                            const wait_options& options) noexcept {
  const std::uint64_t deadline_ns = deadline_in(duration);
  return deadline_ns != 0 ? park_slow(deadline_ns, options) : try_park();
}

bool parking_word::park_until(std::chrono::steady_clock::time_point deadline,
                              const wait_options& options) noexcept {
  return park_for(time_until(deadline), options);
}

bool parking_word::park_slow(std::uint64_t deadline_ns, const wait_options& options) noexcept {
  const auto permitted = [this]() noexcept {
    return word_.load(std::memory_order_relaxed) == permit && try_park();
  };
  if (climb_ladder(permitted, options.spin)) return true;

  std::uint32_t expected = empty;
  if (!word_.compare_exchange_strong(expected, parked, std::memory_order_acquire,
                                     std::memory_order_acquire)) {
    return try_park();  // only unpark() changes an empty word
  }
  const observed_wait observed(options.reason ? options.reason : wait_reasons::parked);
  for (;;) {
    const wait_status status = address_wait(word_, parked, deadline_ns);
    if (try_park()) return true;
    expected = parked;
    if (status == wait_status::timed_out &&
        word_.compare_exchange_strong(expected, empty, std::memory_order_acquire,
                                      std::memory_order_acquire)) {
      return false;
    }
  }
}

void parking_word::unpark() noexcept {
  const void* const key = &word_;
  // After the exchange the thread may have returned and destroyed the word.
  if (word_.exchange(permit, std::memory_order_acq_rel) == parked) address_wake_one(key);
}

}  // namespace overture
