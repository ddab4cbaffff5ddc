// SPDX-License-Identifier: Zlib
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "support/forwarding_os.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::folder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class folder_mount : public ::testing::Test {
 protected:
  void mount_and_freeze() {
    const result<mount_id> mount = files.mount(folder.path());
    ASSERT_TRUE(mount) << mount.error().reason;
    ASSERT_TRUE(files.freeze());
  }
  result<opened_file> open(std::string_view path) {
    return files.open(asset_path{path, {hash64(path)}});
  }

  temp_folder folder;
  file_system files;
};

TEST_F(folder_mount, loads_files_in_all_its_folders) {
  folder.write("a.txt", "hello");
  folder.write("maps/europe/rome.txt", "rome");
  folder.write("empty", "");
  ASSERT_TRUE(files.mount((folder.path().string() + "/").c_str(), {.at = "base"}));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("base/a.txt", "hello"), Pair("base/empty", ""),
                                           Pair("base/maps/europe/rome.txt", "rome")));
  EXPECT_EQ(files.mount_at(0).format, mount_format::folder);
  EXPECT_EQ(files.mount_at(0).entries, 3u);
  EXPECT_EQ(files.mount_at(0).path, folder.path().string() + "/");
}

TEST_F(folder_mount, may_be_empty) {
  mount_and_freeze();
  EXPECT_EQ(files.entry_count(), 0u);
}

TEST_F(folder_mount, treats_archives_in_it_as_plain_files) {
  folder.write("a.zip", "PK\3\4");
  mount_and_freeze();
  EXPECT_THAT(load_all(files), ElementsAre(Pair("a.zip", "PK\3\4")));
}

TEST_F(folder_mount, skips_and_lists_names_that_are_not_valid_paths) {
  if (on_windows) GTEST_SKIP() << needs_other_names;
  folder.write("good", "good");
  folder.write("back\\slash", "");
  folder.write("\xFF", "");
  folder.write("C:", "");
  folder.write("bad\\folder/a", "");
  folder.write("deeper/C:", "allowed here");
  mount_and_freeze();
  EXPECT_THAT(load_all(files),
              ElementsAre(Pair("deeper/C:", "allowed here"), Pair("good", "good")));
  EXPECT_THAT(skipped_of(files), ElementsAre(Pair("C:", "a drive letter in the path"),
                                             Pair("back\\slash", "a backslash in the path"),
                                             Pair("bad\\folder", "a backslash in the path"),
                                             Pair("\xFF", "the path is not UTF-8")));
}

TEST_F(folder_mount, skips_and_lists_what_is_not_a_regular_file) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder / "link to a pipe");
  mount_and_freeze();
  EXPECT_EQ(files.entry_count(), 0u);
  EXPECT_THAT(skipped_of(files), ElementsAre(Pair("link to a pipe", "not a regular file"),
                                             Pair("pipe", "not a regular file")));
}

TEST_F(folder_mount, reports_folders_nested_too_deeply_as_missing) {
  if (on_windows) GTEST_SKIP() << needs_long_paths;
  std::string name = "d";
  for (std::size_t i = 1; i < limits::folder_depth_max; ++i) name += "/d";
  folder.write(name + "/last", "last");
  folder.write(name + "/d/too deep", "too deep");
  mount_and_freeze();
  EXPECT_THAT(load_all(files), ElementsAre(Pair(name + "/last", "last")));
  EXPECT_THAT(skipped_of(files), IsEmpty());
  EXPECT_THAT(failures_of(files),
              ElementsAre(name + "/d: folders nested more than 128 deep, limit 0"));
}

