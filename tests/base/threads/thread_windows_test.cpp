// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/system/paths_windows.hpp"
#include "base/threads/thread_slot.hpp"
#include "overture/base/thread.hpp"

namespace overture {
using namespace base_detail;

namespace {

struct seen_by_thread {
  std::wstring name;
  int priority = 0;
  std::uint64_t affinity = 0;
};

void look_around(void* raw) noexcept {
  auto& seen = *static_cast<seen_by_thread*>(raw);
  using function = HRESULT(WINAPI*)(HANDLE, wchar_t**);
  const auto get_name = reinterpret_cast<function>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "GetThreadDescription")));
  wchar_t* name = nullptr;
  if (get_name && get_name(GetCurrentThread(), &name) >= 0) {
    seen.name = name;
    LocalFree(name);
  }
  seen.priority = GetThreadPriority(GetCurrentThread());
  seen.affinity = SetThreadAffinityMask(GetCurrentThread(), 1);  // returns the one before
}

TEST(thread_factory, gives_name_priority_affinity_and_stack_and_joins) {
  seen_by_thread seen;
  const result<thread_handle> started =
      default_thread_factory().start({.name = "loader",
                                      .priority = thread_priority::low,
                                      .affinity_mask = 1,
                                      .stack_bytes = 256u << 10},
                                     look_around, &seen);
  ASSERT_TRUE(started);
  default_thread_factory().join(*started);
  EXPECT_EQ(seen.name, L"loader");
  EXPECT_EQ(seen.priority, THREAD_PRIORITY_BELOW_NORMAL);
  EXPECT_EQ(seen.affinity, 1u);
}

TEST(clocks, go_on_and_the_threads_own_counts_only_work) {
  const std::uint64_t start = now_ns();
  const std::uint64_t cpu = thread_cpu_ns();
  while (thread_cpu_ns() == cpu) yield_thread();
  EXPECT_GT(now_ns(), start);
}

// Started without the C library, as a plug-in or a driver may do.
DWORD WINAPI take_slot(void* raw) {
  *static_cast<std::uint32_t*>(raw) = thread_slot();
  return 0;
}

TEST(thread_slot, of_threads_of_the_system_come_back_too) {
  std::uint32_t highest = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::uint32_t slot = 0;
    const HANDLE thread = CreateThread(nullptr, 0, take_slot, &slot, 0, nullptr);
    ASSERT_NE(thread, nullptr);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    highest = std::max(highest, slot);
  }
  EXPECT_LT(highest, 10u);
}

// Of the same thread, after the callback that gives the slot back.
std::uint32_t answer_at_end = 0;
void WINAPI ask_at_end(void*) {
  answer_at_end = thread_slot();
}

TEST(thread_slot, of_a_thread_of_the_system_that_has_given_its_own_back_is_the_shared_one) {
  (void)thread_slot();  // its key is the older one, and so comes first
  static const DWORD key = FlsAlloc(ask_at_end);
  ASSERT_NE(key, FLS_OUT_OF_INDEXES);
  std::uint32_t before = 0;
  const auto run = [](void* raw) -> DWORD {
    (void)FlsSetValue(key, raw);
    return take_slot(raw);
  };
  const HANDLE thread = CreateThread(nullptr, 0, run, &before, 0, nullptr);
  ASSERT_NE(thread, nullptr);
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
  EXPECT_NE(before, shared_thread_slot);
  EXPECT_EQ(answer_at_end, shared_thread_slot);
}

}  // namespace
}  // namespace overture
