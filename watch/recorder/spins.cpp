// SPDX-License-Identifier: Zlib
//
// Threads that spin: calls that seldom come alone, counted without a clock. Only one of many looks
// at it.
#include <pthread.h>
#include <sched.h>

#include <utility>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr std::uint64_t run_calls_min = 16;
constexpr std::uint64_t without_core_ns = 20'000'000;  // that a thread may be which yields

constexpr std::uint64_t dear_calls_in_a_look = 4;

// How many calls one look at the clock is for, a power of two. Beside a call of the system a look
// is little.
constexpr std::uint64_t calls_in_a_look(spin_call call) noexcept {
  return call == spin_call::yield || call == spin_call::poll ? dear_calls_in_a_look : 64;
}

// Who has the core for longer from call to call works. Giving up a core to another thread takes
// some microseconds by itself.
constexpr std::uint64_t longest_ns(spin_call call) noexcept {
  switch (call) {
    case spin_call::clock:
      return 200;
    case spin_call::yield:
      return 20'000;
    default:
      return 2'000;
  }
}

std::uint64_t core_ns() noexcept {
  timespec used{};
  (void)next_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
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
  if (run.begin_ns == 0) {
    run.begin_ns = now;
    return;
  }
  const std::uint64_t most_ns = calls_in_a_look(run.call) * longest_ns(run.call);
  const std::uint64_t had_ns = std::exchange(run.core_ns, core_ns());
  if (had_ns == 0) {
    // The time on a core is a call of the system: it is not asked for a call that comes alone.
    const std::uint64_t first_ns = run.call == spin_call::yield ? without_core_ns : most_ns;
    if (now - run.begin_ns > first_ns) run.begin_ns = now;
  } else if (run.core_ns - had_ns > most_ns) {
    run = {.call = run.call,
           .caller = run.caller,
           .begin_ns = now,
           .core_ns = run.core_ns,
           .next = log.next};
  } else if (run.calls >= run_calls_min) {
    write_spin(log, now);
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
  // Of cheap calls the first is not looked at: most come alone.
  const std::uint64_t each = calls_in_a_look(call);
  const std::uint64_t begins = each == dear_calls_in_a_look ? 1 : 0;
  if ((++run.calls & (each - 1)) == begins) look_at_clock(*log);
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
