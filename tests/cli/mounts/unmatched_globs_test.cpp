// SPDX-License-Identifier: Zlib
#include "mounts/unmatched_globs.hpp"

#include <gtest/gtest.h>

namespace overture::cli::unmatched_globs_test {
namespace {

std::string warned(unmatched_globs& globs) {
  testing::internal::CaptureStderr();
  globs.warn();
  return testing::internal::GetCapturedStderr();
}

TEST(unmatched_globs, warn_once_of_what_matched_nothing) {
  unmatched_globs globs({"*.bak", "docs/**", "moon*"});
  globs.look_at("docs/read.txt");
  globs.look_at("maps/rome.bak");
  EXPECT_FALSE(globs.empty());
  EXPECT_EQ(warned(globs),
            "warning: --exclude moon* matches no file; paths begin at the root of the tree\n");
  EXPECT_TRUE(globs.empty());
  EXPECT_EQ(warned(globs), "");
}

TEST(unmatched_globs, name_a_pattern_as_it_was_given) {
  unmatched_globs globs({"docs", "sound"}, {"*/docs", "*/sound"});
  globs.look_at("1/docs");
  globs.look_at("sound");
  EXPECT_EQ(warned(globs),
            "warning: --exclude sound matches no file; paths begin at the root of the tree\n");
}

}  // namespace
}  // namespace overture::cli::unmatched_globs_test
