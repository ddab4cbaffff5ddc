// SPDX-License-Identifier: Zlib
#include "overture/vfs/opened_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "vfs/game.hpp"

namespace overture::opened_file_test {
namespace {

using namespace literals;

TEST_F(game, says_that_a_folder_is_no_file) {
  file_system folded({.ignore_case = true});
  ASSERT_TRUE(folded.mount((folder / "dlc").c_str()));
  for (const bool frozen : {false, true}) {
    if (frozen) {
      ASSERT_TRUE(folded.freeze());
    }
    for (const asset_path& path : {"maps"_path, "Maps"_path, asset_path{}}) {
      const error why = folded.open(path).error();
      EXPECT_EQ(why.code, errc::not_a_file) << path.text << frozen;
      EXPECT_STREQ(why.reason, "a folder, not a file");
    }
    EXPECT_EQ(folded.map("maps"_path).error().code, errc::not_a_file);
    EXPECT_EQ(folded.open("maps/nothing"_path).error().code, errc::not_found);
  }
}

TEST_F(game, opens_a_file_where_another_mount_has_a_folder) {
  mount_all(files);
  EXPECT_TRUE(files.open("maps"_path));
  ASSERT_TRUE(files.freeze());
  EXPECT_TRUE(files.open("maps"_path));
}

TEST_F(game, keeps_hundreds_of_loose_files_open_from_many_threads) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::vector<opened_file> open;
      for (int n = 0; n < 200; ++n) {
        result<opened_file> file = files.open("maps/paris.txt"_path);
        if (!file) ++wrong;
        if (file) open.push_back(std::move(*file));
      }
      std::set<source_id> ids_seen;
      for (const opened_file& file : open) ids_seen.insert(file.place().source);
      if (ids_seen.size() != 200) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace overture::opened_file_test
