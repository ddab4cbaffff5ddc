// SPDX-License-Identifier: Zlib
//
// Written files are in the tree at once.
#include "vfs/mounts/written_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "overture/vfs/file_writer.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::written_names_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

asset_path path_of(std::string_view text) {
  return {text, {hash64(text)}};
}

void put(file_system& files, mount_id into, std::string_view path, std::string_view text) {
  result<file_writer> writer =
      file_writer::open(files, into, path_of(path), write_kind::replace, {.sync = false});
  ASSERT_TRUE(writer) << path << ": " << writer.error().reason;
  ASSERT_TRUE(writer->write(std::as_bytes(std::span(text))));
  ASSERT_TRUE(writer->commit());
}

std::vector<std::string> walked(file_system& files, asset_path folder = {}) {
  std::vector<std::string> paths;
  const result<void> done = files.walk(folder, [&](const folder_item& item) {
    EXPECT_EQ(item.id.value, hash64(item.path));
    paths.emplace_back(item.path);
    EXPECT_EQ(item.stat()->bytes, files.stat({item.path, item.id})->bytes) << item.path;
    return true;
  });
  if (!done) paths.emplace_back(to_string(done.error().code));
  return paths;
}

std::vector<std::string> listed(file_system& files, asset_path folder) {
  std::vector<std::string> names;
  const result<void> done = files.enumerate(folder, [&](const folder_item& item) {
    names.push_back(std::string(item.name) + (item.kind == entry_kind::folder ? "/" : ""));
    return true;
  });
  if (!done) names.emplace_back(to_string(done.error().code));
  return names;
}

// A base, a writable folder over it and a mod over that; live and frozen.
class written : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    base.write("a.txt", "base a");
    base.write("maps/rome.txt", "base rome");
    own.write("a.txt", "own a");
    own.write("old/x.txt", "x");
    own.write("old/deep/y.txt", "y");
    mod.write("mod.txt", "mod");
    const auto mount = [&](const temp_folder& folder, bool writable) {
      const result<mount_id> id = files.mount(folder.path(), {.writable = writable});
      EXPECT_TRUE(id);
      return id.value_or(mount_id{});
    };
    ids = {mount(base, false), mount(own, true), mount(mod, false)};
    if (GetParam()) {
      ASSERT_TRUE(files.freeze());
    }
  }
  std::vector<mount_id> providers(asset_path path) {
    std::vector<mount_id> found(4);
    found.resize(files.providers(path, found));
    return found;
  }

  temp_folder base;
  temp_folder own;
  temp_folder mod;
  file_system files;
  std::vector<mount_id> ids;
};

INSTANTIATE_TEST_SUITE_P(any, written, ::testing::Bool(),
                         [](const auto& frozen) { return frozen.param ? "frozen" : "live"; });

TEST_P(written, file_is_found_by_every_look_up) {
  put(files, ids[1], "fresh.txt", "fresh");
  ASSERT_TRUE(files.make_folder(ids[1], "new/deep"_path));
  EXPECT_FALSE(files.exists("new"_path)) << "folders are there by their files";
  put(files, ids[1], "new/deep/z.txt", "z");
  EXPECT_EQ(load(files, "fresh.txt"), "fresh");
  EXPECT_EQ(files.stat("fresh.txt"_path)->bytes, 5u);
  EXPECT_EQ(files.stat("fresh.txt"_path)->mount, ids[1]);
  EXPECT_EQ(files.stat("new/deep"_path)->kind, entry_kind::folder);
  EXPECT_EQ(files.stat("new/deep/z.txt"_path)->kind, entry_kind::file);
  EXPECT_THAT(listed(files, {}),
              ElementsAre("a.txt", "fresh.txt", "maps/", "mod.txt", "new/", "old/"));
  EXPECT_THAT(listed(files, "new"_path), ElementsAre("deep/"));
  EXPECT_THAT(walked(files, "new"_path), ElementsAre("new/deep/z.txt"));
  EXPECT_THAT(walked(files), ElementsAre("a.txt", "fresh.txt", "maps/rome.txt", "mod.txt",
                                         "new/deep/z.txt", "old/deep/y.txt", "old/x.txt"));
  EXPECT_EQ(files.enumerate("fresh.txt"_path, [](const folder_item&) { return true; }).error().code,
            errc::not_a_file);
  const result<opened_file> opened = files.open("fresh.txt"_path);
  ASSERT_TRUE(opened);
  char text[256];
  const std::size_t length = files.describe(opened->place().source, text);
  EXPECT_EQ(std::string_view(text, length), "fresh.txt in " + own.path().generic_string());
}

