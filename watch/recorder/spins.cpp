// SPDX-License-Identifier: Zlib
//
// Threads that spin: calls that seldom come alone, counted without a clock. Only one of many looks
// at it.
#include <pthread.h>
#include <sched.h>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr std::uint64_t calls_in_a_look = 64;

// Who does more between two calls works. Who yields may have no core for a while.
constexpr std::uint64_t longest_ns(spin_call call) noexcept {
  switch (call) {
    case spin_call::yield:
      return 20'000;
    case spin_call::poll:
      return 5'000;
    case spin_call::trylock:
      return 1'000;
    default:
      return 200;
  }
}

void write_spin(thread_log& log, std::uint64_t now) noexcept {
  spin_run& run = log.spin;
  const plain_event event{.kind = event_kind::spin,
                          .begin_ns = run.begin_ns,
                          .took_ns = now - run.begin_ns,
                          .id = static_cast<std::uint32_t>(run.call),
                          .caller = run.caller,
                          .value = run.calls};
  if (run.written) {
    write_again(event, *run.written);
    return;
  }
  record(event);
  run.next = log.next;
  run.written = log.last_written;
}

__attribute__((noinline)) void look_at_clock(thread_log& log) noexcept {
  spin_run& run = log.spin;
  const std::uint64_t now = clock_ns();
  const bool is_first = run.looked_ns == 0;
  const bool is_slow = now - run.looked_ns > calls_in_a_look * longest_ns(run.call);
  run.looked_ns = now;
  if (is_first) {
    run.begin_ns = now;
  } else if (!is_slow) {
    run.was_slow = false;
    write_spin(log, now);
  } else if (run.was_slow || !run.written) {
    run = {.call = run.call, .caller = run.caller, .next = run.next};
    run.looked_ns = run.begin_ns = now;
  } else {
    run.was_slow = true;
  }
}

}  // namespace

void note_spin(spin_call call, std::uintptr_t caller) noexcept {
  thread_log* const log = recorded_thread();
  if (!log) return;
  spin_run& run = log->spin;
  if (run.call != call || run.caller != caller || run.next != log->next) {
    run = {.call = call, .caller = caller, .next = log->next};
  }
  if (++run.calls % calls_in_a_look == 0) look_at_clock(*log);
}

constinit next_function<int()> next_yield("sched_yield");
OVERTURE_WATCH_TAKES(int, sched_yield, ()) {
  note_spin(spin_call::yield, OVERTURE_WATCH_CALLER);
  return next_yield();
}

constinit next_function<int(clockid_t, timespec*)> next_clock_gettime("clock_gettime");
OVERTURE_WATCH_TAKES(int, clock_gettime, (clockid_t clock, timespec* time)) {
  note_spin(spin_call::clock, OVERTURE_WATCH_CALLER);
  return next_clock_gettime(clock, time);
}

constinit next_function<int(pthread_spinlock_t*)> next_spin_trylock("pthread_spin_trylock");
OVERTURE_WATCH_TAKES(int, pthread_spin_trylock, (pthread_spinlock_t * lock)) {
  const int outcome = next_spin_trylock(lock);
  if (outcome == EBUSY) note_spin(spin_call::trylock, OVERTURE_WATCH_CALLER);
  return outcome;
}
constinit next_function<int(pthread_spinlock_t*)> next_spin_lock("pthread_spin_lock");
OVERTURE_WATCH_TAKES(int, pthread_spin_lock, (pthread_spinlock_t * lock)) {
  const int outcome = next_spin_trylock(lock);
  if (outcome != EBUSY) [[likely]]
    return outcome;
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_spin_lock(lock); },
      [&](int, plain_event& event) {
        event.kind = event_kind::spin;
        event.id = static_cast<std::uint32_t>(spin_call::lock);
        event.value = 1;
        record(event);
      });
}

}  // namespace overture::watch
