// SPDX-License-Identifier: Zlib
//
// Mounting and unmounting while files are open and while other threads look up, open and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/guards.hpp"
#include "vfs/game.hpp"

namespace overture::mount_table_test {
namespace {

using namespace literals;
using ::testing::ElementsAre;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// An archive with files "shared/0" ... that contain its name, and one file of its own.
std::string archive_of(const std::string& owner, int count) {
  zip_writer zip;
  for (int i = 0; i < count; ++i) {
    zip.add({.name = "shared/" + std::to_string(i),
             .data = owner,
             .method = i % 2 == 0 ? zip_stored : zip_deflated});
  }
  zip.add({.name = "own/" + owner, .data = owner});
  return zip.bytes();
}

TEST_F(game, can_be_looked_up_without_being_frozen) {
  mount_all(files);
  EXPECT_EQ(load(files, "b.txt"), "mod b");
  EXPECT_EQ(load(files, "maps/rome.txt"), "base rome");
  EXPECT_EQ(load(files, "nowhere"), "error: not_found");
  ASSERT_TRUE(files.unmount(ids[2]));
  EXPECT_EQ(load(files, "b.txt"), "dlc b");
  ASSERT_TRUE(files.unmount(ids[1]));
  EXPECT_EQ(load(files, "b.txt"), "base b");
  ASSERT_TRUE(files.unmount(ids[0]));
  EXPECT_EQ(load(files, "b.txt"), "error: not_found");
}

TEST_F(game, is_looked_up_without_a_lock_or_an_allocation) {
  mount_all(files);
  EXPECT_TRUE(files.exists("a.txt"_path)) << "a thread's first look-up takes memory";
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  mount_id mounts[3];
  EXPECT_TRUE(files.exists("b.txt"_path));
  EXPECT_FALSE(files.exists("c.txt"_path));
  EXPECT_TRUE(files.stat("b.txt"_path));
  EXPECT_EQ(files.providers("b.txt"_path, mounts), 3u);
  EXPECT_TRUE(files.open("b.txt"_path));
}

TEST_F(game, keeps_an_open_file_when_its_mount_is_unmounted) {
  mount_all(files);
  result<opened_file> packed = files.open("a.txt"_path);
  const result<opened_file> loose = files.open("maps/paris.txt"_path);
  ASSERT_TRUE(packed && loose);
  for (const mount_id id : ids) ASSERT_TRUE(files.unmount(id));
  EXPECT_FALSE(files.exists("a.txt"_path));
  for (const bool is_packed : {true, false}) {
    const file_place& place = is_packed ? packed->place() : loose->place();
    const result<open_source> from = files.source(place.source);
    ASSERT_TRUE(from);
    std::string read(place.read_bytes, ' ');
    ASSERT_TRUE(
        read_fully(*from->os, from->handle, place.offset, std::as_writable_bytes(std::span(read))));
    EXPECT_NE(read.find(is_packed ? "base a" : "dlc paris"), std::string::npos);
  }
  const source_id source = packed->place().source;
  std::thread([&] { *packed = opened_file(); }).join();
  EXPECT_FALSE(files.source(source)) << "closed on another thread, the mount has ended";
}

TEST(file_system, calls_release_when_the_last_file_of_a_mount_is_closed) {
  const std::string zip = archive_of("mod", 1);
  int released = 0;
  const mount_release count{[](void* at) noexcept { ++*static_cast<int*>(at); }, &released};
  {
    file_system files;
    const result<mount_id> id = files.mount_memory("mod", bytes_of(zip), {.release = count});
    ASSERT_TRUE(id);
    {
      const result<opened_file> file = files.open("own/mod"_path);
      ASSERT_TRUE(file);
      ASSERT_TRUE(files.unmount(*id));
      EXPECT_EQ(released, 0);
    }
    EXPECT_EQ(released, 1);
    ASSERT_TRUE(files.mount_memory("mod", bytes_of(zip), {.release = count}));
    EXPECT_FALSE(files.mount_memory("mod", bytes_of("no zip"), {.release = count}));
    EXPECT_EQ(released, 1) << "not for what was never mounted";
  }
  EXPECT_EQ(released, 2) << "or at the end of the file_system";
}

TEST(file_system, releases_what_a_visitor_unmounts_after_the_visit) {
  const std::string zip = archive_of("mod", 3);
  int released = 0;
  file_system files;
  const result<mount_id> id = files.mount_memory(
      "mod", bytes_of(zip),
      {.release = {[](void* at) noexcept { ++*static_cast<int*>(at); }, &released}});
  ASSERT_TRUE(id);
  std::vector<std::string> seen;
  ASSERT_TRUE(files.enumerate("shared"_path, [&](const folder_item& item) {
    const bool first = seen.empty();
    EXPECT_TRUE(!first || files.unmount(*id));
    EXPECT_FALSE(files.exists("shared/1"_path)) << "a look-up in it sees the new state";
    seen.emplace_back(item.name);
    EXPECT_EQ(released, 0);
    return true;
  }));
  EXPECT_THAT(seen, ElementsAre("0", "1", "2"));
  EXPECT_EQ(released, 1);
}

TEST(file_system, frees_all_memory_of_many_mounts_with_the_same_names) {
  std::vector<std::string> zips;
  for (int i = 0; i < 40; ++i) zips.push_back(archive_of("mod" + std::to_string(i), 30));
  tracking_allocator memory;
  {
    file_system files({.memory = &memory});
    std::vector<mount_id> ids;
    for (const std::string& zip : zips) {
      const result<mount_id> id = files.mount_memory("mod", bytes_of(zip));
      ASSERT_TRUE(id);
      ids.push_back(*id);
    }
    EXPECT_EQ(files.providers("shared/3"_path, {}), 40u);
    for (std::size_t i = 0; i < ids.size(); i += 2) ASSERT_TRUE(files.unmount(ids[i]));
    EXPECT_EQ(files.providers("shared/3"_path, {}), 20u);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

// --- Several threads -----------------------------------------------------------------------------

TEST(file_system, swaps_mounts_in_one_step) {
  const std::string zips[2] = {archive_of("a", 8), archive_of("b", 8)};
  file_system files;
  const auto request = [&](int which) {
    return mount_request{which == 0 ? "a" : "b", {}, bytes_of(zips[which])};
  };
  std::vector<mount_id> mounted(1);
  const mount_request first = request(0);
  ASSERT_TRUE(files.remount({}, {&first, 1}, mounted));
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        mount_id found[2];
        if (files.providers("shared/3"_path, found) != 1) ++wrong;
        std::vector<mount_id> owners;
        const bool listed = files
                                .walk({},
                                      [&](const folder_item& item) {
                                        owners.push_back(item.mount);
                                        return true;
                                      })
                                .has_value();
        if (!listed || owners.size() != 9) ++wrong;
        for (const mount_id owner : owners) wrong += owner == owners[0] ? 0 : 1;
      }
    });
  }
  for (int round = 1; round <= 300; ++round) {
    const mount_request next = request(round % 2);
    std::vector<mount_id> now(1);
    ASSERT_TRUE(files.remount(mounted, {&next, 1}, now));
    mounted = now;
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

// What every reader checks: files that are always mounted are always found, and the content is from
// a mount that has the file.
void read_for_a_round(file_system& files, buffer_pool& buffers, std::atomic<int>& wrong) {
  for (int i = 0; i < 20; ++i) {
    const std::string path = "shared/" + std::to_string(i);
    const asset_path asked{path, {hash64(path)}};
    if (!files.exists(asked) || !files.stat(asked)) ++wrong;
    result<opened_file> opened = files.open(asked);
    if (!opened || !files.source(opened->place().source)) ++wrong;
    const std::string content = load(files, path, buffers);
    if (content != "base" && !content.starts_with("mod")) ++wrong;
  }
  int names = 0;
  std::string last;
  const result<void> listed = files.enumerate("shared"_path, [&](const folder_item& item) {
    if (!(last < item.name)) ++wrong;
    last = item.name;
    ++names;
    return true;
  });
  if (!listed || names < 20) ++wrong;
}

// OVERTURE_STRESS_SECONDS sets the duration of the next test.
bool more_time() {
  static const char* const wanted = std::getenv("OVERTURE_STRESS_SECONDS");
  static const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(wanted ? std::atoi(wanted) : 0);
  return std::chrono::steady_clock::now() < end;
}

TEST(file_system, can_be_read_by_four_threads_while_two_mount_and_unmount) {
  const std::string base = archive_of("base", 20);
  std::vector<std::string> mods;
  for (int i = 0; i < 4; ++i) mods.push_back(archive_of("mod" + std::to_string(i), 5 + 30 * i));
  temp_folder folder;
  for (int i = 0; i < 30; ++i) folder.write("shared/" + std::to_string(i), "mod folder");
  std::atomic<int> released{0};
  std::atomic<int> wrong{0};
  std::atomic<int> mounted{0};
  {
    file_system files;
    ASSERT_TRUE(files.mount_memory("base", bytes_of(base)));
    std::atomic<int> writing{2};
    std::vector<std::thread> threads;
    for (std::size_t writer = 0; writer < 2; ++writer) {
      threads.emplace_back([&, writer] {
        const mount_release count{[](void* at) noexcept { ++*static_cast<std::atomic<int>*>(at); },
                                  &released};
        for (std::size_t round = 0; round < 60 || more_time(); ++round) {
          const std::string& mod = mods[2 * writer + round % 2];
          const result<mount_id> id = files.mount_memory("mod", bytes_of(mod), {.release = count});
          const result<mount_id> loose = files.mount(folder.path());
          if (!id || !loose) ++wrong;
          ++mounted;
          if (!files.unmount(*id) || !files.unmount(*loose)) ++wrong;
        }
        --writing;
      });
    }
    for (int reader = 0; reader < 4; ++reader) {
      threads.emplace_back([&] {
        buffer_pool buffers;
        while (writing > 0) read_for_a_round(files, buffers, wrong);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(released, mounted) << "all have gone, though nothing waited for readers";
    EXPECT_EQ(files.mount_count(), 1u);
  }
  EXPECT_EQ(wrong, 0);
}

TEST(file_system, can_be_frozen_while_other_threads_look_up) {
  const std::string base = archive_of("base", 20);
  file_system files;
  ASSERT_TRUE(files.mount_memory("base", bytes_of(base)));
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    buffer_pool buffers;
    while (!over) read_for_a_round(files, buffers, wrong);
  });
  ASSERT_TRUE(files.freeze());
  over = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace overture::mount_table_test
