// SPDX-License-Identifier: Zlib
//
// Options of a mount: mount point, position among the mounts, and mounting only a subfolder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"
#include "support/platform.hpp"
#include "vfs/game.hpp"

namespace overture::scan_mount_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::Pair;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string archive_with(const std::vector<std::string>& names) {
  zip_writer zip;
  for (const std::string& name : names) zip.add({.name = name, .data = name});
  return zip.bytes();
}

TEST_F(game, mounts_over_or_under_another) {
  mount_all(files);
  folder.write("patch/b.txt", "patch b");
  const std::string patch = folder / "patch";
  const result<mount_id> middle = files.mount(patch.c_str(), {.wins_over = ids[1]});
  ASSERT_TRUE(middle);
  const result<mount_id> lowest = files.mount(patch.c_str(), {.loses_to = ids[0]});
  ASSERT_TRUE(lowest);
  mount_id found[5];
  ASSERT_EQ(files.providers("b.txt"_path, found), 5u);
  EXPECT_THAT(found, ElementsAre(ids[2], *middle, ids[1], ids[0], *lowest));
  EXPECT_EQ(files.mount_at(0).id, *lowest);
  ASSERT_TRUE(files.freeze());
  ASSERT_EQ(files.providers(*files.find("b.txt"_path), found), 5u);
  EXPECT_THAT(found, ElementsAre(ids[2], *middle, ids[1], ids[0], *lowest));
}

TEST_F(game, mounts_over_or_under_another_if_the_first_wins) {
  file_system first({.first_wins = true});
  mount_all(first);
  const std::string dlc = folder / "dlc";
  const result<mount_id> over = first.mount(dlc.c_str(), {.wins_over = ids[1]});
  const result<mount_id> under = first.mount(dlc.c_str(), {.loses_to = ids[1]});
  ASSERT_TRUE(over && under);
  mount_id found[5];
  ASSERT_EQ(first.providers("b.txt"_path, found), 5u);
  EXPECT_THAT(found, ElementsAre(ids[0], *over, ids[1], *under, ids[2]));
}

TEST_F(game, refuses_a_position_next_to_no_mount) {
  mount_all(files);
  const std::string dlc = folder / "dlc";
  EXPECT_EQ(files.mount(dlc.c_str(), {.wins_over = {77}}).error().code, errc::not_found);
  EXPECT_EQ(files.mount(dlc.c_str(), {.wins_over = ids[0], .loses_to = ids[1]}).error().code,
            errc::invalid);
  EXPECT_EQ(files.mount_count(), 3u);
}

TEST_F(game, mounts_a_folder_of_an_archive) {
  zip_writer zip;
  zip.add({.name = "game/data/a.txt", .data = "a"});
  zip.add({.name = "game/data/maps/rome.txt", .data = "rome", .method = zip_deflated});
  zip.add({.name = "game/data/link", .data = "maps/rome.txt", .mode = zip_mode_link});
  zip.add({.name = "game/database", .data = "beside it"});
  zip.add({.name = "game/data/../skipped", .data = "x"});
  zip.add({.name = "other/../skipped", .data = "x"});
  zip.save(folder / "deep.zip");
  ASSERT_TRUE(files.mount((folder / "deep.zip").c_str(), {.at = "at", .from = "/game/data/"}));
  EXPECT_EQ(files.skipped_count(), 1u);
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("at/a.txt", "a"), Pair("at/link", "rome"),
                                           Pair("at/maps/rome.txt", "rome")));
}

TEST_F(game, takes_the_folder_of_an_archive_in_any_spelling) {
  zip_writer zip;
  zip.add({.name = "game\\gr\x81n\\a.txt", .data = "a"});
  zip.add({.name = "other/b.txt", .data = "b"});
  zip.save(folder / "deep.zip");
  const std::string path = folder / "deep.zip";
  for (const char* from :
       {"game/grün", "/game/grün/", "game\\grün", "./game//grün/.", ".\\game\\gr\x81n\\"}) {
    file_system narrowed;
    ASSERT_TRUE(narrowed.mount(path.c_str(), {.from = from})) << from;
    EXPECT_EQ(load(narrowed, "a.txt"), "a") << from;
    EXPECT_EQ(narrowed.mount_at(0).entries, 1u);
  }
  for (const char* from : {"/", ".", "./", "\\"}) {
    file_system whole;
    ASSERT_TRUE(whole.mount(path.c_str(), {.from = from})) << from;
    EXPECT_EQ(whole.mount_at(0).entries, 2u) << from;
  }
  EXPECT_EQ(files.mount(path.c_str(), {.from = "game\\.."}).error().code, errc::bad_path);
  EXPECT_EQ(files.mount(path.c_str(), {.from = "C:\\game"}).error().code, errc::bad_path);
}

TEST_F(game, mounts_a_folder_of_a_folder) {
  ASSERT_TRUE(files.mount((folder / "dlc").c_str(), {.from = "maps"}));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("paris.txt", "dlc paris")));
}

