// SPDX-License-Identifier: Zlib
//
// What a worker without work does: all decisions, in one function. worker.cpp carries them out.
//
// A worker that runs out of work looks for more for a moment and then sleeps until a submit wakes
// it. How long it looks, when it yields, whether it sleeps with a deadline and when it wakes
// another worker is decided by next() and nowhere else. next() reads no clock and changes only its
// arguments, so idle_test.cpp runs it in virtual time.
#pragma once

#include <cstdint>

#include "jobs/idle/policy_word.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::jobs_detail {

// Something that one worker of a pool does at a time.
class idle_role {
 public:
  [[nodiscard]] bool try_take() noexcept {
    return !taken_.load(std::memory_order_relaxed) &&
           !taken_.exchange(true, std::memory_order_seq_cst);
  }
  // Release is enough: a sequentially consistent operation follows, end_search() or
  // announce_worker().
  void give_back() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  atomic<bool> taken_{false};
};

// What the workers of a pool share.
struct idle_shared {
  idle_shared(wake_policy policy_at_first, const idle_tuning& tuned) noexcept
      : tuning(tuned), policy(policy_at_first) {}

  const idle_tuning tuning;
  policy_word policy;
  atomic<std::uint64_t> expected_ns{0};        // thread_pool::expect_work(); 0: nothing is expected
  alignas(detail::line_bytes) idle_role warm;  // looks for longer than the others
  idle_role alarm;                             // sleeps until shortly before expected_ns
};

// One worker's.
struct idle_state {
  std::uint64_t since_ns = 0;       // start of this search
  std::uint64_t yielded_ns = 0;     // its last yield
  std::uint64_t asleep_ns = 0;      // when it last went to sleep
  std::uint64_t alarm_ns = 0;       // the deadline of its sleep; 0 unless it has the alarm role
  std::uint64_t look_until_ns = 0;  // work is expected until then
  bool is_warm = false;             // it has the warm role
  bool jobs_come_fast = false;      // its last sleep was shorter than spin_long_ns
};

struct idle_event {
  enum kind : std::uint8_t {
    starts,          // it has run out of work, and a first look found none
    found_nothing,   // another look found none either
    woken,           // its sleep has ended, by a signal or by its deadline
    ends,            // it has work, or leaves the pool
    ends_with_more,  // it has work, there is more, and the other workers are busy or asleep
  };
  kind what;
  std::uint64_t at_ns = 0;         // not for the last two
  std::uint64_t signalled_ns = 0;  // woken: when the wake was sent
};

struct idle_step {
  enum kind : std::uint8_t {
    look,       // once more
    yield,      // then look
    sleep,      // until woken, or until `until_ns` unless that is 0
    wake_next,  // a sleeping worker, then go on
    go_on,
  };
  kind what;
  std::uint64_t until_ns = 0;
};

[[nodiscard]] idle_step next(idle_state& own, idle_shared& pool, const idle_event& event) noexcept;

// Asked again between announcing a sleep and sleeping: the policy may have changed meanwhile.
[[nodiscard]] inline bool may_sleep(const idle_shared& pool) noexcept {
  return pool.policy.now() != wake_policy::spin;
}

}  // namespace overture::jobs_detail
