// SPDX-License-Identifier: Zlib
#include "mounts/mounting.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace overture::cli::mounting_test {
namespace {

std::string advice(errc code, int os_error = 0) {
  return mount_advice({code, os_error, "", {}, 0});
}

TEST(mount_advice, fits_the_error) {
  EXPECT_EQ(advice(errc::not_found), "check the spelling and the current folder");
  EXPECT_EQ(advice(errc::permission, EACCES), "check its permissions");
  EXPECT_EQ(advice(errc::truncated), "get a fresh copy");
  EXPECT_EQ(advice(errc::out_of_memory), "free some memory, or mount less");
  EXPECT_EQ(advice(errc::collision), "leave it out");
  EXPECT_EQ(advice(errc::io, EIO), "check the disk");
}

TEST(mount_advice, tells_the_limits_of_the_system_from_those_of_overture) {
  EXPECT_EQ(advice(errc::limit), "split it, or leave it out");
  EXPECT_EQ(advice(errc::limit, ENAMETOOLONG), "use a shorter path");
  EXPECT_EQ(advice(errc::limit, EMFILE),
            "close other programs, or raise the limit with 'ulimit -n'");
}

TEST(merge_advice, blames_one_mount_for_a_collision_only) {
  EXPECT_STREQ(merge_advice(errc::collision), "leave out one of the mounts");
  EXPECT_STREQ(merge_advice(errc::limit), "leave out some of the mounts");
  EXPECT_STREQ(merge_advice(errc::out_of_memory),
               "free some memory, or leave out some of the mounts");
}

}  // namespace
}  // namespace overture::cli::mounting_test
