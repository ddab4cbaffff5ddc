// SPDX-License-Identifier: Zlib
#include "overture/base/blob.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "overture/base/allocator.hpp"
#include "support/failing_allocator.hpp"

namespace overture::blob_test {
namespace {

TEST(buffer_pool, blob_has_the_size_asked_for_and_is_aligned) {
  buffer_pool pool;
  for (const std::size_t bytes : {0u, 1u, 63u, 1024u, 1025u, 70'000u, 5'000'000u}) {
    result<blob> taken = pool.take(bytes);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken->data()) % 64, 0u);
    std::memset(taken->data(), 0xAB, bytes + 32);  // the promised slack; ASan watches
  }
}

TEST(buffer_pool, returned_block_is_handed_out_again) {
  buffer_pool pool;
  std::byte* first = nullptr;
  {
    result<blob> taken = pool.take(10'000);
    ASSERT_TRUE(taken);
    first = taken->data();
  }
  EXPECT_GT(pool.kept_bytes(), 0u);
  result<blob> again = pool.take(10'100);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->data(), first);
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

TEST(buffer_pool, keeps_no_more_than_its_limit) {
  tracking_allocator memory;
  buffer_pool pool({.memory = &memory, .kept_bytes_max = 100'000, .block_bytes_max = 50'000});
  {
    std::vector<blob> blobs;
    for (int i = 0; i < 10; ++i) blobs.push_back(std::move(*pool.take(40'000)));
    blobs.push_back(std::move(*pool.take(60'000)));
  }
  EXPECT_LE(pool.kept_bytes(), 100'000u);
  EXPECT_GT(pool.kept_bytes(), 0u);
  pool.trim();
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

TEST(buffer_pool, gives_everything_back_at_its_end) {
  tracking_allocator memory;
  {
    buffer_pool pool({.memory = &memory});
    for (const std::size_t bytes : {100u, 10'000u, 1'000'000u}) (void)pool.take(bytes);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(buffer_pool, refused_memory_is_an_error_at_each_call) {
  for (std::uint64_t refused = 0; refused < 4; ++refused) {
    failing_allocator memory(refused, true);
    buffer_pool pool({.memory = &memory});
    const result<blob> taken = pool.take(1000);
    if (memory.refusals() > 0) {
      ASSERT_FALSE(taken);
      EXPECT_EQ(taken.error().code, errc::out_of_memory);
    } else {
      EXPECT_TRUE(taken);
    }
  }
}

TEST(buffer_pool, works_once_memory_that_was_refused_is_there_again) {
  for (std::uint64_t refused = 0; refused < 4; ++refused) {
    failing_allocator memory(refused);
    {
      buffer_pool pool({.memory = &memory});
      (void)pool.take(1000);
      EXPECT_TRUE(pool.take(1000)) << refused;
      pool.trim();
    }
    EXPECT_EQ(memory.live_bytes(), 0);
  }
}

TEST(buffer_pool, blobs_may_end_on_any_thread) {
  buffer_pool pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::size_t bytes = 500u + static_cast<unsigned>(t * 37 + i) % 3000u;
        result<blob> taken = pool.take(bytes);
        ASSERT_TRUE(taken);
        std::memset(taken->data(), t, bytes);
        EXPECT_EQ(taken->data()[bytes - 1], static_cast<std::byte>(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(blob, moves_and_shrinks) {
  buffer_pool pool;
  blob first = std::move(*pool.take(100));
  blob second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): the moved-from state is the point
  second.shrink(40);
  EXPECT_EQ(second.size(), 40u);
  second.shrink(90);
  EXPECT_EQ(second.size(), 40u);
  second.reset();
  EXPECT_TRUE(second.empty());
}

}  // namespace
}  // namespace overture::blob_test
