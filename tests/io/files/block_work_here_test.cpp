// SPDX-License-Identifier: Zlib
#include "io/files/block_work_here.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace overture::io_detail::block_work_here_test {
namespace {

TEST(block_work_here, is_of_the_innermost_scope_of_its_thread) {
  block_work outer;
  block_work inner;
  EXPECT_EQ(block_work_here(), nullptr);
  {
    const block_work_scope noted(outer);
    EXPECT_EQ(block_work_here(), &outer);
    {
      const block_work_scope noted_within(inner);
      EXPECT_EQ(block_work_here(), &inner);
      std::thread([] { EXPECT_EQ(block_work_here(), nullptr); }).join();
    }
    EXPECT_EQ(block_work_here(), &outer);
  }
  EXPECT_EQ(block_work_here(), nullptr);
}

TEST(block_work, of_one_request_is_a_wait_for_those_that_were_read_with_it) {
  const block_work done{
      .used = true, .packed_bytes = 9, .packed_ns = 1, .unpack_ns = 20, .wait_ns = 300};
  const block_work other = done.of_another();
  EXPECT_TRUE(other.used);
  EXPECT_EQ(other.packed_bytes + other.packed_ns + other.unpack_ns, 0u);
  EXPECT_EQ(other.wait_ns, 321u);
  EXPECT_FALSE(block_work{}.of_another().used);
}

}  // namespace
}  // namespace overture::io_detail::block_work_here_test
