// SPDX-License-Identifier: Zlib
#include "overture/vfs/file_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "support/failing_allocator.hpp"
#include "support/platform.hpp"
#include "vfs/game.hpp"

namespace overture::file_system_test {
namespace {

namespace fs = std::filesystem;
using namespace literals;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST_F(game, describes_its_mounts) {
  mount_all(files);
  ASSERT_TRUE(files.mount((folder / "dlc").c_str(), {.at = "again/here"}));
  ASSERT_EQ(files.mount_count(), 4u);
  EXPECT_EQ(files.mount_at(0).path, folder / "base.zip");
  EXPECT_EQ(files.mount_at(1).format, mount_format::folder);
  EXPECT_EQ(files.mount_of(ids[2]).entries, 2u);
  EXPECT_EQ(files.mount_of(ids[2]).id, ids[2]);
  EXPECT_EQ(files.mount_at(3).at, "again/here");
  EXPECT_STREQ(to_string(mount_format::zip), "zip");
  EXPECT_STREQ(to_string(mount_format::folder), "folder");
}

// --- Freezing ------------------------------------------------------------------------------------

TEST_F(game, refuses_changes_while_frozen) {
  mount_all(files);
  EXPECT_FALSE(files.frozen());
  ASSERT_TRUE(files.freeze());
  EXPECT_TRUE(files.frozen());
  ASSERT_TRUE(files.freeze()) << "twice is no error";
  EXPECT_EQ(files.mount((folder / "dlc").c_str()).error().code, errc::frozen);
  EXPECT_EQ(files.unmount(ids[0]).error().code, errc::frozen);
  EXPECT_EQ(files.mount_count(), 3u);

  files.thaw();
  EXPECT_FALSE(files.frozen());
  EXPECT_EQ(files.find("a.txt"_path).error().code, errc::not_found) << "names no entry";
  EXPECT_EQ(files.entry_count(), 0u);
  ASSERT_TRUE(files.unmount(ids[2]));
  EXPECT_EQ(files.unmount(ids[2]).error().code, errc::not_found);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(load(files, "b.txt"), "dlc b");
  EXPECT_EQ(files.mount_of(ids[1]).id, ids[1]);
  EXPECT_EQ(load(files, "a.txt"), "base a");
}

TEST_F(game, accepts_a_hint_for_any_number) {
  mount_all(files);
  files.fetch_ahead(0);  // not frozen: there are no numbers
  ASSERT_TRUE(files.freeze());
  for (entry_index i = 0; i <= files.entry_count(); ++i) files.fetch_ahead(i);
  files.fetch_ahead(UINT32_MAX);
  EXPECT_EQ(load(files, "a.txt"), "base a");
}

TEST_F(game, never_reuses_a_mount_id) {
  mount_all(files);
  ASSERT_TRUE(files.unmount(ids[2]));
  const result<mount_id> again = files.mount((folder / "mod.zip").c_str());
  ASSERT_TRUE(again);
  EXPECT_NE(*again, ids[2]);
}

TEST_F(game, forgets_sources_of_unmounted_archives) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const source_id source = files.open("a.txt"_path)->place().source;
  ASSERT_TRUE(files.source(source));
  files.thaw();
  ASSERT_TRUE(files.unmount(ids[0]));
  EXPECT_EQ(files.source(source).error().code, errc::not_found);
}

TEST(file_system, reports_what_cannot_be_mounted) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  temp_folder folder;
  folder.write("text", "no archive");
  folder.write("empty", "");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  file_system files;
  const auto failure = [&](const std::string& path, const mount_options& options = {}) {
    return files.mount(path.c_str(), options).error().code;
  };
  EXPECT_EQ(failure(folder / "nothing"), errc::not_found);
  EXPECT_EQ(failure(folder / "text"), errc::unsupported);
  EXPECT_EQ(failure(folder / "empty"), errc::unsupported);
  EXPECT_EQ(failure(folder / "pipe"), errc::not_a_file);
  EXPECT_EQ(failure("/dev/null"), errc::not_a_file);
  EXPECT_EQ(failure(folder.path().string(), {.at = "../up"}), errc::bad_path);
  EXPECT_EQ(files.mount_count(), 0u);
  ASSERT_TRUE(files.freeze());
  EXPECT_EQ(files.entry_count(), 0u);
}