// Fails to list some folders: after the first name, or at once.
class unreadable_folder_os final : public forwarding_os {
 public:
  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    if (!std::string_view(path).ends_with(unreadable)) return forwarding_os::list(path, visit);
    std::size_t listed = 0;
    (void)forwarding_os::list(path, [&](const folder_entry& entry) noexcept {
      if (listed++ < listed_before) visit(entry);
    });
    return tl::unexpected(os_failure(os_error, "cannot list the folder"));
  }
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    if (!std::string_view(path).ends_with(unreadable)) {
      return forwarding_os::canonical_path(path, text);
    }
    return tl::unexpected(os_failure(os_error, "cannot resolve the path"));
  }
  std::string unreadable;
  int os_error = EACCES;
  std::size_t listed_before = 0;
};

TEST_F(folder_mount, goes_on_without_a_folder_that_cannot_be_listed_and_says_so) {
  folder.write("good/a", "a");
  folder.write("secret/b", "b");
  folder.write("secret/c", "c");
  for (const int os_error : {EACCES, EMFILE, EIO, ENOMEM}) {
    unreadable_folder_os os;
    os.unreadable = "/secret";
    os.os_error = os_error;
    file_system some({.os = &os});
    ASSERT_TRUE(some.mount(folder.path()));
    ASSERT_TRUE(some.freeze());
    EXPECT_THAT(load_all(some), ElementsAre(Pair("good/a", "a")));
    EXPECT_THAT(skipped_of(some), IsEmpty());
    EXPECT_EQ(some.mount_at(0).failures, 1u);
    EXPECT_THAT(failures_of(some),
                ElementsAre("secret: cannot list the folder, " +
                            std::string(to_string(os_failure(os_error, "").code)) + " " +
                            std::to_string(os_error)));
  }
}

TEST_F(folder_mount, keeps_what_was_listed_before_the_disk_failed_and_says_so) {
  folder.write("good/a", "a");
  folder.write("broken/b", "b");
  folder.write("broken/c", "c");
  unreadable_folder_os os;
  os.unreadable = "/broken";
  os.os_error = EIO;
  os.listed_before = 1;
  file_system some({.os = &os});
  ASSERT_TRUE(some.mount(folder.path()));
  ASSERT_TRUE(some.freeze());
  EXPECT_EQ(some.entry_count(), 2u);
  EXPECT_THAT(failures_of(some), ElementsAre("broken: cannot list the folder, io 5"));
}

TEST_F(folder_mount, says_which_links_the_system_could_not_follow) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  folder.write("real", "real");
  fs::create_symlink("real", folder / "link");
  unreadable_folder_os os;
  os.unreadable = "/link";
  file_system some({.os = &os});
  ASSERT_TRUE(some.mount(folder.path()));
  ASSERT_TRUE(some.freeze());
  EXPECT_THAT(load_all(some), ElementsAre(Pair("real", "real")));
  EXPECT_THAT(failures_of(some), ElementsAre("link: cannot resolve the path, permission 13"));
}

TEST_F(folder_mount, fails_if_its_root_cannot_be_listed_to_the_end) {
  folder.write("a", "a");
  folder.write("b", "b");
  unreadable_folder_os os;
  os.unreadable = folder.path().filename().string();
  for (const std::size_t listed : {std::size_t{0}, std::size_t{1}}) {
    os.listed_before = listed;
    file_system none({.os = &os});
    const result<mount_id> mount = none.mount(folder.path());
    ASSERT_FALSE(mount);
    EXPECT_EQ(mount.error().code, errc::permission);
    EXPECT_EQ(none.mount_count(), 0u);
  }
}

TEST_F(folder_mount, of_a_part_looks_only_at_failures_in_that_part) {
  folder.write("one/a", "a");
  folder.write("two/deep/b", "b");
  folder.write("two/c", "c");
  unreadable_folder_os os;
  os.unreadable = "/two/deep";
  file_system files_of_one({.os = &os});
  ASSERT_TRUE(files_of_one.mount(folder.path(), {.from = "one"}));
  EXPECT_THAT(failures_of(files_of_one), IsEmpty());
  file_system files_of_two({.os = &os});
  ASSERT_TRUE(files_of_two.mount(folder.path(), {.from = "two"}));
  EXPECT_EQ(failures_of(files_of_two).size(), 1u);
  for (const char* const root : {"two/deep", "two/deep/er"}) {
    file_system nothing({.os = &os});
    const result<mount_id> mount = nothing.mount(folder.path(), {.from = root});
    ASSERT_FALSE(mount) << root;
    EXPECT_EQ(mount.error().code, errc::permission) << root;
  }
}