TEST_P(written, file_has_the_priority_of_its_mount) {
  put(files, ids[1], "mod.txt", "own");
  ASSERT_TRUE(files.make_folder(ids[1], "maps"_path));
  put(files, ids[1], "maps/rome.txt", "own rome");
  EXPECT_EQ(load(files, "mod.txt"), "mod") << "the mod wins over the player's folder";
  EXPECT_EQ(load(files, "maps/rome.txt"), "own rome") << "which wins over the base";
  EXPECT_THAT(providers("mod.txt"_path), ElementsAre(ids[2], ids[1]));
  EXPECT_THAT(providers("maps/rome.txt"_path), ElementsAre(ids[1], ids[0]));
  EXPECT_THAT(providers("maps"_path), ElementsAre(ids[1], ids[0]));
  EXPECT_THAT(listed(files, "maps"_path), ElementsAre("rome.txt")) << "once";
  EXPECT_THAT(walked(files),
              ElementsAre("a.txt", "maps/rome.txt", "mod.txt", "old/deep/y.txt", "old/x.txt"));
}

TEST_P(written, file_is_gone_when_it_is_removed) {
  ASSERT_TRUE(files.remove(ids[1], "a.txt"_path));
  EXPECT_EQ(load(files, "a.txt"), "base a") << "what was hidden is seen";
  EXPECT_THAT(providers("a.txt"_path), ElementsAre(ids[0]));
  ASSERT_TRUE(files.remove(ids[1], "old/x.txt"_path));
  EXPECT_FALSE(files.exists("old/x.txt"_path));
  EXPECT_FALSE(files.open("old/x.txt"_path));
  EXPECT_THAT(listed(files, "old"_path), ElementsAre("deep/"));
  ASSERT_TRUE(files.remove(ids[1], "old/deep/y.txt"_path));
  EXPECT_FALSE(files.exists("old"_path)) << "the last file of the folder";
  EXPECT_THAT(listed(files, "old"_path), ElementsAre("not_found"));
  EXPECT_THAT(walked(files), ElementsAre("a.txt", "maps/rome.txt", "mod.txt"));
  put(files, ids[1], "old/x.txt", "again");
  EXPECT_EQ(load(files, "old/x.txt"), "again");
  EXPECT_THAT(walked(files, "old"_path), ElementsAre("old/x.txt"));
  ASSERT_TRUE(files.remove(ids[1], "old/x.txt"_path));
  EXPECT_FALSE(files.exists("old/x.txt"_path));
}

TEST_P(written, file_moves_when_it_is_renamed) {
  put(files, ids[1], "old/deep/z.txt", "z");
  ASSERT_TRUE(files.rename(ids[1], "a.txt"_path, "b.txt"_path));
  EXPECT_EQ(load(files, "b.txt"), "own a");
  EXPECT_EQ(load(files, "a.txt"), "base a");
  ASSERT_TRUE(files.rename(ids[1], "old"_path, "maps/new"_path).error().code == errc::not_found)
      << "the folder is not there on this disk";
  ASSERT_TRUE(files.make_folder(ids[1], "maps"_path));
  ASSERT_TRUE(files.rename(ids[1], "old"_path, "maps/new"_path));
  EXPECT_THAT(walked(files),
              ElementsAre("a.txt", "b.txt", "maps/new/deep/y.txt", "maps/new/deep/z.txt",
                          "maps/new/x.txt", "maps/rome.txt", "mod.txt"));
  EXPECT_FALSE(files.exists("old/deep"_path));
  EXPECT_EQ(load(files, "maps/new/deep/z.txt"), "z");
  EXPECT_EQ(load(files, "maps/new/x.txt"), "x");
  ASSERT_TRUE(files.rename(ids[1], "maps/new"_path, "old"_path)) << "and back";
  EXPECT_EQ(load(files, "old/deep/y.txt"), "y");
  EXPECT_THAT(walked(files, "old"_path),
              ElementsAre("old/deep/y.txt", "old/deep/z.txt", "old/x.txt"));
  ASSERT_TRUE(files.rename(ids[1], "old"_path, "old"_path)) << "to itself";
  ASSERT_TRUE(files.rename(ids[1], "b.txt"_path, "b.txt"_path));
  EXPECT_EQ(load(files, "old/deep/y.txt") + load(files, "b.txt"), "yown a");
  own.write("others.txt", "of another");
  ASSERT_TRUE(files.rename(ids[1], "others.txt"_path, "mine.txt"_path));
  EXPECT_EQ(load(files, "mine.txt"), "of another");
}