TEST_F(game, refuses_a_folder_that_the_archive_does_not_have) {
  const auto refused = [&](const char* from) {
    return files.mount((folder / "base.zip").c_str(), {.from = from}).error().code;
  };
  EXPECT_EQ(refused("nothing"), errc::not_found);
  EXPECT_EQ(refused("a.txt"), errc::not_found) << "a file";
  EXPECT_EQ(refused("../up"), errc::bad_path);
}

TEST(archive, of_which_every_file_is_skipped_is_a_failure) {
  const std::string bytes = archive_with({"../a", "C:/b"});
  memory_file_os os(bytes);
  file_system files({.os = &os});
  const result<mount_id> mounted = files.mount("test.zip");
  ASSERT_TRUE(mounted);
  EXPECT_EQ(files.mount_of(*mounted).failures, 1u);
  ASSERT_EQ(files.failure_count(), 1u);
  EXPECT_EQ(files.failure(0).path, "");
  EXPECT_EQ(files.failure(0).why.code, errc::unsupported);
  EXPECT_STREQ(files.failure(0).why.reason, "every file of the archive was skipped");
  EXPECT_EQ(files.skipped_count(), 2u) << "which say why";
}

TEST(archive, without_files_or_with_one_that_is_not_skipped_is_no_failure) {
  zip_writer only_a_folder;
  only_a_folder.add({.name = "folder/", .mode = zip_mode_folder});
  for (const std::string& bytes :
       {archive_with({}), only_a_folder.bytes(), archive_with({"../a", "b"})}) {
    memory_file_os os(bytes);
    file_system files({.os = &os});
    ASSERT_TRUE(files.mount("test.zip"));
    EXPECT_EQ(files.failure_count(), 0u);
  }
}

TEST_F(game, has_no_failure_if_every_file_of_a_folder_is_skipped) {
  if (on_windows) GTEST_SKIP() << needs_other_names;
  folder.write("odd/back\\slash", "x");
  ASSERT_TRUE(files.mount((folder / "odd").c_str()));
  EXPECT_EQ(files.skipped_count(), 1u);
  EXPECT_EQ(files.failure_count(), 0u);
}

TEST_F(game, changes_a_whole_set_or_nothing) {
  mount_all(files);
  const std::string dlc = folder / "dlc";
  const std::string none = folder / "none";
  const mount_request wrong[] = {{dlc.c_str()}, {none.c_str()}};
  mount_id made[2];
  std::size_t culprit = 0;
  EXPECT_EQ(files.remount(ids, wrong, made, &culprit).error().code, errc::not_found);
  EXPECT_EQ(culprit, 1u);
  EXPECT_EQ(files.mount_count(), 3u);
  EXPECT_EQ(load(files, "b.txt"), "mod b");
  const mount_request right[] = {{dlc.c_str()}, {dlc.c_str(), {.at = "two"}}};
  const mount_id unknown[] = {ids[0], {99}};
  EXPECT_EQ(files.remount(unknown, right, made, &culprit).error().code, errc::not_found);
  EXPECT_EQ(culprit, 2u) << "what should go is not there";
  EXPECT_EQ(files.remount(ids, right, {made, 1}).error().code, errc::invalid) << "no room for ids";
  EXPECT_EQ(load(files, "a.txt"), "base a");
  const auto before = ids;
  EXPECT_EQ(files.remount(ids, wrong, ids).error().code, errc::not_found);
  EXPECT_EQ(ids, before);
  ASSERT_TRUE(files.remount(ids, right, ids)) << "the ids may go where they came from";
  std::copy_n(ids.begin(), 2, made);
  EXPECT_EQ(files.mount_count(), 2u);
  EXPECT_EQ(files.mount_of(made[1]).at, "two");
  EXPECT_EQ(load(files, "two/b.txt"), "dlc b");
  EXPECT_FALSE(files.exists("a.txt"_path));
}

TEST_F(game, reports_a_change_while_frozen_to_the_host) {
  int told = 0;
  file_system trapped(
      {.on_frozen_change = [](void* at) noexcept { ++*static_cast<int*>(at); }, .context = &told});
  mount_all(trapped);
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(trapped.freeze());
  EXPECT_EQ(trapped.unmount(ids[0]).error().code, errc::frozen);
  EXPECT_EQ(told, 1);
}

// A small archive could otherwise take an excessive amount of memory.
TEST(file_system, refuses_an_archive_with_too_many_folders) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= limits::folders_max / 100; ++i) {
    std::string name = std::to_string(10'000 + i);
    for (int depth = 0; depth < 100; ++depth) name += "/a";
    names.push_back(name);
  }
  const std::string zip = archive_with(names);
  file_system files;
  EXPECT_EQ(files.mount_memory("zip", bytes_of(zip)).error().code, errc::limit);
}

// --- Archives in memory, and storage of the host's own -------------------------------------------

