// SPDX-License-Identifier: Zlib
#include <physfs.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"

namespace {

using overture::temp_folder;
using overture::zip_writer;

// What readers do must hold whatever is mounted besides.
void read_everything(const std::atomic<bool>& stop, std::atomic<int>& failures) {
  const auto check = [&failures](bool right) {
    if (!right) failures.fetch_add(1);
  };
  while (!stop.load()) {
    check(PHYSFS_exists("kept.txt") == 1);
    check(PHYSFS_exists("nowhere.txt") == 0);
    check(PHYSFS_getLastErrorCode() == PHYSFS_ERR_NOT_FOUND);
    PHYSFS_Stat stat{};
    check(PHYSFS_stat("kept.txt", &stat) == 1 && stat.filesize == 4);
    check(PHYSFS_getRealDir("kept.txt") != nullptr);
    PHYSFS_File* const file = PHYSFS_openRead("kept.txt");
    check(file != nullptr);
    char text[4];
    check(file && PHYSFS_readBytes(file, text, 4) == 4);
    check(PHYSFS_close(file) == 1);
    char** const names = PHYSFS_enumerateFiles("/");
    check(names && names[0]);
    PHYSFS_freeList(static_cast<void*>(names));
  }
}

TEST(physfs_threads, readers_go_on_while_archives_come_and_go) {
  const temp_folder folder;
  zip_writer().add({.name = "kept.txt", .data = "kept"}).save(folder / "kept.zip");
  zip_writer().add({.name = "other.txt", .data = "other"}).save(folder / "other.zip");
  folder.write("loose/more.txt", "more");
  ASSERT_EQ(PHYSFS_init("program"), 1);
  ASSERT_EQ(PHYSFS_mount((folder / "kept.zip").c_str(), nullptr, 1), 1);
  // So many archives are indexed by their readers.
  for (int i = 0; i < 6; ++i) {
    const std::string name = "mod" + std::to_string(i);
    zip_writer().add({.name = name, .data = name}).save(folder / (name + ".zip"));
    ASSERT_EQ(PHYSFS_mount((folder / (name + ".zip")).c_str(), nullptr, 1), 1);
  }
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back([&] { read_everything(stop, failures); });
  for (int i = 0; i < 200; ++i) {
    const std::string name = folder / (i % 2 == 0 ? "other.zip" : "loose");
    EXPECT_EQ(PHYSFS_mount(name.c_str(), nullptr, i % 3), 1);
    EXPECT_EQ(PHYSFS_unmount(name.c_str()), 1);
  }
  stop.store(true);
  for (std::thread& each : readers) each.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(PHYSFS_deinit(), 1);
}

TEST(physfs_threads, the_last_error_is_that_of_the_thread) {
  ASSERT_EQ(PHYSFS_init("program"), 1);
  PHYSFS_setErrorCode(PHYSFS_ERR_BUSY);
  std::thread([] {
    EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_OK);
    PHYSFS_setErrorCode(PHYSFS_ERR_IO);
  }).join();
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_BUSY);
  EXPECT_EQ(PHYSFS_deinit(), 1);
}

TEST(physfs_threads, a_file_may_be_closed_by_another_thread) {
  const temp_folder folder;
  folder.write("a.txt", "a");
  ASSERT_EQ(PHYSFS_init("program"), 1);
  ASSERT_EQ(PHYSFS_mount(folder.name().c_str(), nullptr, 1), 1);
  for (int i = 0; i < 100; ++i) {
    PHYSFS_File* const file = PHYSFS_openRead("a.txt");
    ASSERT_NE(file, nullptr);
    std::thread([file] { EXPECT_EQ(PHYSFS_close(file), 1); }).join();
  }
  EXPECT_EQ(PHYSFS_unmount(folder.name().c_str()), 1);
  EXPECT_EQ(PHYSFS_deinit(), 1);
}

}  // namespace
