// SPDX-License-Identifier: Zlib
#include "load/scratch.hpp"

#include <gtest/gtest.h>

namespace overture::scratch_test {
namespace {

using load_detail::loader_scratch;
using load_detail::scratch_shelf;

struct scratch : ::testing::Test {
  tracking_allocator memory;
  buffer_pool buffers{{.memory = &memory}};
  scratch_shelf shelf{memory};
};

TEST_F(scratch, is_kept_for_the_next_loader_of_the_thread) {
  const std::byte* first = nullptr;
  {
    loader_scratch mine(shelf, buffers, 1u << 20);
    first = mine.packed(100).data();
    ASSERT_NE(first, nullptr);
    EXPECT_NE(mine.unpacked(100).data(), first);
  }
  loader_scratch next(shelf, buffers, 1u << 20);
  EXPECT_EQ(next.packed(200).data(), first);
}

TEST_F(scratch, gives_nothing_of_more_than_its_most) {
  loader_scratch mine(shelf, buffers, 1000);
  EXPECT_EQ(mine.packed(1000).size(), 1000u);
  EXPECT_TRUE(mine.packed(1001).empty());
  EXPECT_TRUE(mine.packed(0).empty());
  loader_scratch none(shelf, buffers, 0);
  EXPECT_TRUE(none.packed(1).empty());
  EXPECT_NE(none.decompressor(), nullptr);
}

TEST_F(scratch, gives_the_buffer_away_that_holds_a_file) {
  loader_scratch mine(shelf, buffers, 1u << 20);
  const std::span<std::byte> packed = mine.packed(100);
  const std::span<std::byte> unpacked = mine.unpacked(100);
  blob own_packed;
  blob own_unpacked;
  mine.give(unpacked.subspan(10), own_packed, own_unpacked);
  EXPECT_TRUE(own_packed.empty());
  EXPECT_EQ(own_unpacked.span().data(), unpacked.data());
  EXPECT_EQ(mine.packed(50).data(), packed.data());
  EXPECT_NE(mine.unpacked(50).data(), unpacked.data());
}

TEST_F(scratch, has_nothing_to_give_of_content_that_is_elsewhere) {
  loader_scratch mine(shelf, buffers, 1u << 20);
  const std::span<std::byte> packed = mine.packed(100);
  blob own_packed;
  blob own_unpacked;
  const std::byte elsewhere[10] = {};
  mine.give(elsewhere, own_packed, own_unpacked);
  mine.give({}, own_packed, own_unpacked);
  EXPECT_TRUE(own_packed.empty() && own_unpacked.empty());
  EXPECT_EQ(mine.packed(100).data(), packed.data());
}

TEST_F(scratch, gives_all_memory_back) {
  const auto before = memory.total().bytes;
  {
    buffer_pool own_buffers{{.memory = &memory}};
    scratch_shelf own(memory);
    loader_scratch mine(own, own_buffers, 1u << 20);
    (void)mine.packed(100);
    loader_scratch other(own, own_buffers, 1u << 20);
    (void)other.packed(100);
  }
  EXPECT_EQ(memory.total().bytes, before);
}

}  // namespace
}  // namespace overture::scratch_test
