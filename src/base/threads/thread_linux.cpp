// SPDX-License-Identifier: Zlib
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>

#include "base/threads/processor.hpp"
#include "base/threads/processor_quota.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace {

std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct start_arguments {
  void (*entry)(void*) noexcept;
  void* argument;
  thread_priority priority;
  bool batch_scheduling;
  char name[16];
};

int nice_value(thread_priority priority) noexcept {
  switch (priority) {
    case thread_priority::low:
      return 5;
    case thread_priority::normal:
      return 0;
    case thread_priority::above_normal:
      return -2;
    case thread_priority::high:
      return -5;
  }
  return 0;
}

void* thread_main(void* raw) {
  auto* const heap = static_cast<start_arguments*>(raw);
  const start_arguments arguments = *heap;
  default_allocator().deallocate(heap, sizeof(start_arguments), alignof(start_arguments),
                                 memory_tag::base);
  (void)pthread_setname_np(pthread_self(), arguments.name);
  // On Linux, nice values belong to threads. Raising the priority fails without the right to.
  if (arguments.priority != thread_priority::normal) {
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice_value(arguments.priority));
  }
  // Respect another policy that the host has chosen for the process.
  if (arguments.batch_scheduling && sched_getscheduler(0) == SCHED_OTHER) {
    const sched_param none{};
    // 0: the calling thread, and no other.
    (void)sched_setscheduler(0, SCHED_BATCH, &none);
  }
  arguments.entry(arguments.argument);
  return nullptr;
}

// Decoders may need 256 KiB. The system's default is what the process may use of its main stack,
// which can be less, and 128 KiB with musl.
constexpr std::size_t default_stack_bytes_min = 1u << 20;

int set_stack(pthread_attr_t& attributes, std::size_t wanted) noexcept {
  const std::size_t least = static_cast<std::size_t>(PTHREAD_STACK_MIN);
  if (wanted != 0) return pthread_attr_setstacksize(&attributes, std::max(wanted, least));
  std::size_t usual = 0;
  const int failed = pthread_attr_getstacksize(&attributes, &usual);
  if (failed != 0 || usual >= default_stack_bytes_min) return failed;
  return pthread_attr_setstacksize(&attributes, default_stack_bytes_min);
}

class posix_thread_factory final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    void* const memory = default_allocator().allocate(sizeof(start_arguments),
                                                      alignof(start_arguments), memory_tag::base);
    if (!memory) return fail(errc::out_of_memory, "out of memory for a new thread");
    auto* const arguments = ::new (memory)
        start_arguments{entry, argument, options.priority, options.batch_scheduling, {}};
    std::strncpy(arguments->name, options.name, sizeof arguments->name - 1);

    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    if (failed == 0) failed = set_stack(attributes, options.stack_bytes);
    if (failed == 0 && options.affinity_mask != 0) {
      cpu_set_t allowed;
      CPU_ZERO(&allowed);
      for (unsigned cpu = 0; cpu < 64; ++cpu) {
        if (options.affinity_mask >> cpu & 1) CPU_SET(cpu, &allowed);
      }
      failed = pthread_attr_setaffinity_np(&attributes, sizeof allowed, &allowed);
    }
    pthread_t thread{};
    if (failed == 0) failed = pthread_create(&thread, &attributes, thread_main, arguments);
    (void)pthread_attr_destroy(&attributes);
    if (failed != 0) {
      default_allocator().deallocate(arguments, sizeof(start_arguments), alignof(start_arguments),
                                     memory_tag::base);
      return tl::unexpected<error>(os_failure(failed, "cannot start a thread"));
    }
    return thread_handle{static_cast<std::uintptr_t>(thread)};
  }

  void join(thread_handle thread) noexcept override {
    (void)pthread_join(static_cast<pthread_t>(thread.value), nullptr);
  }
};

}  // namespace

thread_factory& default_thread_factory() noexcept {
  static posix_thread_factory instance;
  return instance;
}

unsigned processor_count() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  long count = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
  if (count <= 0) count = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  const auto usable = static_cast<unsigned>(count);
  const unsigned granted = base_detail::processors_granted();
  return granted == 0 ? usable : std::min(usable, granted);
}

std::uint64_t now_ns() noexcept {
  return read_clock(CLOCK_MONOTONIC);
}

std::uint64_t thread_cpu_ns() noexcept {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

// glibc reads it from the rseq area that the kernel keeps up to date.
unsigned base_detail::this_processor() noexcept {
  const int number = sched_getcpu();
  return number >= 0 ? static_cast<unsigned>(number) : 0;
}

void base_detail::sharpen_timers() noexcept {
  (void)prctl(PR_SET_TIMERSLACK, 1UL);
}

void yield_thread() noexcept {
  (void)sched_yield();
}

}  // namespace overture
