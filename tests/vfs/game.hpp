// SPDX-License-Identifier: Zlib
//
// A small game on disk, for tests of priorities.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {

// A base game, a DLC and a mod; each is a folder or an archive.
class game : public ::testing::Test {
 protected:
  void SetUp() override {
    zip_writer base;
    base.add({.name = "a.txt", .data = "base a"});
    base.add({.name = "b.txt", .data = "base b"});
    base.add({.name = "maps/rome.txt", .data = "base rome"});
    base.save(folder / "base.zip");
    folder.write("dlc/b.txt", "dlc b");
    folder.write("dlc/maps/paris.txt", "dlc paris");
    zip_writer mod;
    mod.add({.name = "b.txt", .data = "mod b", .method = zip_deflated});
    mod.add({.name = "maps", .data = "a file where others have a folder"});
    mod.save(folder / "mod.zip");
  }
  void mount_all(file_system& into) {
    for (const char* name : {"base.zip", "dlc", "mod.zip"}) {
      const result<mount_id> mount = into.mount((folder / name).c_str());
      ASSERT_TRUE(mount) << mount.error().reason;
      ids.push_back(*mount);
    }
  }

  temp_folder folder;
  file_system files;
  std::vector<mount_id> ids;
};

}  // namespace overture
