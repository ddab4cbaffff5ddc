// SPDX-License-Identifier: Zlib
#include <process.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include "base/system/paths_windows.hpp"
#include "base/threads/processor.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace {

struct start_arguments {
  void (*entry)(void*) noexcept;
  void* argument;
  thread_priority priority;
  std::uint64_t affinity_mask;
  wchar_t name[32];
};

int level_of(thread_priority priority) noexcept {
  switch (priority) {
    case thread_priority::low:
      return THREAD_PRIORITY_BELOW_NORMAL;
    case thread_priority::normal:
      return THREAD_PRIORITY_NORMAL;
    case thread_priority::above_normal:
      return THREAD_PRIORITY_ABOVE_NORMAL;
    case thread_priority::high:
      return THREAD_PRIORITY_HIGHEST;
  }
  return THREAD_PRIORITY_NORMAL;
}

// Since Windows 10 of 2016, and so not in every import library.
void name_this_thread(const wchar_t* name) noexcept {
  using function = HRESULT(WINAPI*)(HANDLE, const wchar_t*);
  static const auto set_name = [] {
    const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    const FARPROC found = kernel ? GetProcAddress(kernel, "SetThreadDescription") : nullptr;
    return reinterpret_cast<function>(reinterpret_cast<void*>(found));
  }();
  if (set_name) (void)set_name(GetCurrentThread(), name);
}

unsigned __stdcall thread_main(void* raw) {
  auto* const heap = static_cast<start_arguments*>(raw);
  const start_arguments arguments = *heap;
  default_allocator().deallocate(heap, sizeof(start_arguments), alignof(start_arguments),
                                 memory_tag::base);
  name_this_thread(arguments.name);
  if (arguments.priority != thread_priority::normal) {
    (void)SetThreadPriority(GetCurrentThread(), level_of(arguments.priority));
  }
  if (arguments.affinity_mask != 0) {
    (void)SetThreadAffinityMask(GetCurrentThread(), arguments.affinity_mask);
  }
  arguments.entry(arguments.argument);
  return 0;
}

class windows_thread_factory final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options& options, void (*entry)(void*) noexcept,
                              void* argument) override {
    void* const memory = default_allocator().allocate(sizeof(start_arguments),
                                                      alignof(start_arguments), memory_tag::base);
    if (!memory) return fail(errc::out_of_memory, "out of memory for a new thread");
    auto* const arguments = ::new (memory)
        start_arguments{entry, argument, options.priority, options.affinity_mask, {}};
    std::size_t length = 0;
    (void)base_detail::to_utf16(options.name, std::span(arguments->name).first(31), length);
    const auto stack = static_cast<unsigned>(std::min<std::size_t>(options.stack_bytes, 1u << 30));
    const std::uintptr_t thread =
        _beginthreadex(nullptr, stack, thread_main, arguments,
                       stack != 0 ? STACK_SIZE_PARAM_IS_A_RESERVATION : 0, nullptr);
    if (thread == 0) {
      const int failed = errno;
      default_allocator().deallocate(arguments, sizeof(start_arguments), alignof(start_arguments),
                                     memory_tag::base);
      return tl::unexpected<error>(os_failure(failed, "cannot start a thread"));
    }
    return thread_handle{thread};
  }

  void join(thread_handle thread) noexcept override {
    auto* const handle = reinterpret_cast<HANDLE>(thread.value);
    (void)WaitForSingleObject(handle, INFINITE);
    (void)CloseHandle(handle);
  }
};

}  // namespace

thread_factory& default_thread_factory() noexcept {
  static windows_thread_factory instance;
  return instance;
}

unsigned processor_count() noexcept {
  DWORD_PTR process = 0;
  DWORD_PTR system = 0;
  // Zero where the process runs on several groups of 64 processors.
  if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system) && process != 0) {
    return static_cast<unsigned>(std::popcount(static_cast<std::uint64_t>(process)));
  }
  return std::max<unsigned>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1);
}

std::uint64_t now_ns() noexcept {
  static const std::uint64_t frequency = [] {
    LARGE_INTEGER ticks;
    (void)QueryPerformanceFrequency(&ticks);
    return static_cast<std::uint64_t>(ticks.QuadPart);
  }();
  LARGE_INTEGER now;
  (void)QueryPerformanceCounter(&now);
  const auto ticks = static_cast<std::uint64_t>(now.QuadPart);
  constexpr std::uint64_t second_ns = 1'000'000'000;
  // In two parts, because the product would overflow.
  return ticks / frequency * second_ns + ticks % frequency * second_ns / frequency;
}

std::uint64_t thread_cpu_ns() noexcept {
  FILETIME made;
  FILETIME ended;
  FILETIME kernel;
  FILETIME user;
  if (!GetThreadTimes(GetCurrentThread(), &made, &ended, &kernel, &user)) return 0;
  const auto units = [](FILETIME time) {
    return std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  };
  return (units(kernel) + units(user)) * 100;
}

unsigned base_detail::this_processor() noexcept {
  return GetCurrentProcessorNumber();
}

// The resolution of timers is a setting of the whole system, so it is the host's to choose.
void base_detail::sharpen_timers() noexcept {}

void yield_thread() noexcept {
  (void)SwitchToThread();
}

}  // namespace overture