TEST_P(written, file_is_not_found_before_it_is_committed) {
  {
    result<file_writer> writer =
        file_writer::open(files, ids[1], "fresh.txt"_path, write_kind::create);
    ASSERT_TRUE(writer);
    EXPECT_FALSE(files.exists("fresh.txt"_path));
  }
  EXPECT_FALSE(files.exists("fresh.txt"_path));
  EXPECT_THAT(walked(files, "old"_path), ElementsAre("old/deep/y.txt", "old/x.txt"));
}

TEST(written_frozen, file_does_not_change_entry_numbers) {
  temp_folder folder;
  folder.write("a", "a");
  file_system files;
  const result<mount_id> id = files.mount(folder.path(), {.writable = true});
  ASSERT_TRUE(id && files.freeze());
  put(files, *id, "b", "b");
  EXPECT_EQ(files.entry_count(), 1u);
  EXPECT_FALSE(files.find("b"_path));
  EXPECT_TRUE(files.exists("b"_path));
  files.thaw();
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), 1u) << "what was listed at mount is what is numbered";
  files.thaw();
  const std::string path = folder.path().string();
  const mount_request again{path.c_str(), {.writable = true}, {}};
  mount_id now;
  ASSERT_TRUE(files.remount({&*id, 1}, {&again, 1}, {&now, 1}) && files.freeze());
  EXPECT_EQ(files.entry_count(), 2u);
}

TEST(written_at_a_mount_point, file_makes_the_folders_above_it_appear) {
  temp_folder folder;
  file_system files;
  const result<mount_id> id = files.mount(folder.path(), {.at = "user/saves", .writable = true});
  ASSERT_TRUE(id);
  EXPECT_FALSE(files.exists("user"_path));
  put(files, *id, "user/saves/one", "1");
  EXPECT_THAT(listed(files, {}), ElementsAre("user/"));
  EXPECT_THAT(listed(files, "user"_path), ElementsAre("saves/"));
  EXPECT_EQ(load(files, "user/saves/one"), "1");
  ASSERT_TRUE(files.remove(*id, "user/saves/one"_path));
  EXPECT_THAT(listed(files, {}), IsEmpty());
  EXPECT_FALSE(files.exists("user"_path));
}

