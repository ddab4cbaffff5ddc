// SPDX-License-Identifier: Zlib
#include "terminal/suggestion.hpp"

#include <gtest/gtest.h>

namespace overture::cli::suggestion_test {
namespace {

const std::vector<std::string> options = {"--threads", "--trace", "--json", "--quiet",
                                          "--no-decode"};

TEST(suggestion, finds_the_intended_word) {
  EXPECT_EQ(nearest("--thread", options), "--threads");
  EXPECT_EQ(nearest("--jsno", options), "--json");
  EXPECT_EQ(nearest("--tarce", options), "--trace");
  EXPECT_EQ(nearest("--nodecode", options), "--no-decode");
  EXPECT_EQ(nearest("laod", {"load", "help"}), "load");
}

TEST(suggestion, is_empty_if_nothing_is_similar) {
  EXPECT_EQ(nearest("--verbose", options), "");
  EXPECT_EQ(nearest("", options), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), options), "");
}

}  // namespace
}  // namespace overture::cli::suggestion_test
