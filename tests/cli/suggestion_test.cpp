#include "suggestion.hpp"

#include <gtest/gtest.h>

namespace overture::cli {
namespace {

const std::vector<std::string> options = {"--threads", "--trace", "--json", "--quiet",
                                          "--no-decode"};

TEST(nearest, finds_the_word_that_was_meant) {
  EXPECT_EQ(nearest("--thread", options), "--threads");
  EXPECT_EQ(nearest("--jsno", options), "--json");
  EXPECT_EQ(nearest("--tarce", options), "--trace");
  EXPECT_EQ(nearest("--nodecode", options), "--no-decode");
  EXPECT_EQ(nearest("laod", {"load", "help"}), "load");
}

TEST(nearest, says_nothing_rather_than_nonsense) {
  EXPECT_EQ(nearest("--verbose", options), "");
  EXPECT_EQ(nearest("", options), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), options), "");
}

}  // namespace
}  // namespace overture::cli
