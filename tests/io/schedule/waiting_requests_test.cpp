// SPDX-License-Identifier: Zlib
//
// What waits, what goes next, and how packed requests wait for room.
#include "io/schedule/waiting_requests.hpp"

#include <gtest/gtest.h>

#include "io/unpack/part_samples.hpp"

namespace overture::io_detail::waiting_requests_test {
namespace {

using test::other_file;
using test::some_file;
using test::wanting;
using test::wanting_packed;

constexpr waiting_rules plain{.store = {}, .packed_bytes_max = 100, .merge_bytes_max = 0};

read_request* take_first(waiting_requests& from, read_operation& op) {
  read_request* const chosen = from.choose(0);
  if (chosen) from.take_into(op, *chosen, from.level_of(*chosen));
  return chosen;
}

TEST(waiting_requests, the_next_read_begins_where_the_last_one_ended) {
  waiting_requests all(default_allocator(), plain);
  read_request low = wanting(0);
  read_request middle = wanting(100);
  read_request high = wanting(110);
  for (read_request* each : {&low, &high, &middle}) ASSERT_TRUE(all.add(*each, 0));
  all.set_head({position_of(0, some_file, 0).file, 50});
  read_operation op;
  EXPECT_EQ(take_first(all, op), &middle);
  EXPECT_EQ(take_first(all, op), &high);
  EXPECT_EQ(take_first(all, op), &low);
  EXPECT_EQ(take_first(all, op), nullptr);
}

TEST(waiting_requests, neighbours_are_taken_into_one_operation) {
  waiting_requests all(default_allocator(), {.store = {}, .merge_bytes_max = 25});
  read_request three[] = {wanting(10), wanting(0), wanting(20)};
  for (read_request& each : three) ASSERT_TRUE(all.add(each, 0));
  read_operation op;
  EXPECT_EQ(take_first(all, op), &three[1]);
  ASSERT_EQ(op.members().size(), 2u);
  EXPECT_EQ(op.members()[1], &three[0]);
  EXPECT_EQ(all.size(), 1u);
}

TEST(waiting_requests, packed_requests_wait_for_room_while_others_go_on) {
  waiting_requests all(default_allocator(), plain);
  read_request first = wanting_packed(0, 80);
  read_request second = wanting_packed(100, 30);
  read_request stored = wanting(200);
  for (read_request* each : {&first, &second, &stored}) ASSERT_TRUE(all.add(*each, 0));
  read_operation op;
  EXPECT_EQ(take_first(all, op), &first);
  EXPECT_EQ(take_first(all, op), &stored);
  EXPECT_EQ(take_first(all, op), nullptr) << "30 more would be over 100";
  EXPECT_FALSE(all.has_choice(0));
  all.free_packed(80);
  EXPECT_TRUE(all.has_choice(0));
  EXPECT_EQ(take_first(all, op), &second);
  EXPECT_EQ(all.packed_bytes(), 30u);
  EXPECT_EQ(all.packed_bytes_peak(), 80u);
}

TEST(waiting_requests, a_packed_request_alone_may_be_larger_than_the_limit) {
  waiting_requests all(default_allocator(), plain);
  read_request large = wanting_packed(0, 5'000);
  ASSERT_TRUE(all.add(large, 0));
  read_operation op;
  EXPECT_EQ(take_first(all, op), &large);
}

TEST(waiting_requests, a_request_that_was_put_back_keeps_its_level) {
  waiting_requests all(default_allocator(), plain);
  read_request low = wanting(0);
  low.priority = read_priority::low;
  read_request normal = wanting(500);
  ASSERT_TRUE(all.put_back(low, static_cast<std::uint8_t>(read_priority::high)));
  ASSERT_TRUE(all.add(normal, 0));
  EXPECT_TRUE(all.outranks(static_cast<std::uint8_t>(read_priority::normal)));
  EXPECT_FALSE(all.outranks(static_cast<std::uint8_t>(read_priority::high)));
  read_operation op;
  EXPECT_EQ(take_first(all, op), &low);
}

TEST(waiting_requests, all_of_a_source_or_a_tag_are_removed_from_both_stores) {
  waiting_requests all(default_allocator(), plain);
  read_request stored = wanting(0);
  read_request packed = wanting_packed(0, 10);
  read_request other = wanting(0, 10, other_file);
  other.tag = 7;
  for (read_request* each : {&stored, &packed, &other}) ASSERT_TRUE(all.add(*each, 0));
  int removed = 0;
  all.remove_source(some_file, [&](read_request&) { ++removed; });
  EXPECT_EQ(removed, 2);
  EXPECT_TRUE(all.holds(other));
  all.remove_tagged(~0ull, 7, [&](read_request&) { ++removed; });
  EXPECT_EQ(removed, 3);
  EXPECT_EQ(all.size(), 0u);
}

}  // namespace
}  // namespace overture::io_detail::waiting_requests_test
