// SPDX-License-Identifier: Zlib
#include "watching/program_code.hpp"

#include <gtest/gtest.h>
#include <search.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace overture::cli::program_code_test {
namespace {

const auto own_process = static_cast<std::uint64_t>(::getpid());

// What is on the stack around this, as another process would read it.
__attribute__((noinline)) std::vector<std::uint64_t> words_around() {
  std::vector<std::uint64_t> words(256);
  iovec to{.iov_base = words.data(), .iov_len = words.size() * sizeof words[0]};
  iovec from{.iov_base = __builtin_frame_address(0), .iov_len = to.iov_len};
  const ssize_t read = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  words.resize(read > 0 ? static_cast<std::size_t>(read) / sizeof words[0] : 0);
  return words;
}

std::vector<std::uint64_t> stack_in_call;
int looks(const void*, const void*) {
  stack_in_call = words_around();
  return 0;
}

// In the middle of a function of the C library.
__attribute__((noinline)) void calls_library() {
  std::size_t count = 1;
  const int one = 1;
  stack_in_call.clear();
  if (::lfind(&one, &one, &count, sizeof one, looks) == nullptr) std::abort();
}

std::uint64_t begin_of(void (*function)()) {
  return reinterpret_cast<std::uintptr_t>(function);
}

TEST(program_code, the_caller_is_who_called_the_function_that_the_thread_is_in) {
  if (!program_code::knows_calls()) return;
  calls_library();
  const std::uint64_t begin = begin_of(calls_library);
  program_code code;
  code.add(own_process, begin, begin + 1024, "/game/bin/game");
  const std::uint64_t caller = code.caller_of(own_process, 0, stack_in_call);
  EXPECT_GT(caller, begin);
  EXPECT_EQ(code.caller_of(own_process + 1, 0, stack_in_call), 0u) << "of another process";
  // Left by a call that is over: the thread is elsewhere.
  const std::uint64_t left[] = {3, caller, begin + 1};
  EXPECT_EQ(code.caller_of(own_process, 0, left), 0u);
}

TEST(program_code, libraries_of_the_system_are_not_the_programs_own) {
  const auto is_own = [](const char* path) {
    program_code code;
    code.add(7, 0x1000, 0x2000, path);
    return code.is_own(7, 0x1000) && !code.is_own(7, 0x2000) && !code.is_own(8, 0x1000);
  };
  for (const char* const each :
       {"/home/me/game/game", "/opt/game/libengine.so", "/usr/lib/ioquake3/ioquake3"}) {
    EXPECT_TRUE(is_own(each)) << each;
  }
  for (const char* const each : {"/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux.so.2",
                                 "/opt/overture/liboverture-watch.so", "[vdso]", "//anon"}) {
    EXPECT_FALSE(is_own(each)) << each;
  }
}

}  // namespace
}  // namespace overture::cli::program_code_test
