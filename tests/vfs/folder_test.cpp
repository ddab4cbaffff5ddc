#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "vfs/tree_reader.hpp"

namespace overture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(folder_mount, loads_files_of_all_its_folders) {
  temp_folder folder;
  folder.write("a.txt", "hello");
  folder.write("maps/europe/rome.txt", "rome");
  folder.write("empty", "");
  file_system files;
  ASSERT_TRUE(files.mount(folder.path().c_str(), {.at = "base"}));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("base/a.txt", "hello"), Pair("base/empty", ""),
                                           Pair("base/maps/europe/rome.txt", "rome")));
}

TEST(folder_mount, follows_links_inside_the_tree_and_lists_the_others) {
  temp_folder outside;
  outside.write("secret.txt", "secret");
  temp_folder folder;
  folder.write("real/a.txt", "hello");
  folder.write("real/deep/b.txt", "deep");
  fs::create_symlink("real/a.txt", folder / "file link");
  fs::create_symlink("real", folder / "folder link");
  fs::create_symlink("..", folder / "real/up");
  fs::create_symlink("self", folder / "self");
  fs::create_symlink("nowhere", folder / "dangling");
  fs::create_symlink(outside / "secret.txt", folder / "file outside");
  fs::create_symlink(outside.path(), folder / "folder outside");
  file_system files;
  ASSERT_TRUE(files.mount(folder.path().c_str()));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files),
              ElementsAre(Pair("file link", "hello"), Pair("folder link/a.txt", "hello"),
                          Pair("folder link/deep/b.txt", "deep"), Pair("real/a.txt", "hello"),
                          Pair("real/deep/b.txt", "deep")));
  EXPECT_THAT(skipped_of(files),
              UnorderedElementsAre(Pair("folder link/up", "the link makes a loop"),
                                   Pair("real/up", "the link makes a loop"),
                                   Pair("self", "the link makes a loop"),
                                   Pair("dangling", "the link leads nowhere"),
                                   Pair("file outside", "the link leaves the tree"),
                                   Pair("folder outside", "the link leaves the tree")));
}

}  // namespace
}  // namespace overture
