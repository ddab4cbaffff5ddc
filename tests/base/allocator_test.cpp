// SPDX-License-Identifier: Zlib
#include "overture/base/allocator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/vec.hpp"
#include "support/failing_allocator.hpp"

namespace overture {
using namespace base_detail;

namespace {

TEST(default_allocator, honours_alignment) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* const memory = default_allocator().allocate(100, alignment, memory_tag::host);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u);
    std::memset(memory, 1, 100);
    default_allocator().deallocate(memory, 100, alignment, memory_tag::host);
  }
}

TEST(tracking_allocator, counts_by_tag_and_remembers_the_peak) {
  tracking_allocator memory;
  void* const a = memory.allocate(100, 8, memory_tag::vfs);
  void* const b = memory.allocate(50, 8, memory_tag::io);
  memory.deallocate(a, 100, 8, memory_tag::vfs);
  EXPECT_EQ(memory.usage(memory_tag::vfs).bytes, 0u);
  EXPECT_EQ(memory.usage(memory_tag::vfs).peak_bytes, 100u);
  EXPECT_EQ(memory.usage(memory_tag::io).bytes, 50u);
  EXPECT_EQ(memory.total().peak_bytes, 150u);
  EXPECT_EQ(memory.total().allocations, 2u);
  memory.deallocate(b, 50, 8, memory_tag::io);
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(tracking_allocator, refusal_is_not_counted) {
  failing_allocator upstream(0);
  tracking_allocator memory(upstream);
  EXPECT_EQ(memory.allocate(10, 8, memory_tag::host), nullptr);
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(vec, grows_keeps_and_moves_its_elements) {
  vec<std::unique_ptr<int>> values(default_allocator(), memory_tag::host);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(values.push_back(std::make_unique<int>(i)));
  vec<std::unique_ptr<int>> moved(std::move(values));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*moved[static_cast<std::size_t>(i)], i);
}

TEST(vec, refused_growth_leaves_the_contents) {
  failing_allocator memory(1, true);
  vec<int> values(memory, memory_tag::host);
  int pushed = 0;
  while (values.push_back(pushed)) ++pushed;
  EXPECT_EQ(values.size(), static_cast<std::size_t>(pushed));
  for (int i = 0; i < pushed; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
  EXPECT_FALSE(values.reserve(SIZE_MAX));
}

}  // namespace
}  // namespace overture
