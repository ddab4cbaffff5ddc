// SPDX-License-Identifier: Zlib
//
// What every program here is made of: a few threads, and the sleepers of the modelled kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

// GenMC's own functions, without the headers that it has in place of the system's.
extern "C" {
struct genmc_lock {
  int word;
};
void __VERIFIER_assume(int) noexcept;
[[noreturn]] void __VERIFIER_assert_fail(const char* what, const char* file, int line) noexcept;
void* __VERIFIER_malloc(std::size_t) noexcept;
void __VERIFIER_free(void*) noexcept;
int __VERIFIER_thread_create(const void*, void* (*run)(void*), void* argument) noexcept;
void* __VERIFIER_thread_join(long thread) noexcept;
[[noreturn]] void __VERIFIER_thread_exit(void*) noexcept;
int __VERIFIER_mutex_lock(genmc_lock*) noexcept;
int __VERIFIER_mutex_unlock(genmc_lock*) noexcept;
}

namespace genmc {

constexpr unsigned threads_max = 4;

struct sleeper {
  const void* key = nullptr;  // under the kernel's lock; null = not in its queue
  overture::atomic<bool> woken{false};
  bool asleep = false;  // the thread has ended in its sleep
};

inline sleeper sleepers[threads_max];
inline genmc_lock kernel{};
inline thread_local unsigned self = 0;

inline void lock_kernel() noexcept {
  __VERIFIER_mutex_lock(&kernel);
}
inline void unlock_kernel() noexcept {
  __VERIFIER_mutex_unlock(&kernel);
}
inline void check(bool holds, const char* what) noexcept {
  if (!holds) __VERIFIER_assert_fail(what, "", 0);
}

// Ends the execution without a verdict.
inline void leave_out(bool this_one) noexcept {
  __VERIFIER_assume(!this_one);
}

[[noreturn]] inline void end_thread() noexcept {
  __VERIFIER_thread_exit(nullptr);
}

using body = void (*)();

struct started {
  long thread;
  body run;
  unsigned number;
};

inline void* start(void* argument) noexcept {
  const started& what = *static_cast<started*>(argument);
  self = what.number;
  what.run();
  return nullptr;
}

// Runs the bodies at the same time, each on its thread, and returns when all have ended.
template <class... Bodies>
void run(Bodies... bodies) noexcept {
  started threads[] = {{{}, bodies, 0}...};
  unsigned number = 0;
  for (started& each : threads) {
    each.number = number++;
    each.thread = __VERIFIER_thread_create(nullptr, start, &each);
  }
  for (started& each : threads) __VERIFIER_thread_join(each.thread);
  for (unsigned i = 0; i < threads_max; ++i) {
    if (sleepers[i].asleep) __VERIFIER_assume(!sleepers[i].woken.load(std::memory_order_relaxed));
  }
}

// After run().
[[nodiscard]] inline bool anybody_sleeps() noexcept {
  unsigned count = 0;
  for (unsigned i = 0; i < threads_max; ++i) count += sleepers[i].asleep ? 1 : 0;
  return count != 0;
}

}  // namespace genmc
