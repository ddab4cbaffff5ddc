// SPDX-License-Identifier: Zlib
#include "base/system/system_text.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "support/platform.hpp"

namespace overture {
using namespace base_detail;

namespace {

TEST(system_text, has_words_for_an_errno) {
  char room[128];
  EXPECT_NE(std::string(error_text(ENOENT, room)), "");
  EXPECT_NE(std::string(error_text(ENOENT, room)), std::string(error_text(EACCES, room)));
}

TEST(system_text, knows_which_part_of_a_path_is_the_folder) {
  EXPECT_EQ(folder_bytes("a.txt"), 0u);
  EXPECT_EQ(folder_bytes("mods/a.txt"), 5u);
  EXPECT_EQ(folder_bytes("/a.txt"), 1u);
  EXPECT_EQ(folder_bytes(R"(C:\mods\a.txt)"), on_windows ? 8u : 0u);
  EXPECT_EQ(folder_bytes("C:a.txt"), on_windows ? 2u : 0u);
}

}  // namespace
}  // namespace overture
