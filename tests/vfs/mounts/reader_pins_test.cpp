// SPDX-License-Identifier: Zlib
#include "vfs/mounts/reader_pins.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/failing_allocator.hpp"

namespace overture::vfs_detail::reader_pins_test {
namespace {

// Ends the epoch, followed by the fence.
std::uint64_t end_epoch(reader_pins& pins) {
  const std::uint64_t ended = pins.advance();
  pins.fence();
  return ended;
}

TEST(reader_pins, know_when_the_readers_of_an_epoch_have_left) {
  reader_pins pins(default_allocator());
  reader_pins::stripe& here = pins.mine();
  pins.enter(here);
  const std::uint64_t first = pins.advance();
  EXPECT_FALSE(pins.have_left(first)) << "nothing is known before the fence";
  pins.fence();
  EXPECT_FALSE(pins.have_left(first));
  EXPECT_EQ(pins.leave(here), first) << "the last one of that epoch";
  EXPECT_TRUE(pins.have_left(first));

  pins.enter(here);
  EXPECT_TRUE(pins.have_left(first)) << "who enters later does not count";
  EXPECT_FALSE(pins.have_left(end_epoch(pins)));
  EXPECT_NE(pins.leave(here), first);
}

TEST(reader_pins, keep_the_epoch_of_the_outermost_of_nested_readers) {
  reader_pins pins(default_allocator());
  reader_pins::stripe& here = pins.mine();
  pins.enter(here);
  const std::uint64_t first = end_epoch(pins);
  pins.enter(here);
  EXPECT_EQ(pins.leave(here), 0u);
  EXPECT_FALSE(pins.have_left(first));
  EXPECT_EQ(pins.leave(here), first);
  EXPECT_TRUE(pins.have_left(first));
}

TEST(reader_pins, count_files_that_are_closed_on_another_thread) {
  reader_pins pins(default_allocator());
  pins.pin(7);
  pins.pin(7);
  std::thread([&] { pins.unpin(7); }).join();
  EXPECT_FALSE(pins.unpinned(7));
  EXPECT_TRUE(pins.unpinned(6));
  std::thread([&] { pins.unpin(7); }).join();
  EXPECT_TRUE(pins.unpinned(7));
}

TEST(reader_pins, share_a_stripe_if_out_of_memory) {
  failing_allocator memory(0, true);
  reader_pins pins(memory);
  reader_pins::stripe& here = pins.mine();
  std::thread([&] {
    EXPECT_EQ(&pins.mine(), &here);
    pins.enter(pins.mine());
  }).join();
  pins.enter(here);
  const std::uint64_t epoch = end_epoch(pins);
  EXPECT_EQ(pins.leave(here), 0u);
  EXPECT_FALSE(pins.have_left(epoch));
  EXPECT_EQ(pins.leave(here), epoch);
  pins.pin(1);
  EXPECT_FALSE(pins.unpinned(1));
  pins.unpin(1);
  EXPECT_TRUE(pins.unpinned(1));
}

}  // namespace
}  // namespace overture::vfs_detail::reader_pins_test
