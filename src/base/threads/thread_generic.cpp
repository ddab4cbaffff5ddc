// SPDX-License-Identifier: Zlib
//
// Threads of the C++ standard library alone, for platforms without a native file. Ignores name,
// priority, affinity and stack size.
#include <chrono>
#include <new>
#include <thread>

#include "base/guarded_call.hpp"
#include "base/threads/processor.hpp"
#include "base/vec.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace {

class generic_thread_factory final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options&, void (*entry)(void*) noexcept,
                              void* argument) override {
    auto* const thread =
        base_detail::make_object<std::thread>(default_allocator(), memory_tag::base);
    if (!thread) return fail(errc::out_of_memory, "out of memory for a new thread");
    // A few bytes of std::thread's own are lost if it throws.
    const base_detail::outcome how =
        base_detail::guarded_outcome([&] { *thread = std::thread(entry, argument); });
    if (how == base_detail::outcome::returned) {
      return thread_handle{reinterpret_cast<std::uintptr_t>(thread)};
    }
    base_detail::destroy_object(default_allocator(), memory_tag::base, thread);
    return fail(errc::out_of_memory, "cannot start a thread");
  }

  void join(thread_handle handle) noexcept override {
    auto* const thread = reinterpret_cast<std::thread*>(handle.value);
    thread->join();
    base_detail::destroy_object(default_allocator(), memory_tag::base, thread);
  }
};

}  // namespace

thread_factory& default_thread_factory() noexcept {
  static generic_thread_factory instance;
  return instance;
}

unsigned base_detail::this_processor() noexcept {
  return 0;
}

unsigned processor_count() noexcept {
  const unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::uint64_t thread_cpu_ns() noexcept {
  return 0;
}

void base_detail::sharpen_timers() noexcept {}

void yield_thread() noexcept {
  std::this_thread::yield();
}

}  // namespace overture