TEST(written_without_case, file_keeps_the_spelling_on_disk) {
  temp_folder folder;
  folder.write("Old/Deep/X.txt", "x");
  file_system files({.ignore_case = true});
  const result<mount_id> id = files.mount(folder.path(), {.at = "Saves", .writable = true});
  ASSERT_TRUE(id);
  put(files, *id, "SAVES/old/deep/x.TXT", "new x");
  put(files, *id, "saves/OLD/New.txt", "new");
  put(files, *id, "saves/old/NEW.TXT", "newer");
  namespace fs = std::filesystem;
  EXPECT_TRUE(fs::exists(folder / "Old/Deep/X.txt") && fs::exists(folder / "Old/New.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "Old"), {}), 2);
  EXPECT_EQ(load(files, "saves/old/deep/x.txt"), "new x");
  EXPECT_EQ(load(files, "SAVES/OLD/NEW.txt"), "newer");
  EXPECT_THAT(walked(files), ElementsAre("saves/old/deep/x.txt", "saves/old/new.txt"));
  ASSERT_TRUE(files.rename(*id, "saves/old"_path, "saves/Other"_path));
  EXPECT_TRUE(fs::exists(folder / "Other/Deep/X.txt"));
  EXPECT_EQ(load(files, "saves/other/DEEP/x.txt"), "new x");
  ASSERT_TRUE(files.remove(*id, "saves/OTHER/new.txt"_path));
  EXPECT_THAT(walked(files), ElementsAre("saves/other/deep/x.txt"));
}

TEST(written_by_many, threads_is_seen_by_all) {
  temp_folder folder;
  file_system files;
  const result<mount_id> id = files.mount(folder.path(), {.writable = true});
  ASSERT_TRUE(id && files.make_folder(*id, "a"_path));
  std::atomic<int> left{4};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string name = "a/" + std::to_string(t) + "-" + std::to_string(i);
        put(files, *id, name, name);
        if (load(files, name) != name) ADD_FAILURE() << name;
        if (i % 2 == 1 && !files.remove(*id, path_of(name))) ADD_FAILURE() << name;
      }
      --left;
    });
  }
  while (left > 0) {
    std::size_t count = 0;
    (void)files.enumerate("a"_path, [&](const folder_item&) { return ++count < 1000; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(walked(files).size(), 80u);
}

TEST_P(written, folder_is_listed_even_if_a_mod_removes_a_file_of_its_name) {
  if (GetParam()) files.thaw();
  mod.write(".wh.new", "");
  ASSERT_TRUE(files.mount(mod.path(), {.removal_markers = true}));
  for (const asset_path made : {"new"_path, "old/deep/new"_path}) {
    ASSERT_TRUE(files.make_folder(ids[1], made));
  }
  put(files, ids[1], "new/z.txt", "z");
  put(files, ids[1], "old/deep/new/z.txt", "z");
  EXPECT_THAT(listed(files, {}), ElementsAre("a.txt", "maps/", "mod.txt", "new/", "old/"));
  EXPECT_THAT(listed(files, "new"_path), ElementsAre("z.txt"));
  EXPECT_THAT(listed(files, "old/deep"_path), ElementsAre("new/", "y.txt"));
  ASSERT_TRUE(files.remove(ids[1], "new/z.txt"_path));
  EXPECT_THAT(listed(files, {}), ElementsAre("a.txt", "maps/", "mod.txt", "old/"));
}

// A folder with the name of a file in another mount, and files whose names begin alike.
TEST_P(written, folders_and_files_whose_names_begin_alike_are_listed_once) {
  for (const asset_path made : {"maps/deep"_path, "maps-2"_path}) {
    ASSERT_TRUE(files.make_folder(ids[1], made));
  }
  put(files, ids[1], "maps.txt", "");
  put(files, ids[1], "maps/oslo.txt", "");
  put(files, ids[1], "maps/deep/a.txt", "");
  put(files, ids[1], "maps/deep/b.txt", "");
  put(files, ids[1], "maps-2/a.txt", "");
  EXPECT_THAT(listed(files, {}),
              ElementsAre("a.txt", "maps/", "maps-2/", "maps.txt", "mod.txt", "old/"));
  EXPECT_THAT(listed(files, "maps"_path), ElementsAre("deep/", "oslo.txt", "rome.txt"));
  EXPECT_THAT(walked(files, "maps"_path),
              ElementsAre("maps/deep/a.txt", "maps/deep/b.txt", "maps/oslo.txt", "maps/rome.txt"));
}

// Records the size of the largest block.
class noting_allocator final : public allocator {
 public:
  std::size_t largest = 0;

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    largest = std::max(largest, bytes);
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    default_allocator().deallocate(block, bytes, alignment, tag);
  }
};

TEST(written_folders, are_listed_without_visiting_what_was_written_below) {
  temp_folder folder;
  noting_allocator memory;
  file_system files({.memory = &memory});
  const result<mount_id> id = files.mount(folder.path(), {.writable = true});
  ASSERT_TRUE(id);
  ASSERT_TRUE(files.make_folder(*id, "a/b"_path));
  for (int i = 0; i < 200; ++i) put(files, *id, "a/b/" + std::to_string(i), "");
  memory.largest = 0;
  EXPECT_THAT(listed(files, {}), ElementsAre("a/"));
  EXPECT_THAT(listed(files, "a"_path), ElementsAre("b/"));
  EXPECT_LT(memory.largest, 1000u);
  EXPECT_EQ(listed(files, "a/b"_path).size(), 200u);
  EXPECT_GT(memory.largest, 1000u);
}

TEST(written_names_refused, memory_fails_only_that_call) {
  temp_folder folder;
  folder.write("a/old", "old");
  for (std::uint64_t refused = 0;; ++refused) {
    ASSERT_LT(refused, 200u);
    failing_allocator memory(refused);
    file_system files({.memory = &memory});
    const result<mount_id> id = files.mount(folder.path(), {.writable = true});
    const std::uint64_t before = memory.refusals();
    if (!id) continue;
    const result<void> moved = files.rename(*id, "a"_path, "b"_path);
    const std::vector<std::string> now = walked(files);
    if (moved) {
      EXPECT_TRUE(now == std::vector<std::string>{"b/old"} || memory.refusals() > before);
      ASSERT_TRUE(files.rename(*id, "b"_path, "a"_path));
    } else {
      EXPECT_EQ(moved.error().code, errc::out_of_memory);
      EXPECT_TRUE(std::filesystem::exists(folder / "a/old")) << "not done by halves";
    }
    if (memory.refusals() == 0) break;
  }
}

// Names with the same hash, as an attacker could craft them.
TEST(written_names, distinguishes_names_with_one_hash) {
  vfs_detail::written_names names(default_allocator());
  EXPECT_FALSE(names.any());
  vfs_detail::written_name* const one = names.insert({"one", {7}}, "one");
  vfs_detail::written_name* const other = names.insert({"other", {7}}, "Other");
  ASSERT_TRUE(one && other);
  EXPECT_NE(one, other);
  EXPECT_EQ(names.insert({"one", {7}}, "x"), one);
  EXPECT_EQ(names.find({"other", {7}}), other);
  EXPECT_STREQ(other->on_disk, "Other");
  EXPECT_EQ(names.find({"none", {7}}), nullptr);
}

}  // namespace
}  // namespace overture::written_names_test
