// SPDX-License-Identifier: Zlib
#include "commands/cold.hpp"

#include <gtest/gtest.h>

namespace overture::cli::cold_test {
namespace {

TEST(a_cold_load, is_warned_of_what_is_kept_or_unknown) {
  constexpr std::uint64_t mib = 1 << 20;
  EXPECT_EQ(why_not_cold({}), "");
  EXPECT_EQ(why_not_cold({.files = 3, .bytes = 1000 * mib}), "");
  EXPECT_EQ(why_not_cold({.files = 3, .bytes = 1000 * mib, .kept_bytes = 9 * mib}), "");
  EXPECT_EQ(
      why_not_cold({.files = 3, .bytes = 1000 * mib, .kept_bytes = 10 * mib}),
      "the system keeps 10.0 MiB of 1000 MiB in its page cache, so the load is not quite cold: "
      "file systems in memory do that, and pages that a program has mapped stay");
  EXPECT_EQ(
      why_not_cold({.files = 3, .bytes = 3, .unknown_files = 2}),
      "whether 2 of 3 files were dropped from the page cache is unknown: the system tells only "
      "those who may write them");
  EXPECT_EQ(
      why_not_cold({.files = 1, .bytes = 3, .refused_files = 1}),
      "the system cannot drop 1 of 1 file from its page cache, so the load is not quite cold");
}

}  // namespace
}  // namespace overture::cli::cold_test
