// SPDX-License-Identifier: Zlib
#include "mounts/path_argument.hpp"

#include <gtest/gtest.h>

namespace overture::cli::path_argument_test {
namespace {

std::string printed(const std::string& typed) {
  const path_argument path(typed, "overture help ls");
  testing::internal::CaptureStderr();
  path.print_failure({errc::io, 0, "cannot read", {}, 0});
  return testing::internal::GetCapturedStderr();
}

TEST(path_argument, is_named_in_its_errors) {
  EXPECT_EQ(printed("gfx/"), "error: gfx: cannot read\n");
  EXPECT_EQ(printed("/"), "error: /: cannot read\n");
}

}  // namespace
}  // namespace overture::cli::path_argument_test
