// SPDX-License-Identifier: Zlib
//
// What a load waits for, in words.
#include <gtest/gtest.h>

#include <string>

#include "overture/load/load_scope.hpp"

namespace overture::progress_test {
namespace {

TEST(what_a_load_waits_for, is_a_sentence) {
  const auto said = [](const load_progress& now) {
    char text[200];
    return std::string(text, explain(now, text));
  };
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({.awaiting_pump = 7}), "7 files wait for pump() on the main thread");
  EXPECT_EQ(said({.awaiting_memory = 1}), "1 file waits for memory");
  EXPECT_EQ(said({.awaiting_reads = 2, .awaiting_memory = 3, .awaiting_pump = 1}),
            "1 file waits for pump() on the main thread, 3 files wait for memory, 2 files wait for "
            "the disk");
  char few[8];
  EXPECT_EQ(explain({.awaiting_memory = 1}, few), 7u);
  EXPECT_STREQ(few, "1 file ");
  EXPECT_EQ(explain({.awaiting_memory = 1}, {}), 0u);
}

}  // namespace
}  // namespace overture::progress_test