// --- Memory and handles --------------------------------------------------------------------------

std::size_t descriptors_open() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(game, opened_files_close_their_descriptors) {
  folder.write("dlc/c.txt", "c");
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const std::size_t before = descriptors_open();
  {
    result<opened_file> one = files.open("maps/paris.txt"_path);
    result<opened_file> other = files.open("c.txt"_path);
    const result<opened_file> packed = files.open("a.txt"_path);
    ASSERT_TRUE(one && other && packed);
    EXPECT_EQ(descriptors_open(), before + 2) << "archives are open already";
    *one = std::move(*other);
    EXPECT_EQ(descriptors_open(), before + 1);
    const opened_file last = std::move(*one);
    EXPECT_TRUE(files.source(last.place().source));
    EXPECT_EQ(descriptors_open(), before + 1);
  }
  EXPECT_EQ(descriptors_open(), before);
}

TEST_F(game, closes_everything_when_destroyed) {
  const std::size_t before = descriptors_open();
  {
    file_system some;
    mount_all(some);
    ASSERT_TRUE(some.unmount(ids[0]));
    ASSERT_TRUE(some.freeze());
  }
  EXPECT_EQ(descriptors_open(), before);
}

// Does everything once. Anything may fail as out_of_memory; what succeeds must be right.
void use_all(const temp_folder& folder, allocator& memory) {
  const auto only_memory = [](const error& why) {
    EXPECT_EQ(why.code, errc::out_of_memory) << why.reason;
  };
  file_system files({.memory = &memory});
  bool complete = true;
  for (const char* name : {"odd.zip", "dlc", "base.zip", "mod.zip"}) {
    const result<mount_id> mount = files.mount((folder / name).c_str(), {.at = "at"});
    if (!mount) only_memory(mount.error());
    complete = complete && mount;
  }
  const result<void> frozen = files.freeze();
  if (!frozen) return only_memory(frozen.error());
  buffer_pool buffers({.memory = &memory});
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info info = files.entry(i);
    const result<blob> bytes = files.read_all({info.path, info.id}, buffers);
    if (!bytes) {
      only_memory(bytes.error());
    } else if (complete && info.path == "at/b.txt") {
      EXPECT_EQ(to_text(bytes->span()), "mod b");
    }
  }
}

TEST_F(game, survives_any_refused_allocation) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  zip_writer odd;
  odd.add({.name = "twice", .data = "1"});
  odd.add({.name = "twice", .data = "2"});
  odd.add({.name = "../skipped", .data = "x"});
  odd.add({.name = "link", .data = "twice", .mode = zip_mode_link});
  odd.add({.name = "no link", .data = "nowhere", .mode = zip_mode_link});
  odd.comment = std::string(UINT16_MAX, 'c');
  odd.save(folder / "odd.zip");
  fs::create_symlink("b.txt", folder / "dlc/link");
  fs::create_symlink("maps", folder / "dlc/folder link");
  folder.write("dlc/bad\\name", "");
  for (const bool and_after : {false, true}) {
    std::uint64_t refused = 0;
    for (;; ++refused) {
      failing_allocator memory(refused, and_after);
      use_all(folder, memory);
      EXPECT_EQ(memory.live_bytes(), 0) << "leaked when allocation " << refused << " was refused";
      if (memory.refusals() == 0) break;
    }
    EXPECT_GT(refused, 50u);
  }
}

// --- Threads -------------------------------------------------------------------------------------

TEST_F(game, can_be_read_by_many_threads_at_once) {
  mount_all(files);
  ASSERT_TRUE(files.freeze());
  const std::map<std::string, std::string> expected = load_all(files);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (load_all(files) != expected) ++wrong;
        result<opened_file> kept = files.open("maps/paris.txt"_path);
        if (!kept || !files.source(kept->place().source)) ++wrong;
        char text[256];
        if (kept && files.describe(kept->place().source, text) == 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace overture::file_system_test
