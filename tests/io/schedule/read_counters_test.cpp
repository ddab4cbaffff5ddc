// SPDX-License-Identifier: Zlib
//
// What a queue counts, and what it owes to its files.
#include "io/schedule/read_counters.hpp"

#include <gtest/gtest.h>

#include "io/schedule/file_ledger.hpp"

namespace overture::io_detail::read_counters_test {
namespace {

TEST(read_counters, outstanding_is_what_was_submitted_and_has_not_completed) {
  read_counters all;
  all.note_submitted(5);
  read_tally tally;
  tally.completed = 3;
  tally.failed = 1;
  tally.bytes = 100;
  all.add(tally);
  all.add_outstanding();
  EXPECT_EQ(all.outstanding(), 3u);
  all.remove_outstanding();
  EXPECT_EQ(all.outstanding(), 2u);
  EXPECT_EQ(all.sums().in_flight_max, 5u);
  EXPECT_EQ(all.sums().failed, 1u);
  EXPECT_EQ(all.bytes(), 100u);
}

TEST(read_counters, the_first_frame_is_marked_once) {
  read_counters all;
  all.note_submitted(2);
  EXPECT_EQ(all.sums().before_first_frame, 2u) << "all so far";
  all.mark_first_frame();
  all.note_submitted(2);
  all.mark_first_frame();
  EXPECT_EQ(all.sums().before_first_frame, 2u);
}

TEST(read_counters, a_read_that_was_recalled_was_never_begun) {
  read_counters all;
  all.note_begun(4);
  all.note_begun(1);
  all.note_recalled(4);
  EXPECT_EQ(all.reads(), 1u);
  EXPECT_EQ(all.sums().merged, 0u);
}

TEST(read_counters, a_view_is_no_read) {
  read_counters all;
  all.note_begun(1);
  read_tally tally;
  tally.viewed = 1;
  all.note_ended(tally);
  EXPECT_EQ(all.reads(), 0u);
}

TEST(read_counters, the_usual_time_follows_the_reads_that_ended_lately) {
  read_counters all;
  EXPECT_EQ(all.usual_read_ns(), 0u);
  read_tally tally;
  tally.completed = 2;
  tally.service_ns = 2'000'000;
  for (int i = 0; i < 100; ++i) all.note_ended(tally);
  EXPECT_NEAR(static_cast<double>(all.usual_read_ns()), 1e6, 1e4);
}

TEST(file_ledger, gives_no_more_turns_than_it_has) {
  file_ledger files;
  EXPECT_FALSE(files.take_permit());
  files.add_permits(3);
  EXPECT_TRUE(files.take_permit());
  files.take_permits(2);
  EXPECT_FALSE(files.take_permit());
  files.add_permits(1);
  EXPECT_EQ(files.permits(), 1u);
}

TEST(file_ledger, sums_the_files_that_were_used) {
  file_ledger files;
  files.add({.hits = 2, .opens = 1});
  files.add({.hits = 1, .opens = 0});
  EXPECT_EQ(files.counts().hits, 3u);
  EXPECT_EQ(files.counts().opens, 1u);
}

}  // namespace
}  // namespace overture::io_detail::read_counters_test