// --- Links ---------------------------------------------------------------------------------------

TEST_F(folder_mount, follows_links_inside_the_folder_and_lists_the_others) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  temp_folder outside;
  outside.write("secret.txt", "secret");
  folder.write("real/a.txt", "hello");
  folder.write("real/deep/b.txt", "deep");
  fs::create_symlink("real/a.txt", folder / "file link");
  fs::create_symlink("real", folder / "folder link");
  fs::create_symlink(folder / "real/deep", folder / "absolute link");
  fs::create_symlink("..", folder / "real/up");
  fs::create_symlink("self", folder / "self");
  fs::create_symlink("nowhere", folder / "dangling");
  fs::create_symlink(outside / "secret.txt", folder / "file outside");
  fs::create_symlink(outside.path(), folder / "folder outside");
  fs::create_symlink("folder outside/secret.txt", folder / "through a folder outside");
  // A sibling whose name starts with the mount's name is outside, too.
  const std::string sibling = folder.path().string() + "2";
  fs::create_directory(sibling);
  fs::create_symlink(sibling, folder / "sibling");
  mount_and_freeze();
  fs::remove_all(sibling);
  EXPECT_THAT(
      load_all(files),
      ElementsAre(Pair("absolute link/b.txt", "deep"), Pair("file link", "hello"),
                  Pair("folder link/a.txt", "hello"), Pair("folder link/deep/b.txt", "deep"),
                  Pair("real/a.txt", "hello"), Pair("real/deep/b.txt", "deep")));
  EXPECT_THAT(
      skipped_of(files),
      UnorderedElementsAre(
          Pair("folder link/up", "the link forms a loop or leads through more than 40 others"),
          Pair("real/up", "the link forms a loop or leads through more than 40 others"),
          Pair("self", "the link forms a loop or leads through more than 40 others"),
          Pair("dangling", "the link's target does not exist"),
          Pair("file outside", "the link leads outside the mount"),
          Pair("folder outside", "the link leads outside the mount"),
          Pair("through a folder outside", "the link leads outside the mount"),
          Pair("sibling", "the link leads outside the mount")));
}

TEST_F(folder_mount, may_itself_be_a_link) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  folder.write("real/a", "a");
  fs::create_symlink("a", folder / "real/b");
  fs::create_symlink("real", folder / "link");
  ASSERT_TRUE(files.mount((folder / "link").c_str()));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("a", "a"), Pair("b", "a")));
}

TEST_F(folder_mount, finds_loops_that_enter_in_the_middle) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  folder.write("a/b/file", "x");
  fs::create_symlink("../../c", folder / "a/b/to c");
  folder.write("c/file", "y");
  fs::create_symlink("../a", folder / "c/to a");
  mount_and_freeze();
  EXPECT_THAT(
      skipped_of(files),
      UnorderedElementsAre(
          Pair("a/b/to c/to a", "the link forms a loop or leads through more than 40 others"),
          Pair("c/to a/b/to c", "the link forms a loop or leads through more than 40 others")));
  EXPECT_THAT(load_all(files), ElementsAre(Pair("a/b/file", "x"), Pair("a/b/to c/file", "y"),
                                           Pair("c/file", "y"), Pair("c/to a/b/file", "x")));
}

