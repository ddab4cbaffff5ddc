// SPDX-License-Identifier: Zlib
#include <physfs.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;
using overture::zip_writer;

TEST(physfs_folders, a_sane_configuration_mounts_the_archives_it_finds) {
  ASSERT_EQ(PHYSFS_init("program"), 1);
  const temp_folder folder;
  setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
  const std::string own = folder / "game/";
  folder.write("game/x", "");
  zip_writer().add({.name = "in_archive.txt", .data = "x"}).save(folder / "game/extra.PK3");
  EXPECT_EQ(PHYSFS_setSaneConfig("maker", "game", "pk3", 0, 1), 1);
  EXPECT_EQ(PHYSFS_getWriteDir(), own);
  EXPECT_EQ(PHYSFS_getRealDir("in_archive.txt"), own + "extra.PK3");
  EXPECT_STREQ(PHYSFS_getPrefDir("maker", "game"), own.c_str());
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(PHYSFS_deinit(), 1);
}

}  // namespace
