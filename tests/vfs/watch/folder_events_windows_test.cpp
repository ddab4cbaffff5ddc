// SPDX-License-Identifier: Zlib
//
// Changes in mounted folders, as Windows tells them: some time after they were made, so a test
// polls until it has heard of the last one.
#include "vfs/watch/folder_events.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/system/paths_windows.hpp"
#include "overture/vfs/file_watch.hpp"
#include "support/temp_folder.hpp"

namespace overture::folder_events_windows_test {
namespace {

namespace fs = std::filesystem;
using namespace literals;

// Wine tells only of what is in the watched folder itself.
bool hears_of_folders_below() {
  const temp_folder folder;
  folder.write("below/a", "");
  const HANDLE handle =
      CreateFileW(folder.path().c_str(), FILE_LIST_DIRECTORY,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                  FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OVERLAPPED, nullptr);
  OVERLAPPED state{};
  state.hEvent = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  alignas(DWORD) char room[1024] = {};
  (void)ReadDirectoryChangesW(handle, room, sizeof room, TRUE, FILE_NOTIFY_CHANGE_FILE_NAME,
                              nullptr, &state, nullptr);
  folder.write("below/b", "");
  folder.write("last", "");
  DWORD bytes = 0;
  (void)GetOverlappedResult(handle, &state, &bytes, TRUE);
  const auto& first = *reinterpret_cast<const FILE_NOTIFY_INFORMATION*>(room);
  const std::wstring_view name(first.FileName, first.FileNameLength / sizeof(wchar_t));
  (void)CloseHandle(handle);
  (void)CloseHandle(state.hEvent);
  return name.starts_with(L"below");
}
constexpr const char* deaf = "nothing is told of folders below";

class watching_windows : public ::testing::Test {
 protected:
  void SetUp() override {
    result<file_watch> opened = file_watch::open(files);
    ASSERT_TRUE(opened) << opened.error().reason;
    watch.emplace(*std::move(opened));
    folder.write("a.txt", "a");
    folder.write("maps/deep/rome.txt", "rome");
    const result<mount_id> mounted = files.mount(folder.path(), {.at = "mod"});
    ASSERT_TRUE(mounted);
    id = *mounted;
    const result<void> added = watch->add(id);
    ASSERT_TRUE(added) << added.error().reason;
  }
  // What has been told since the last call, once, when `last` has been.
  std::set<std::string> changes_until(const std::string& last) {
    static constexpr const char* kinds[] = {"written ", "removed ", "rescan "};
    std::set<std::string> told;
    while (!told.contains(last)) {
      EXPECT_TRUE(watch->poll([&](const file_change& change) {
        told.insert(kinds[static_cast<int>(change.kind)] + std::string(change.path));
      }));
      std::this_thread::yield();
    }
    return told;
  }

  temp_folder folder;
  file_system files;
  std::optional<file_watch> watch;
  mount_id id;
};

TEST_F(watching_windows, tells_of_files_that_are_written_renamed_and_removed) {
  folder.write("a.txt", "new");
  folder.write("\xC3\xBC.txt", "paris");
  EXPECT_TRUE(changes_until("written mod/\xC3\xBC.txt").contains("written mod/a.txt"));
  fs::rename(folder.path() / "a.txt", folder.path() / "b.txt");
  EXPECT_TRUE(changes_until("written mod/b.txt").contains("removed mod/a.txt"));
  fs::remove(folder.path() / "b.txt");
  EXPECT_TRUE(changes_until("removed mod/b.txt").contains("removed mod/b.txt"));
}

TEST_F(watching_windows, tells_of_files_at_any_depth) {
  if (!hears_of_folders_below()) GTEST_SKIP() << deaf;
  folder.write("maps/deep/paris.txt", "paris");
  EXPECT_FALSE(changes_until("written mod/maps/deep/paris.txt").contains("written mod/a.txt"));
}

TEST_F(watching_windows, tells_of_both_names_of_a_renamed_file) {
  if (!hears_of_folders_below()) GTEST_SKIP() << deaf;
  fs::rename(folder.path() / "maps/deep/rome.txt", folder.path() / "maps/roma.txt");
  EXPECT_TRUE(
      changes_until("written mod/maps/roma.txt").contains("removed mod/maps/deep/rome.txt"));
}

TEST_F(watching_windows, tells_of_files_in_new_folders) {
  if (!hears_of_folders_below()) GTEST_SKIP() << deaf;
  folder.write("new/deeper/b.txt", "b");
  EXPECT_TRUE(
      changes_until("written mod/new/deeper/b.txt").contains("written mod/new/deeper/b.txt"));
  folder.write("new/deeper/c.txt", "c");
  EXPECT_TRUE(
      changes_until("written mod/new/deeper/c.txt").contains("written mod/new/deeper/c.txt"));
}

TEST_F(watching_windows, finds_the_files_of_a_folder_that_comes) {
  folder.write("new/deeper/b.txt", "b");
  EXPECT_FALSE(changes_until("written mod/new/deeper/b.txt").contains("written mod/a.txt"));
}

TEST_F(watching_windows, asks_for_a_rescan_when_a_folder_goes) {
  fs::remove_all(folder.path() / "maps");
  EXPECT_TRUE(changes_until("rescan mod").contains("rescan mod"));
}

TEST_F(watching_windows, keeps_no_folder_below_from_being_renamed) {
  std::error_code failed;
  fs::rename(folder.path() / "maps", folder.path() / "karten", failed);
  EXPECT_FALSE(failed) << failed.message();
  EXPECT_TRUE(changes_until("rescan mod").contains("rescan mod"));
}

TEST_F(watching_windows, a_mount_that_was_removed_tells_nothing) {
  watch->remove(id);
  folder.write("a.txt", "new");
  for (int i = 0; i < 1'000; ++i) {
    const result<std::size_t> count = watch->poll([](const file_change&) {});
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, 0u);
  }
}

}  // namespace
}  // namespace overture::folder_events_windows_test
