// SPDX-License-Identifier: Zlib
#include "overture/base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>

namespace overture::error_test {
namespace {

TEST(error, every_kind_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(errc::replaced); ++code) {
    EXPECT_TRUE(names.insert(to_string(static_cast<errc>(code))).second) << code;
  }
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(error, kind_follows_from_errno) {
  const auto code = [](int os_error) { return os_failure(os_error, "").code; };
  EXPECT_EQ(code(ENOENT), errc::not_found);
  EXPECT_EQ(code(ENOTDIR), errc::not_found);
  EXPECT_EQ(code(EISDIR), errc::not_a_file);
  EXPECT_EQ(code(EACCES), errc::permission);
  EXPECT_EQ(code(ENOSPC), errc::no_space);
  EXPECT_EQ(code(ENOMEM), errc::out_of_memory);
  EXPECT_EQ(code(EMFILE), errc::limit);
  EXPECT_EQ(code(EEXIST), errc::exists);
  EXPECT_EQ(code(EROFS), errc::permission);
  EXPECT_EQ(code(EIO), errc::io);
  EXPECT_EQ(code(EBADF), errc::io) << "unknown errno values count as io";
}

TEST(error, keeps_errno_and_reason) {
  const error failure = os_failure(EIO, "cannot read");
  EXPECT_EQ(failure.os_error, EIO);
  EXPECT_STREQ(failure.reason, "cannot read");
  EXPECT_FALSE(failure.source.valid());
}

}  // namespace
}  // namespace overture::error_test
