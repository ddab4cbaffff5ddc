// SPDX-License-Identifier: Zlib
//
// What a loader takes ahead of a ledger. Files in solid blocks: solid_block_test.cpp.
#include "load/file_room.hpp"

#include <gtest/gtest.h>

namespace overture::file_room_test {
namespace {

using load_detail::room_credit;

struct room_taken_ahead : ::testing::Test {
  memory_ledger ledger{1000};
  bool ticket = false;
};

TEST_F(room_taken_ahead, serves_small_files_without_the_ledger) {
  room_credit credit(ledger, 100);
  ASSERT_TRUE(credit.take(30, ticket));
  EXPECT_EQ(ledger.used(), 100u);
  ASSERT_TRUE(credit.take(70, ticket));
  EXPECT_EQ(ledger.used(), 100u);
  credit.give_back(30, false);
  credit.give_back(70, false);
  EXPECT_EQ(ledger.used(), 100u);
  credit.return_all();
  EXPECT_EQ(ledger.used(), 0u);
}

TEST_F(room_taken_ahead, is_returned_before_a_file_is_refused) {
  bool other_ticket = false;
  ASSERT_TRUE(ledger.take(950, memory_tag::decode, other_ticket));
  ASSERT_TRUE(ledger.take(51, memory_tag::decode, other_ticket) && other_ticket);
  ledger.give_back(951, memory_tag::decode);
  room_credit credit(ledger, 100);
  ASSERT_TRUE(credit.take(10, ticket));
  EXPECT_EQ(ledger.used(), 150u);
  EXPECT_FALSE(credit.take(990, ticket));
  EXPECT_EQ(ledger.used(), 60u);  // the file in flight and the other item
  credit.give_back(10, false);
  credit.return_all();
  ledger.give_back(50, memory_tag::decode);
  ledger.end_item(other_ticket);
}

TEST_F(room_taken_ahead, is_bounded) {
  room_credit credit(ledger, 100);
  ASSERT_TRUE(credit.take(500, ticket));
  credit.give_back(200, false);
  EXPECT_EQ(ledger.used(), 500u);
  credit.give_back(300, false);
  EXPECT_EQ(ledger.used(), 200u);
  credit.return_all();
  EXPECT_EQ(ledger.used(), 0u);
}

TEST_F(room_taken_ahead, is_none_where_the_share_is_nothing) {
  room_credit credit(ledger, 0);
  ASSERT_TRUE(credit.take(30, ticket));
  EXPECT_EQ(ledger.used(), 30u);
  credit.add(5);
  EXPECT_EQ(ledger.used(), 35u);
  credit.give_back(35, false);
  EXPECT_EQ(ledger.used(), 0u);
}

TEST_F(room_taken_ahead, goes_back_at_once_past_the_limit) {
  room_credit credit(ledger, 100);
  ASSERT_TRUE(credit.take(1200, ticket));
  EXPECT_TRUE(ticket);
  credit.give_back(50, ticket);
  EXPECT_EQ(ledger.used(), 1150u);
  credit.give_back(1150, ticket);
  EXPECT_EQ(ledger.used(), 0u);
  ledger.end_item(ticket);
}

}  // namespace
}  // namespace overture::file_room_test
