// SPDX-License-Identifier: Zlib
#include "vfs/watch/folder_events.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "overture/vfs/file_watch.hpp"
#include "support/temp_folder.hpp"

namespace overture::folder_events_linux_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using vfs_detail::found_kind;
using vfs_detail::look_at;

// A file without a name, which link_as() gives it one. -1 if the file system has none.
int make_unnamed(const temp_folder& folder) {
  const int file = open(folder.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) {
    EXPECT_EQ(write(file, "text", 4), 4);
  }
  return file;
}

void link_as(int file, const std::string& path) {
  const std::string of_process = "/proc/self/fd/" + std::to_string(file);
  ASSERT_EQ(linkat(AT_FDCWD, of_process.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW), 0);
}

TEST(looking_at_what_was_created, tells_a_file_that_is_written_from_one_that_is_not) {
  temp_folder folder;
  folder.write("file", "text");
  EXPECT_EQ(look_at((folder / "file").c_str()), found_kind::file);
  const int writer = open((folder / "file").c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(look_at((folder / "file").c_str()), found_kind::unfinished);
  close(writer);
  EXPECT_EQ(look_at((folder / "file").c_str()), found_kind::file);
  const int reader = open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(look_at((folder / "file").c_str()), found_kind::file);
  close(reader);
  std::filesystem::create_symlink("file", folder / "link");
  EXPECT_EQ(look_at((folder / "link").c_str()), found_kind::link);
  EXPECT_EQ(look_at((folder / "none").c_str()), found_kind::nothing);
  EXPECT_EQ(look_at(folder.path().c_str()), found_kind::nothing);
}

TEST(a_file_that_gets_its_name_by_a_link, is_reported_once_it_is_closed) {
  temp_folder folder;
  file_system files;
  const result<mount_id> mounted = files.mount(folder.path(), {.at = "mod"});
  ASSERT_TRUE(mounted);
  result<file_watch> watch = file_watch::open(files);
  ASSERT_TRUE(watch);
  ASSERT_TRUE(watch->add(*mounted));
  const auto changes = [&] {
    std::vector<std::string> told;
    (void)watch->poll([&](const file_change& change) { told.emplace_back(change.path); });
    return told;
  };
  for (const bool close_first : {false, true}) {
    const int file = make_unnamed(folder);
    if (file < 0) GTEST_SKIP() << "the file system has no files without names";
    const std::string name = close_first ? "closed.txt" : "open.txt";
    link_as(file, folder / name);
    if (!close_first) {
      EXPECT_THAT(changes(), IsEmpty()) << "it is still being written";
    }
    close(file);
    EXPECT_THAT(changes(), ElementsAre("mod/" + name));
    EXPECT_THAT(changes(), IsEmpty());
  }
}

}  // namespace
}  // namespace overture::folder_events_linux_test
