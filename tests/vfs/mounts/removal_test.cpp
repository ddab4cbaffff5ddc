// SPDX-License-Identifier: Zlib
//
// Removal markers in a mod, which remove files of mounts below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/failing_allocator.hpp"
#include "vfs/game.hpp"

namespace overture::removal_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class removal : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { archives.reserve(8); }  // mounts refer to them
  mount_id mount(const std::vector<std::string>& names, mount_options options = {},
                 const char* content = "data") {
    zip_writer zip;
    for (const std::string& name : names) zip.add({.name = name, .data = content});
    archives.push_back(zip.bytes());
    const result<mount_id> mounted =
        files.mount_memory("memory.zip", std::as_bytes(std::span(archives.back())), options);
    EXPECT_TRUE(mounted);
    return mounted.value_or(mount_id{});
  }
  mount_id mount_mod(const std::vector<std::string>& names, mount_options options = {}) {
    options.removal_markers = true;
    return mount(names, options, "mod");
  }
  void freeze_if_asked() {
    if (GetParam()) {
      ASSERT_TRUE(files.freeze());
    }
  }
  std::vector<std::string> walked(asset_path folder = {}) {
    std::vector<std::string> paths;
    (void)files.walk(folder, [&](const folder_item& item) {
      paths.emplace_back(item.path);
      return true;
    });
    return paths;
  }
  std::vector<std::string> listed(asset_path folder) {
    std::vector<std::string> names;
    (void)files.enumerate(folder, [&](const folder_item& item) {
      names.push_back(std::string(item.name) + (item.kind == entry_kind::folder ? "/" : ""));
      return true;
    });
    return names;
  }
  std::size_t providers(asset_path path) { return files.providers(path, {}); }

  std::vector<std::string> archives;
  file_system files;
};

INSTANTIATE_TEST_SUITE_P(any, removal, ::testing::Bool(),
                         [](const auto& frozen) { return frozen.param ? "frozen" : "live"; });

TEST_P(removal, hides_a_file_of_every_mount_below) {
  mount({"a", "maps/rome", "maps/paris"});
  mount({"maps/rome"});
  const mount_id mod = mount_mod({"maps/.wh.rome", "b"});
  freeze_if_asked();
  EXPECT_FALSE(files.exists("maps/rome"_path));
  EXPECT_EQ(files.stat("maps/rome"_path).error().code, errc::not_found);
  EXPECT_EQ(files.open("maps/rome"_path).error().code, errc::not_found);
  EXPECT_FALSE(files.exists("maps/.wh.rome"_path)) << "the marker is not in the tree";
  EXPECT_EQ(providers("maps/rome"_path), 0u);
  EXPECT_EQ(files.remover("maps/rome"_path), mod);
  EXPECT_EQ(files.remover("maps/paris"_path).error().code, errc::not_found);
  EXPECT_THAT(walked(), ElementsAre("a", "b", "maps/paris"));
  EXPECT_THAT(listed("maps"_path), ElementsAre("paris"));
  EXPECT_EQ(files.mount_of(mod).entries, 1u) << "a marker is not a file";
  if (GetParam()) {
    EXPECT_EQ(files.entry_count(), 3u);
    EXPECT_EQ(files.hidden_count(), 0u);
    EXPECT_FALSE(files.find("maps/rome"_path));
  }
  std::vector<std::pair<std::string, mount_id>> removed;
  files.removals([&](const folder_item& item) {
    removed.emplace_back(item.path, item.mount);
    return true;
  });
  EXPECT_THAT(removed, ElementsAre(Pair("maps/rome", mod)));
}