TEST_F(folder_mount, stops_when_links_multiply_its_folders) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  // Each level doubles the number of paths, to 2^24.
  for (int level = 0; level < 24; ++level) {
    const std::string here = std::to_string(level);
    fs::create_directory(folder / here);
    fs::create_symlink("../" + std::to_string(level + 1), folder / (here + "/a"));
    fs::create_symlink("../" + std::to_string(level + 1), folder / (here + "/b"));
  }
  folder.write("24/file", "x");
  mount_and_freeze();
  EXPECT_GT(files.entry_count(), 1u);
  EXPECT_LT(files.entry_count() + files.failure_count(), 4 * limits::folder_links_max);
  const std::vector<std::string> refused = failures_of(files);
  EXPECT_GT(refused.size(), 0u);
  EXPECT_THAT(refused, Each(EndsWith(": more than 4,096 links to folders, limit 0")));
}

// --- Files that change after the mount -----------------------------------------------------------

TEST_F(folder_mount, a_file_that_vanishes_is_not_found) {
  folder.write("a", "a");
  folder.write("b", "b");
  mount_and_freeze();
  fs::remove(folder / "a");
  EXPECT_EQ(open("a").error().code, errc::not_found);
  EXPECT_EQ(load(files, "b"), "b");
}

TEST_F(folder_mount, a_file_that_becomes_a_folder_or_a_pipe_is_not_a_file) {
  if (on_windows) GTEST_SKIP() << needs_posix;
  folder.write("a", "a");
  folder.write("b", "b");
  mount_and_freeze();
  fs::remove(folder / "a");
  fs::create_directory(folder / "a");
  EXPECT_EQ(open("a").error().code, errc::not_a_file);
  fs::remove(folder / "b");
  ASSERT_EQ(mkfifo((folder / "b").c_str(), 0600), 0);
  EXPECT_EQ(open("b").error().code, errc::not_a_file);
}

TEST_F(folder_mount, a_file_that_becomes_a_link_to_the_outside_is_refused) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  temp_folder outside;
  outside.write("secret", "secret");
  folder.write("a", "a");
  mount_and_freeze();
  fs::remove(folder / "a");
  fs::create_symlink(outside / "secret", folder / "a");
  EXPECT_EQ(open("a").error().code, errc::permission);
}

TEST_F(folder_mount, a_file_that_shrinks_after_it_was_opened_is_truncated) {
  folder.write("a", std::string(1000, 'a'));
  mount_and_freeze();
  const result<opened_file> opened = open("a");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->place().bytes, 1000u);
  folder.write("a", "short");
  const result<open_source> source = files.source(opened->place().source);
  ASSERT_TRUE(source);
  std::vector<std::byte> room(1000);
  EXPECT_EQ(read_fully(*source->os, source->handle, 0, room).error().code, errc::truncated);
  EXPECT_EQ(load(files, "a"), "short") << "opened anew, it has its new size";
}

TEST_F(folder_mount, a_file_that_grows_is_read_at_its_size_when_opened) {
  folder.write("a", "a");
  mount_and_freeze();
  folder.write("a", "longer");
  EXPECT_EQ(load(files, "a"), "longer");
}

TEST_F(folder_mount, a_file_larger_than_the_limit_is_refused) {
  folder.write("a", "a");
  fs::resize_file(folder / "a", limits::entry_bytes_max + 1);  // sparse
  mount_and_freeze();
  EXPECT_EQ(open("a").error().code, errc::limit);
}

class broken_read_os final : public forwarding_os {
 public:
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    if (offset > 0) return tl::unexpected(os_failure(EIO, "cannot read"));
    return forwarding_os::read_at(handle, offset, bytes.first(1));
  }
};

TEST_F(folder_mount, a_disk_that_fails_in_the_middle_of_a_file_is_an_io_error) {
  folder.write("a", "a");
  folder.write("b", "longer");
  broken_read_os os;
  file_system broken({.os = &os});
  ASSERT_TRUE(broken.mount(folder.path()));
  ASSERT_TRUE(broken.freeze());
  EXPECT_THAT(load_all(broken), ElementsAre(Pair("a", "a"), Pair("b", "error: io")));
}

}  // namespace
}  // namespace overture::folder_test
