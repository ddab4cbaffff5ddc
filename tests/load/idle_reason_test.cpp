// SPDX-License-Identifier: Zlib
#include "load/idle_reason.hpp"

#include <gtest/gtest.h>

namespace overture::load_detail::idle_reason_test {
namespace {

struct idle_case {
  const char* state;
  idle_facts facts;
  const char* reason;
};

class idle_reasons_of_a_load : public testing::TestWithParam<idle_case> {};

TEST_P(idle_reasons_of_a_load, follow_from_its_state) {
  EXPECT_STREQ(idle_reason(GetParam().facts), GetParam().reason) << GetParam().state;
}

INSTANTIATE_TEST_SUITE_P(
    All, idle_reasons_of_a_load,
    testing::Values(
        idle_case{"one file, being read", {.reads = 1, .reads_at_once = 8}, idle_reasons::read},
        idle_case{"one file, being decoded", {.reads_at_once = 8}, idle_reasons::nothing_left},
        idle_case{"files that take longer than the main thread has",
                  {.reads_at_once = 8, .for_workers = 3},
                  idle_reasons::for_workers},
        idle_case{"such files, and others that may begin",
                  {.reads_at_once = 8, .for_workers = 3, .has_files_left = true},
                  idle_reasons::to_run},
        idle_case{"four files, three read and one decoded",
                  {.reads = 3, .reads_at_once = 8},
                  idle_reasons::read},
        idle_case{"files that no thread has come for yet",
                  {.reads_at_once = 8, .has_files_left = true},
                  idle_reasons::to_run},
        idle_case{"a read that has ended while the processors were busy",
                  {.reads = 7, .reads_at_once = 8, .arrived = 1},
                  idle_reasons::to_run},
        idle_case{"a slow disk, and many files",
                  {.reads = 5, .reads_at_once = 8, .has_files_left = true},
                  idle_reasons::read},
        idle_case{"a budget full of reads that wait for the disk: more memory would not help",
                  {.reads = 8, .reads_at_once = 8, .awaiting_room = 3, .has_files_left = true},
                  idle_reasons::read},
        idle_case{"a block that another thread unpacks, and two that wait for it",
                  {.reads = 3, .reads_of_blocks = 3, .reads_at_once = 8},
                  idle_reasons::solid_block},
        idle_case{"all reads that the queue does at a time, of one block",
                  {.reads = 8, .reads_of_blocks = 8, .reads_at_once = 8, .awaiting_room = 3},
                  idle_reasons::solid_block},
        idle_case{"a block and a file that is in none",
                  {.reads = 3, .reads_of_blocks = 2, .reads_at_once = 8},
                  idle_reasons::read},
        idle_case{"a budget too small for the disk",
                  {.reads = 2, .reads_at_once = 8, .awaiting_room = 3, .has_files_left = true},
                  idle_reasons::budget},
        idle_case{"a budget full of files that are being decoded",
                  {.reads_at_once = 8, .awaiting_room = 1},
                  idle_reasons::budget},
        idle_case{"a budget full of files that the main thread has not come to",
                  {.reads_at_once = 8, .awaiting_room = 1, .awaiting_main_thread = 9},
                  idle_reasons::main_thread},
        idle_case{"only the main thread has something to do",
                  {.reads_at_once = 8, .awaiting_main_thread = 1},
                  idle_reasons::main_thread}),
    [](const auto& named) {
      std::string text = named.param.state;
      for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return text;
    });

}  // namespace
}  // namespace overture::load_detail::idle_reason_test