TEST_P(removal, does_not_affect_mounts_that_win_over_it) {
  mount({"a", "b"});
  const mount_id mod = mount_mod({".wh.a"});
  const mount_id over = mount({"a"}, {}, "again");
  freeze_if_asked();
  EXPECT_EQ(load(files, "a"), "again");
  mount_id found[3];
  ASSERT_EQ(files.providers("a"_path, found), 1u) << "what lies below is removed, not hidden";
  EXPECT_EQ(found[0], over);
  EXPECT_EQ(files.remover("a"_path), mod);
  EXPECT_THAT(walked(), ElementsAre("a", "b"));
  if (GetParam()) {
    EXPECT_EQ(files.entry(*files.find("a"_path)).hidden, 0u);
  }
}

TEST_P(removal, ends_when_its_mount_is_unmounted) {
  mount({"a"});
  const mount_id mod = mount_mod({".wh.a"});
  EXPECT_FALSE(files.exists("a"_path));
  ASSERT_TRUE(files.unmount(mod));
  freeze_if_asked();
  EXPECT_EQ(load(files, "a"), "data");
  EXPECT_THAT(walked(), ElementsAre("a"));
}

TEST_P(removal, must_be_enabled_and_affects_files_only) {
  mount({"a", "maps/rome"});
  mount({".wh.a"}, {}, "no marker");
  mount_mod({".wh.maps", "x/.wh..wh..opq", ".wh.", "x/.wh...", ".wh.c", "c"});
  freeze_if_asked();
  EXPECT_EQ(load(files, ".wh.a"), "no marker");
  EXPECT_EQ(load(files, "a"), "data");
  EXPECT_EQ(files.stat("maps"_path)->kind, entry_kind::folder);
  EXPECT_EQ(load(files, "maps/rome"), "data");
  EXPECT_EQ(load(files, "c"), "mod") << "its own file is there";
  EXPECT_THAT(walked(), ElementsAre(".wh.a", "a", "c", "maps/rome"));
  EXPECT_THAT(skipped_of(files), ::testing::UnorderedElementsAre(
                                     Pair("x/.wh..wh..opq", "unsupported kind of removal marker"),
                                     Pair(".wh.", "removal marker without a name"),
                                     Pair("x/.wh...", "'.' or '..' in the path"),
                                     Pair("c", "the mount itself has the file it would remove")));
}

TEST_P(removal, respects_at_and_from) {
  mount({"data/a", "a"});
  mount_mod({"mod/.wh.a", ".wh.b"}, {.at = "data", .from = "mod"});
  freeze_if_asked();
  EXPECT_THAT(walked(), ElementsAre("a"));
  EXPECT_THAT(listed("data"_path), IsEmpty());
}

TEST(removal_of_a_writable_folder, is_refused) {
  temp_folder folder;
  folder.write("a", "a");
  file_system files;
  EXPECT_EQ(files.mount(folder.path(), {.writable = true, .removal_markers = true}).error().code,
            errc::invalid);
}

TEST(removal_without_case, accepts_any_spelling) {
  temp_folder folder;
  folder.write("base/Maps/Rome.TXT", "rome");
  folder.write("mod/maps/.WH.ROME.txt", "");
  file_system files({.ignore_case = true});
  ASSERT_TRUE(files.mount((folder / "base").c_str()));
  ASSERT_TRUE(files.mount((folder / "mod").c_str(), {.removal_markers = true}));
  EXPECT_FALSE(files.exists("maps/rome.txt"_path));
}

TEST(removal_refused_memory, without_memory_mounts_nothing) {
  zip_writer zip;
  for (const char* name : {".wh.a", "a", ".wh.b", ".wh."}) zip.add({.name = name, .data = name});
  const std::string archive = zip.bytes();
  for (std::uint64_t refused = 0;; ++refused) {
    ASSERT_LT(refused, 200u);
    failing_allocator memory(refused);
    file_system files({.memory = &memory});
    const result<mount_id> mounted = files.mount_memory(
        "memory.zip", std::as_bytes(std::span(archive)), {.removal_markers = true});
    if (memory.refusals() == 0) break;
    if (!mounted) {
      EXPECT_EQ(mounted.error().code, errc::out_of_memory);
    }
  }
}

}  // namespace
}  // namespace overture::removal_test
