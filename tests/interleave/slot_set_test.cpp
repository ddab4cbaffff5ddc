// SPDX-License-Identifier: Zlib
//
// Slots of threads that end, taken again by others.
#include "base/threads/slot_set.hpp"

#include <gtest/gtest.h>

#include <array>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::base_detail::slot_set_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

constexpr std::uint32_t count = 64;

TEST(thread_slots_in_all_interleavings, belong_to_one_thread_and_keep_what_it_did) {
  expect_clean_nearby([] {
    slot_set<count> slots;
    std::array<int, count> uses{};  // not atomic: the slot's owner alone touches it
    for (std::uint32_t i = 0; i < count - 3; ++i) (void)slots.take();
    const auto live_and_end = [&] {
      const std::uint32_t slot = slots.take();
      if (slot != slots.shared) ++uses[slot];
      slots.give_back(slot);
    };
    run({[&] {
           live_and_end();
           live_and_end();
         },
         live_and_end, live_and_end});
    check(slots.take() == count - 3 && slots.take() == count - 2, "all are free again");
    check(slots.take() == slots.shared && slots.take() == slots.shared, "the rest share one");
  });
}

}  // namespace
}  // namespace overture::base_detail::slot_set_test