TEST(file_system, reads_an_archive_in_memory) {
  const std::string zip = archive_with({"a", "b/c"});
  file_system files;
  const result<mount_id> id = files.mount_memory("built in", bytes_of(zip), {.at = "at"});
  ASSERT_TRUE(id);
  EXPECT_EQ(files.mount_of(*id).path, "built in");
  EXPECT_EQ(load(files, "at/b/c"), "b/c");
  EXPECT_EQ(files.mount_memory("empty", {}).error().code, errc::unsupported);
}

TEST(file_system, reads_a_mount_on_storage_of_the_hosts_own) {
  const std::string zip = archive_with({"a"});
  memory_file_os storage(zip);
  file_system files;
  const result<mount_id> id = files.mount("console://disk", {.os = &storage});
  ASSERT_TRUE(id);
  const int calls = storage.calls();
  EXPECT_EQ(load(files, "a"), "a");
  EXPECT_GT(storage.calls(), calls);
  ASSERT_TRUE(files.unmount(*id));
  EXPECT_EQ(storage.open_handles(), 0);
}

// --- Against a model -----------------------------------------------------------------------------

struct model_mount {
  mount_id id;
  std::set<std::string> files;
};

bool has(const model_mount& mount, const std::string& path) {
  const auto below = mount.files.lower_bound(path + "/");
  return mount.files.contains(path) ||
         (below != mount.files.end() && below->starts_with(path + "/"));
}

void expect_same(file_system& files, const std::vector<model_mount>& model,
                 const std::set<std::string>& paths) {
  for (const std::string& path : paths) {
    std::vector<mount_id> expected;
    for (auto mount = model.rbegin(); mount != model.rend(); ++mount) {
      if (has(*mount, path)) expected.push_back(mount->id);
    }
    std::vector<mount_id> found(expected.size() + 1);
    const asset_path asked{path, {hash64(path)}};
    found.resize(std::min(found.size(), files.providers(asked, found)));
    ASSERT_EQ(found, expected) << path;
    ASSERT_EQ(files.exists(asked), !expected.empty()) << path;
  }
  std::set<std::string> all;
  for (const model_mount& mount : model) all.insert(mount.files.begin(), mount.files.end());
  std::set<std::string> walked;
  ASSERT_TRUE(files.walk({}, [&](const folder_item& item) {
    EXPECT_TRUE(walked.insert(std::string(item.path)).second) << "twice: " << item.path;
    return true;
  }));
  ASSERT_EQ(walked, all);
}

TEST(file_system, agrees_with_a_model_after_any_change) {
  std::mt19937 random(20261122);
  std::set<std::string> paths;
  for (int i = 0; i < 300; ++i) {
    const std::string folder = "f" + std::to_string(i % 13);
    paths.insert({folder, folder + "/g" + std::to_string(i % 3) + "/" + std::to_string(i)});
  }
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (path.find('/') != std::string::npos) names.push_back(path);
  }
  file_system files;
  std::vector<model_mount> model;  // the last wins
  std::vector<std::string> archives;
  archives.reserve(200);
  for (int round = 0; round < 60; ++round) {
    if (!model.empty() && random() % 3 == 0) {
      const auto gone = model.begin() + static_cast<std::ptrdiff_t>(random() % model.size());
      ASSERT_TRUE(files.unmount(gone->id));
      model.erase(gone);
    } else {
      std::shuffle(names.begin(), names.end(), random);
      const std::size_t count = 1 + random() % (round < 20 ? 20 : names.size());
      model_mount added;
      added.files.insert(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
      archives.push_back(archive_with({added.files.begin(), added.files.end()}));
      auto place = model.end();
      mount_options options;
      if (!model.empty() && random() % 2 == 0) {
        place = model.begin() + static_cast<std::ptrdiff_t>(random() % model.size());
        options.loses_to = place->id;
      }
      const result<mount_id> id = files.mount_memory("zip", bytes_of(archives.back()), options);
      ASSERT_TRUE(id);
      added.id = *id;
      model.insert(place, added);
    }
    expect_same(files, model, paths);
  }
}

TEST(file_system, is_unchanged_when_a_change_runs_out_of_memory) {
  const std::string one = archive_with({"a", "b/c", "b/d"});
  const std::string other = archive_with({"a", "b/c", "e"});
  for (std::uint64_t refused = 0;; ++refused) {
    failing_allocator memory(refused, false);
    file_system files({.memory = &memory});
    const result<mount_id> first = files.mount_memory("one", bytes_of(one));
    const result<mount_id> second = files.mount_memory("other", bytes_of(other));
    result<void> unmounted;
    if (first) unmounted = files.unmount(*first);
    const bool with_first = first && !unmounted;
    for (const auto& [path, count] :
         {std::pair{"a"_path, with_first + second.has_value()},
          std::pair{"b/d"_path, int{with_first}}, std::pair{"e"_path, int{second.has_value()}}}) {
      EXPECT_EQ(files.providers(path, {}), static_cast<std::size_t>(count)) << path.text;
    }
    if (memory.refusals() == 0) break;
    ASSERT_LT(refused, 500u);
  }
}

}  // namespace
}  // namespace overture::scan_mount_test
