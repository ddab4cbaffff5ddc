// SPDX-License-Identifier: Zlib
//
// Threads, clocks and processors.
//
// Overture starts threads only when the host constructs a thread_pool or a read_queue, and only
// through the thread_factory given there. The default factory starts ordinary system threads and
// applies name, priority, affinity and stack size where the system supports it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"

namespace overture {

enum class thread_priority : std::uint8_t { low, normal, above_normal, high };

struct thread_options {
  const char* name = "worker";                         // Linux shows 15 characters
  thread_priority priority = thread_priority::normal;  // a wish: it may need rights
  std::uint64_t affinity_mask = 0;                     // processors 0..63 it may use, 0 = any
  std::size_t stack_bytes = 0;  // 0 = the system's default; on Linux at least 1 MiB
  // The thread does not preempt others when it wakes, but waits for an idle processor or the end of
  // a time slice (Linux: SCHED_BATCH, inherited by what it starts, and not if the process has a
  // policy of its own; elsewhere without effect).
  bool batch_scheduling = false;
};

struct thread_handle {
  std::uintptr_t value = 0;
};

class thread_factory {
 public:
  virtual ~thread_factory() = default;
  // Starts a thread that calls entry(argument). On failure entry is never called; an exception is a
  // failure (errc::threw). Any thread.
  [[nodiscard]] virtual result<thread_handle> start(const thread_options& options,
                                                    void (*entry)(void*) noexcept,
                                                    void* argument) = 0;
  // Waits until the thread has ended, then frees its resources. Once for each handle. Any thread.
  virtual void join(thread_handle thread) noexcept = 0;
};

// Lives as long as the process. Any thread.
[[nodiscard]] OVERTURE_API thread_factory& default_thread_factory() noexcept;

// The number of processors this process may use, at least 1: those it may run on, or fewer where a
// control group grants it less of their time. Any thread.
[[nodiscard]] OVERTURE_API unsigned processor_count() noexcept;

// Nanoseconds on a monotonic clock with an arbitrary zero. Any thread.
[[nodiscard]] OVERTURE_API std::uint64_t now_ns() noexcept;

// CPU time of the calling thread in nanoseconds; 0 if the system has no such clock. Any thread.
[[nodiscard]] OVERTURE_API std::uint64_t thread_cpu_ns() noexcept;

// Gives up the rest of the time slice. Any thread.
OVERTURE_API void yield_thread() noexcept;

}  // namespace overture
