// SPDX-License-Identifier: Zlib
//
// Every allocating function of the C library is counted under its name.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <string>

#include "overture/base/guards.hpp"

namespace overture::guards_heap_posix_test {
namespace {

std::string counted;  // the first call of the last scope

void remember(const guard_report& seen) noexcept {
  counted = std::string(seen.first).substr(0, std::string(seen.first).find(','));
}

// The pointer escapes, so that the call is not optimised away.
void* volatile taken = nullptr;

// Only the call itself is inside the scope.
template <class Take>
std::string counts(Take take) {
  counted.clear();
  {
    const no_alloc_scope no_alloc(remember);
    taken = take();
  }
  EXPECT_NE(taken, nullptr);
  return counted;
}

TEST(guards_of_the_heap, count_every_way_to_take_memory) {
  ASSERT_TRUE(guards_active());
  volatile std::size_t bytes = 64;  // so that the size is not known either
  const auto counts_and_frees = [](auto take) {
    const std::string name = counts(take);
    std::free(taken);
    return name;
  };
  EXPECT_EQ(counts_and_frees([&] { return std::malloc(bytes); }), "malloc");
  EXPECT_EQ(counts_and_frees([&] { return std::calloc(bytes, 2); }), "calloc");
  EXPECT_EQ(counts_and_frees([&] { return std::aligned_alloc(64, bytes); }), "aligned_alloc");
  EXPECT_EQ(counts_and_frees([&] { return memalign(64, bytes); }), "memalign");
  EXPECT_EQ(counts_and_frees([&] { return valloc(bytes); }), "valloc");
  EXPECT_EQ(counts_and_frees([&] { return pvalloc(bytes); }), "pvalloc");
  EXPECT_EQ(counts_and_frees([&] {
              void* place = nullptr;
              return posix_memalign(&place, 64, bytes) == 0 ? place : nullptr;
            }),
            "posix_memalign");
  void* const first = std::malloc(bytes);
  EXPECT_EQ(counts([&] { return std::realloc(first, 2 * bytes); }), "realloc");
  void* const second = taken;
  EXPECT_EQ(counts_and_frees([&] { return reallocarray(second, bytes, 4); }), "reallocarray");
}

}  // namespace
}  // namespace overture::guards_heap_posix_test
