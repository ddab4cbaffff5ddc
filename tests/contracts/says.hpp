// SPDX-License-Identifier: Zlib
//
// Runs misuse in a process of its own and compares what it says before it aborts.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace overture::test {

// The child begins anew rather than forks, because the tests have threads.
template <class Misuse>
void expect_says(Misuse misuse, const char* sentence) {
  SCOPED_TRACE(sentence);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(misuse(), ::testing::HasSubstr(std::string("overture: ") + sentence + "\n"));
}

}  // namespace overture::test
