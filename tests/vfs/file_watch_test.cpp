// SPDX-License-Identifier: Zlib
//
// Changes in mounted folders. Linux queues an event before the call that causes it returns, so no
// test waits.
#include "overture/vfs/file_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "overture/base/allocator.hpp"
#include "overture/vfs/file_writer.hpp"
#include "support/failing_allocator.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::file_watch_test {
namespace {

namespace fs = std::filesystem;
using namespace literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class watching : public ::testing::Test {
 protected:
  void SetUp() override {
    result<file_watch> opened = file_watch::open(files);
    if (!opened && opened.error().code == errc::unsupported) GTEST_SKIP() << "not on this system";
    ASSERT_TRUE(opened) << opened.error().reason;
    watch.emplace(*std::move(opened));
    folder.write("a.txt", "a");
    folder.write("maps/deep/rome.txt", "rome");
    const result<mount_id> mounted = files.mount(folder.path(), {.at = "mod", .writable = true});
    ASSERT_TRUE(mounted);
    id = *mounted;
    const result<void> added = watch->add(id);
    ASSERT_TRUE(added) << added.error().reason;
  }
  std::vector<std::string> changes() {
    static constexpr const char* kinds[] = {"written ", "removed ", "rescan "};
    std::vector<std::string> told;
    const result<std::size_t> count = watch->poll([&](const file_change& change) {
      EXPECT_EQ(change.mount, id);
      EXPECT_EQ(change.id.value, hash64(change.path));
      told.push_back(kinds[static_cast<int>(change.kind)] + std::string(change.path));
    });
    EXPECT_EQ(count.value_or(999), told.size());
    return told;
  }

  temp_folder folder;
  file_system files;
  tracking_allocator memory;  // for tests that use it
  std::optional<file_watch> watch;
  mount_id id;
};

TEST_F(watching, reports_files_that_are_written_and_removed) {
  EXPECT_THAT(changes(), IsEmpty());
  folder.write("a.txt", "new");
  folder.write("maps/deep/paris.txt", "paris");
  EXPECT_THAT(changes(), ElementsAre("written mod/a.txt", "written mod/maps/deep/paris.txt"));
  EXPECT_THAT(changes(), IsEmpty()) << "once";
  fs::remove(folder / "a.txt");
  fs::rename(folder / "maps/deep/rome.txt", folder / "maps/roma.txt");
  EXPECT_THAT(changes(), ElementsAre("removed mod/a.txt", "removed mod/maps/deep/rome.txt",
                                     "written mod/maps/roma.txt"));
}

TEST_F(watching, reports_a_file_when_it_is_closed_and_not_before) {
  std::ofstream out(folder / "b.txt");
  out << "half" << std::flush;
  EXPECT_THAT(changes(), IsEmpty());
  out.close();
  EXPECT_THAT(changes(), ElementsAre("written mod/b.txt"));
}

TEST_F(watching, reports_files_renamed_into_place) {
  result<file_writer> writer =
      file_writer::open(files, id, "mod/a.txt"_path, write_kind::replace, {.sync = false});
  ASSERT_TRUE(writer && writer->commit());
  EXPECT_THAT(changes(), Contains("written mod/a.txt"));
}

TEST_F(watching, reports_hard_links) {
  temp_folder elsewhere;
  elsewhere.write("made", "made");
  fs::create_hard_link(elsewhere / "made", folder / "hard.txt");
  fs::create_hard_link(folder / "a.txt", folder / "maps/same.txt");
  EXPECT_THAT(changes(), ElementsAre("written mod/hard.txt", "written mod/maps/same.txt"));
  EXPECT_THAT(changes(), IsEmpty()) << "once";
  // A rename by link and unlink.
  fs::create_hard_link(folder / "hard.txt", folder / "moved.txt");
  fs::remove(folder / "hard.txt");
  EXPECT_THAT(changes(), UnorderedElementsAre("removed mod/hard.txt", "written mod/moved.txt"));
  fs::create_hard_link(folder / "moved.txt", folder / "short.txt");
  fs::remove(folder / "short.txt");
  EXPECT_THAT(changes(), ElementsAre("removed mod/short.txt"));
}

TEST_F(watching, reports_a_link_to_an_unfinished_file_when_that_is_closed) {
  temp_folder elsewhere;
  std::ofstream out(elsewhere / "made");
  out << "half" << std::flush;
  fs::create_hard_link(elsewhere / "made", folder / "hard.txt");
  EXPECT_THAT(changes(), IsEmpty());
  folder.write("other.txt", "");
  EXPECT_THAT(changes(), ElementsAre("written mod/other.txt"));
  out.close();
  EXPECT_THAT(changes(), ElementsAre("written mod/hard.txt"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(watching, reports_many_new_files_once_each) {
  for (int i = 0; i < 200; ++i) folder.write("n" + std::to_string(i), "n");
  EXPECT_EQ(changes().size(), 200u);
}

TEST_F(watching, reports_symbolic_links_that_lead_to_what_it_has) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  fs::create_symlink("a.txt", folder / "soft.txt");
  fs::create_symlink("../a.txt", folder / "maps/up.txt");
  fs::create_symlink("/etc/hostname", folder / "out.txt");
  fs::create_symlink("nothing", folder / "dangling.txt");
  EXPECT_THAT(changes(), ElementsAre("written mod/soft.txt", "written mod/maps/up.txt"));
  fs::create_directory_symlink("maps", folder / "soft");
  EXPECT_THAT(changes(), ElementsAre("rescan mod"));
  fs::create_directory_symlink("maps/deep", folder / "soft.new");
  EXPECT_THAT(changes(), ElementsAre("rescan mod"));
  fs::rename(folder / "soft.new", folder / "soft");
  EXPECT_THAT(changes(), Contains("rescan mod"));
}

TEST_F(watching, extends_to_new_folders) {
  folder.write("new/deep/x.txt", "x");
  EXPECT_THAT(changes(), Contains("written mod/new/deep/x.txt"))
      << "it was there before the folder was watched";
  folder.write("new/deep/y.txt", "y");
  EXPECT_THAT(changes(), ElementsAre("written mod/new/deep/y.txt"));
}

TEST_F(watching, asks_for_a_rescan_when_a_folder_is_removed) {
  fs::rename(folder / "maps", folder / "moved");
  EXPECT_THAT(changes(), UnorderedElementsAre("written mod/moved/deep/rome.txt", "rescan mod"));
  folder.write("moved/deep/rome.txt", "new");
  EXPECT_THAT(changes(), ElementsAre("written mod/moved/deep/rome.txt")) << "by its new name";
  fs::remove_all(folder / "moved");
  EXPECT_THAT(changes(), Contains("rescan mod"));
}

TEST_F(watching, asks_for_a_rescan_when_changes_were_lost) {
  std::ifstream limit("/proc/sys/fs/inotify/max_queued_events");
  int queued_max = 0;
  if (!(limit >> queued_max) || queued_max > 100'000) GTEST_SKIP() << "too many to lose one";
  const result<mount_id> again = files.mount(folder.path());
  ASSERT_TRUE(again && !watch->add(*again)) << "two mounts of one folder cannot be watched";
  const std::string one = folder / "a.txt";
  const std::string other = folder / "b.txt";
  folder.write("b.txt", "b");
  for (int i = 0; i < queued_max / 2 + 10; ++i) {
    fs::rename(i % 2 == 0 ? one : other, folder / "c.txt");
    fs::rename(folder / "c.txt", i % 2 == 0 ? one : other);
  }
  EXPECT_THAT(changes(), Contains("rescan mod")) << "and none of the mount that was refused";
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(watching, leaves_a_writable_mount_to_what_is_written_through_the_tree) {
  const auto write = [&] {
    result<file_writer> writer =
        file_writer::open(files, id, "mod/b.txt"_path, write_kind::create, {.sync = false});
    return writer && writer->commit();
  };
  ASSERT_TRUE(write() && files.remove(id, "mod/b.txt"_path) && write());
  bool there = true;
  ASSERT_TRUE(
      watch->poll([&](const file_change&) { there = there && files.exists("mod/b.txt"_path); }));
  EXPECT_TRUE(there) << "events tell what was";
}

TEST_F(watching, can_be_stopped_for_one_mount) {
  watch->remove(id);
  folder.write("a.txt", "new");
  folder.write("maps/deep/rome.txt", "new");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(watching, ignores_a_folder_that_was_moved_away) {
  folder.write("maps of others/x.txt", "x");
  (void)changes();
  temp_folder elsewhere;
  fs::rename(folder / "maps", elsewhere / "maps");
  EXPECT_THAT(changes(), ElementsAre("rescan mod"));
  std::ofstream(elsewhere / "maps/deep/rome.txt") << "new";
  folder.write("maps of others/x.txt", "new");
  EXPECT_THAT(changes(), ElementsAre("written mod/maps of others/x.txt"));
}

TEST_F(watching, asks_for_a_rescan_when_the_mounted_folder_is_moved) {
  const std::string moved = folder.path().string() + ".moved";
  fs::rename(folder.path(), moved);
  EXPECT_THAT(changes(), ElementsAre("rescan mod"));
  fs::rename(moved, folder.path());
}

TEST_F(watching, forgets_names_of_folders_that_are_gone) {
  watch.emplace(*file_watch::open(files, {.memory = &memory}));
  ASSERT_TRUE(watch->add(id));
  const std::string long_name(200, 'x');
  for (int i = 0; i < 1'000; ++i) {
    const std::string name = long_name + std::to_string(i);
    fs::create_directory(folder / name);
    (void)changes();
    fs::remove(folder / name);
    (void)changes();
  }
  EXPECT_LT(memory.total().bytes, 100'000u);
  folder.write("maps/deep/rome.txt", "new");
  EXPECT_THAT(changes(), ElementsAre("written mod/maps/deep/rome.txt"));
}

TEST_F(watching, forgets_mounts_that_were_removed) {
  watch.emplace(*file_watch::open(files, {.memory = &memory}));
  for (int i = 0; i < 3'000; ++i) {
    ASSERT_TRUE(watch->add(id));
    watch->remove(id);
    EXPECT_THAT(changes(), IsEmpty());
  }
  EXPECT_LT(memory.total().bytes, 100'000u);
}

TEST_F(watching, works_for_whole_folders_only) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.save(folder / "a.zip");
  const result<mount_id> archive = files.mount((folder / "a.zip").c_str());
  const result<mount_id> part = files.mount(folder.path(), {.from = "maps"});
  const result<mount_id> again = files.mount(folder.path());
  ASSERT_TRUE(archive && part && again);
  EXPECT_EQ(watch->add(*archive).error().code, errc::not_a_file);
  EXPECT_EQ(watch->add(*part).error().code, errc::unsupported);
  EXPECT_EQ(watch->add(*again).error().code, errc::exists);
  EXPECT_EQ(watch->add({77}).error().code, errc::not_found);
}

// A mount that only others write to.
class watched_tree : public ::testing::Test {
 protected:
  void SetUp() override {
    result<file_watch> opened = file_watch::open(files);
    if (!opened && opened.error().code == errc::unsupported) GTEST_SKIP() << "not on this system";
    ASSERT_TRUE(opened) << opened.error().reason;
    watch.emplace(*std::move(opened));
    folder.write("a.txt", "a");
    const result<mount_id> mounted = files.mount(folder.path());
    ASSERT_TRUE(mounted);
    id = *mounted;
  }
  void poll() {
    ASSERT_TRUE(watch->poll([](const file_change&) {}));
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    EXPECT_TRUE(files.walk({}, [&](const folder_item& item) {
      found.emplace_back(item.path);
      return true;
    }));
    return found;
  }

  temp_folder folder;
  tracking_allocator memory;
  file_system files{{.memory = &memory}};
  std::optional<file_watch> watch;
  mount_id id;
};

TEST_F(watched_tree, has_new_files_and_loses_those_that_are_gone) {
  ASSERT_TRUE(watch->add(id));
  folder.write("new/b.txt", "bee");
  EXPECT_FALSE(files.exists("new/b.txt"_path));
  poll();
  EXPECT_EQ(load(files, "new/b.txt"), "bee");
  EXPECT_THAT(names(), ElementsAre("a.txt", "new/b.txt"));
  fs::remove(folder / "a.txt");
  fs::rename(folder / "new/b.txt", folder / "c.txt");
  poll();
  EXPECT_THAT(names(), ElementsAre("c.txt"));
  EXPECT_FALSE(files.exists("a.txt"_path));
  EXPECT_FALSE(files.exists("new"_path)) << "a folder without files";
  folder.write("a.txt", "again");
  poll();
  EXPECT_EQ(load(files, "a.txt"), "again");
}

TEST_F(watched_tree, has_new_links) {
  ASSERT_TRUE(watch->add(id));
  ASSERT_TRUE(files.freeze());
  temp_folder elsewhere;
  elsewhere.write("made", "made");
  fs::create_hard_link(elsewhere / "made", folder / "hard.txt");
  if (has_symlinks()) fs::create_symlink("a.txt", folder / "soft.txt");
  poll();
  EXPECT_EQ(load(files, "hard.txt"), "made");
  if (has_symlinks()) {
    EXPECT_EQ(load(files, "soft.txt"), load(files, "a.txt"));
  }
}

TEST_F(watched_tree, has_new_files_while_it_is_frozen) {
  ASSERT_TRUE(watch->add(id));
  ASSERT_TRUE(files.freeze());
  const result<entry_index> before = files.find("a.txt"_path);
  folder.write("0.txt", "zero");
  poll();
  EXPECT_EQ(load(files, "0.txt"), "zero");
  EXPECT_EQ(files.entry_count(), 1u);
  ASSERT_TRUE(before);
  EXPECT_EQ(files.find("a.txt"_path).value_or(99), *before);
}

TEST_F(watched_tree, does_not_learn_names_if_it_is_watched_only_once_it_is_frozen) {
  ASSERT_TRUE(files.freeze());
  ASSERT_TRUE(watch->add(id));
  folder.write("b.txt", "b");
  std::string told;
  ASSERT_TRUE(watch->poll([&](const file_change& change) { told = change.path; }));
  EXPECT_EQ(told, "b.txt");
  EXPECT_FALSE(files.exists("b.txt"_path));
  files.thaw();
  watch->remove(id);
  ASSERT_TRUE(watch->add(id));
  folder.write("b.txt", "b");
  poll();
  EXPECT_TRUE(files.exists("b.txt"_path));
}

TEST_F(watched_tree, keeps_no_names_of_files_that_were_there_for_a_moment) {
  ASSERT_TRUE(watch->add(id));
  const std::uint64_t before = memory.total().bytes;
  for (int i = 0; i < 100; ++i) {
    const std::string temporary = "a." + std::to_string(i);
    folder.write(temporary, "saved");
    fs::rename(folder / temporary, folder / "a.txt");
    poll();
  }
  EXPECT_THAT(names(), ElementsAre("a.txt"));
  EXPECT_LT(memory.total().bytes, before + 1'000);
}

TEST_F(watched_tree, lets_a_mount_over_it_win) {
  temp_folder mod;
  mod.write("b.txt", "mod");
  ASSERT_TRUE(files.mount(mod.path()));
  ASSERT_TRUE(watch->add(id));
  folder.write("b.txt", "base");
  poll();
  EXPECT_EQ(load(files, "b.txt"), "mod");
  EXPECT_EQ(files.providers("b.txt"_path, {}), 2u);
}

TEST_F(watched_tree, shows_no_folders_or_links_that_lead_out) {
  if (!has_symlinks()) GTEST_SKIP() << needs_symlinks;
  ASSERT_TRUE(watch->add(id));
  fs::create_directory(folder / "folder");
  fs::create_symlink("/etc/hostname", folder / "link.made");
  fs::rename(folder / "link.made", folder / "link.txt");
  poll();
  EXPECT_THAT(names(), ElementsAre("a.txt"));
}

TEST_F(watched_tree, asks_for_a_rescan_if_there_is_no_memory_for_a_name) {
  failing_allocator refusing(UINT64_MAX);
  file_system small({.memory = &refusing});
  const result<mount_id> mounted = small.mount(folder.path());
  ASSERT_TRUE(mounted);
  result<file_watch> here = file_watch::open(small);
  ASSERT_TRUE(here);
  ASSERT_TRUE(here->add(*mounted));
  refusing.refuse_from_now();
  folder.write("b.txt", "b");
  std::vector<change_kind> told;
  ASSERT_TRUE(here->poll([&](const file_change& change) { told.push_back(change.kind); }));
  EXPECT_THAT(told, ElementsAre(change_kind::written, change_kind::rescan));
  EXPECT_FALSE(small.exists("b.txt"_path));
}

TEST_F(watched_tree, says_so_wherever_there_is_no_memory_to_watch_it) {
  result<void> added;
  std::uint64_t allowed = 0;
  do {
    failing_allocator refusing(allowed, true);
    file_system small({.memory = &refusing});
    const result<mount_id> mounted = small.mount(folder.path());
    result<file_watch> here = file_watch::open(small);
    added = !mounted ? tl::unexpected<error>(mounted.error())
            : !here  ? tl::unexpected<error>(here.error())
                     : here->add(*mounted);
    if (!added) {
      EXPECT_EQ(added.error().code, errc::out_of_memory) << allowed;
    }
    ++allowed;
  } while (!added && !HasFailure());
  EXPECT_GT(allowed, 1u);
}

TEST(watching_without_case, reports_folded_paths) {
  temp_folder folder;
  folder.write("Maps/Rome.TXT", "rome");
  file_system files({.ignore_case = true});
  const result<mount_id> id = files.mount(folder.path());
  result<file_watch> watch = file_watch::open(files);
  if (!watch) GTEST_SKIP() << "not on this system";
  ASSERT_TRUE(id && watch->add(*id));
  folder.write("Maps/Rome.TXT", "new");
  std::string told;
  ASSERT_TRUE(watch->poll([&](const file_change& change) { told = change.path; }));
  EXPECT_EQ(told, "maps/rome.txt");
}

}  // namespace
}  // namespace overture::file_watch_test
