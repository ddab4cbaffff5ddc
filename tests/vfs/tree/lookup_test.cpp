// SPDX-License-Identifier: Zlib
//
// stat, exists, enumerate and walk, frozen or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/failing_allocator.hpp"
#include "vfs/game.hpp"

namespace overture::lookup_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;

class lookup : public game, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    game::SetUp();
    mount_all(files);
    if (GetParam()) {
      ASSERT_TRUE(files.freeze());
    }
  }
  std::vector<std::string> listed(asset_path folder_path) {
    std::vector<std::string> names;
    const result<void> done = files.enumerate(folder_path, [&](const folder_item& item) {
      names.push_back(std::string(item.name) + (item.kind == entry_kind::folder ? "/" : ""));
      EXPECT_EQ(item.id.value, hash64(item.path));
      expect_same_stat(item);
      return true;
    });
    if (!done) names.push_back(std::string("error: ") + to_string(done.error().code));
    return names;
  }
  void expect_same_stat(const folder_item& item) {
    const result<file_stat> here = item.stat();
    const result<file_stat> by_path = files.stat({item.path, item.id});
    ASSERT_TRUE(here && by_path) << item.path;
    EXPECT_EQ(here->kind, item.kind) << item.path;
    EXPECT_EQ(here->bytes, by_path->bytes) << item.path;
    EXPECT_EQ(here->mtime_ns, by_path->mtime_ns) << item.path;
    EXPECT_EQ(here->mount, item.mount) << item.path;
  }
};

INSTANTIATE_TEST_SUITE_P(any, lookup, ::testing::Bool(),
                         [](const auto& frozen) { return frozen.param ? "frozen" : "live"; });

TEST_P(lookup, tells_files_from_folders) {
  const result<file_stat> packed = files.stat("b.txt"_path);
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->kind, entry_kind::file);
  EXPECT_EQ(packed->bytes, 5u);
  EXPECT_EQ(packed->mount, ids[2]);
  const result<file_stat> loose = files.stat("maps/paris.txt"_path);
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->bytes, 9u);
  EXPECT_GT(loose->mtime_ns, 0);
  EXPECT_EQ(files.stat("maps/x"_path).error().code, errc::not_found);
  EXPECT_EQ(files.stat({})->kind, entry_kind::folder) << "the root";
  EXPECT_EQ(files.providers(asset_path{}, {}), 3u);
}

TEST_P(lookup, lets_priority_decide_between_a_file_and_a_folder) {
  EXPECT_EQ(files.stat("maps"_path)->kind, entry_kind::file) << "the mod has a file there";
  mount_id found[3];
  ASSERT_EQ(files.providers("maps"_path, found), 3u);
  EXPECT_THAT(found, ElementsAre(ids[2], ids[1], ids[0]));
  EXPECT_THAT(listed("maps"_path), ElementsAre("paris.txt", "rome.txt"))
      << "what is in the folder is there all the same";
}

TEST_P(lookup, knows_what_exists) {
  EXPECT_TRUE(files.exists("a.txt"_path));
  EXPECT_TRUE(files.exists("maps"_path));
  EXPECT_TRUE(files.exists({}));
  EXPECT_FALSE(files.exists("map"_path));
  EXPECT_FALSE(files.exists("a.txt/x"_path));
}

TEST_P(lookup, lists_a_folder_in_order_and_each_name_once) {
  EXPECT_THAT(listed({}), ElementsAre("a.txt", "b.txt", "maps"));
  EXPECT_THAT(listed(""_path), ElementsAre("a.txt", "b.txt", "maps")) << "the root too";
  EXPECT_THAT(listed("nowhere"_path), ElementsAre("error: not_found"));
  EXPECT_THAT(listed("a.txt"_path), ElementsAre("error: not_a_file"));
}

TEST_P(lookup, stops_listing_when_the_visitor_returns_false) {
  int seen = 0;
  const auto once = [&](const folder_item&) { return ++seen < 2; };
  ASSERT_TRUE(files.enumerate({}, once));
  EXPECT_EQ(seen, 2);
  ASSERT_TRUE(files.walk({}, [&](const folder_item&) { return ++seen < 4; }));
  EXPECT_EQ(seen, 4);
}

TEST_P(lookup, ends_with_an_error_when_the_visitor_throws) {
  int visited = 0;
  const auto throwing = [&](const folder_item&) -> bool {
    ++visited;
    throw std::runtime_error("not this one");
  };
  EXPECT_EQ(files.enumerate(asset_path{}, throwing).error().code, errc::threw);
  EXPECT_EQ(files.walk(asset_path{}, throwing).error().code, errc::threw);
  EXPECT_EQ(visited, 2);
  EXPECT_TRUE(files.walk(asset_path{}, [](const folder_item&) { return true; }));
}

TEST_P(lookup, walks_all_files_below_a_folder) {
  std::vector<std::string> seen;
  ASSERT_TRUE(files.walk("maps"_path, [&](const folder_item& item) {
    seen.push_back(std::string(item.path) + " as " + std::string(item.name));
    expect_same_stat(item);
    return true;
  }));
  EXPECT_THAT(seen, ElementsAre("maps/paris.txt as paris.txt", "maps/rome.txt as rome.txt"));
  EXPECT_EQ(files.walk("no"_path, [](const folder_item&) { return true; }).error().code,
            errc::not_found);
}

// '.' sorts before '/', so byte order of whole paths differs from the order of names.
TEST(file_system, lists_names_in_order_even_if_paths_are_not) {
  temp_folder folder;
  for (const char* name : {"a/x", "a.txt/y", "a", "a!"}) {
    if (std::string_view(name) != "a") folder.write(std::string("one/") + name, "1");
  }
  folder.write("two/a", "2");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "one").c_str()));
  ASSERT_TRUE(files.mount((folder / "two").c_str()));
  std::vector<std::string> names;
  ASSERT_TRUE(files.enumerate({}, [&](const folder_item& item) {
    names.push_back(std::string(item.name) + (item.kind == entry_kind::file ? " file" : " folder"));
    return true;
  }));
  EXPECT_THAT(names, ElementsAre("a file", "a! file", "a.txt folder"));
}

TEST(file_system, lists_sizes_of_the_winners_at_its_start) {
  temp_folder base;
  temp_folder mod;
  base.write("a", "1");
  base.write("gone", "1");
  mod.write("a", "22");
  file_system files;
  const result<mount_id> first = files.mount(base.path());
  ASSERT_TRUE(first);
  ASSERT_TRUE(files.enumerate({}, [&](const folder_item& item) {
    if (item.name == "a") {
      EXPECT_TRUE(files.mount(mod.path()));
      EXPECT_EQ(item.stat()->bytes, 1u);
      EXPECT_EQ(item.stat()->mount, *first);
      std::filesystem::remove(base / "gone");
    } else {
      EXPECT_EQ(item.stat().error().code, errc::not_found);
    }
    return true;
  }));
  EXPECT_EQ(files.stat("a"_path)->bytes, 2u);
  EXPECT_EQ(folder_item{}.stat().error().code, errc::not_found) << "of no visit";
}

TEST(file_system, lists_a_tree_without_mounts) {
  file_system files;
  EXPECT_TRUE(files.enumerate({}, [](const folder_item&) { return true; }));
  EXPECT_TRUE(files.exists({}));
  EXPECT_EQ(files.stat({})->kind, entry_kind::folder);
}

}  // namespace
}  // namespace overture::lookup_test
