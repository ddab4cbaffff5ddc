// SPDX-License-Identifier: Zlib
#include "search/search_path.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using physfs::clean_name;

int asked = 0;

// Says what it has, and counts how often it is asked.
class listed : public physfs::storage {
 public:
  explicit listed(std::set<std::string> files) : files_(std::move(files)) {}

  bool stat(std::string_view path, PHYSFS_Stat&) noexcept override {
    ++asked;
    if (path.empty()) return true;
    for (const std::string& each : files_) {
      if (each == path || each.starts_with(std::string(path) + "/")) return true;
    }
    return physfs::refuse(PHYSFS_ERR_NOT_FOUND);
  }
  physfs::content* open(std::string_view) noexcept override { return nullptr; }
  bool list(std::string_view, physfs::text_list&) noexcept override { return true; }
  std::uint64_t known_files() const noexcept override { return files_.size(); }
  bool visit_files(std::string_view folder,
                   overture::function_ref<bool(std::string_view)> visit) noexcept override {
    const std::string below = folder.empty() ? "" : std::string(folder) + "/";
    for (const std::string& each : files_) {
      if (each.starts_with(below) && !visit(std::string_view(each).substr(below.size())))
        return false;
    }
    return true;
  }

 private:
  std::set<std::string> files_;
};

// Like a folder, or an archive of the host's archiver.
class unlisted final : public listed {
 public:
  using listed::listed;
  std::uint64_t known_files() const noexcept override { return 0; }
};

clean_name clean(const char* text) {
  clean_name name;
  EXPECT_TRUE(name.clean(text));
  return name;
}

class search_path : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(physfs::begin_search_path()); }
  void TearDown() override {
    EXPECT_TRUE(physfs::suspend_search_path());
    physfs::end_search_path();
    physfs::use_allocator(nullptr);
  }

  template <class Storage = listed>
  static void mount(const std::string& name, std::set<std::string> files, const char* point = "") {
    ASSERT_TRUE(physfs::add_mount(physfs::make<Storage>(std::move(files)), name.c_str(),
                                  clean(point), true));
  }
  // Few archives get no index.
  static void mount_others() {
    for (const char* const name : {"other1", "other2", "other3", "other4"}) mount(name, {name});
  }
  // A hundred archives with ten files each, in a folder that all have.
  static void mount_mods() {
    for (int m = 0; m < 100; ++m) {
      const std::string name = "mod" + std::to_string(m);
      std::set<std::string> files;
      for (int i = 0; i < 10; ++i) files.insert("shared/" + name + "/" + std::to_string(i));
      mount(name, std::move(files));
    }
  }
  // The name of the first mount that has a path.
  static std::string first_with(const char* path) {
    const clean_name name = clean(path);
    const physfs::reading mounts;
    physfs::asked_mounts all(mounts, name);
    while (physfs::mount* const each = all.next()) {
      physfs::joined_name room;
      std::string_view rest;
      const physfs::mount::relation where = each->locate(name, room, rest);
      if (where == physfs::mount::relation::above) return each->name;
      if (where == physfs::mount::relation::inside && each->contents->exists(rest))
        return each->name;
    }
    return "(none)";
  }
  static int asked_for(const char* path) {
    asked = 0;
    (void)first_with(path);
    return asked;
  }
  static void ask_often() {
    for (int i = 0; i < 10'000; ++i) (void)first_with("no/such/name");
  }
};

TEST_F(search_path, a_look_up_asks_each_archive_until_that_has_cost_as_much_as_an_index) {
  mount_mods();  // 1,000 files
  for (int i = 0; i < 11; ++i) EXPECT_EQ(asked_for("nowhere"), 100);
  EXPECT_EQ(asked_for("nowhere"), 0);
  EXPECT_EQ(asked_for("shared/mod70/3"), 1);
  EXPECT_EQ(asked_for("shared/mod70"), 1);
  EXPECT_EQ(first_with("shared/mod70/3"), "mod70");
  EXPECT_EQ(first_with("shared"), "mod0");
}

TEST_F(search_path, a_look_up_that_the_first_archive_answers_makes_no_index) {
  mount_mods();
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(asked_for("shared/mod0/3"), 1);
  EXPECT_EQ(asked_for("nowhere"), 100);
}

TEST_F(search_path, few_archives_are_asked_each_time) {
  mount_others();
  ask_often();
  EXPECT_EQ(asked_for("nowhere"), 4);
}

TEST_F(search_path, what_does_not_list_its_files_is_asked_in_its_place) {
  mount<unlisted>("folder", {"own"});
  mount("one", {"a", "both"});
  mount<unlisted>("host's", {"both", "c"});
  mount("two", {"c", "d"});
  mount("three", {"d", "own"});
  mount_others();
  ask_often();
  EXPECT_EQ(asked_for("nowhere"), 2);
  EXPECT_EQ(first_with("own"), "folder");
  EXPECT_EQ(first_with("both"), "one");
  EXPECT_EQ(first_with("c"), "host's");
  EXPECT_EQ(first_with("d"), "two");
  EXPECT_EQ(asked_for("d"), 3);
}

TEST_F(search_path, names_below_and_above_mount_points_are_found) {
  mount("one", {"x/y/a"}, "maps/old");
  mount("two", {"a"}, "maps/new");
  mount("three", {"maps/new/b", "mapsx"});
  mount_others();
  ask_often();
  EXPECT_EQ(asked_for("nowhere"), 0);
  EXPECT_EQ(first_with("maps"), "one");
  EXPECT_EQ(first_with("maps/old"), "one");
  EXPECT_EQ(first_with("maps/old/x/y"), "one");
  EXPECT_EQ(first_with("maps/old/x/y/a"), "one");
  EXPECT_EQ(first_with("maps/new"), "two");
  EXPECT_EQ(first_with("maps/new/b"), "three");
  EXPECT_EQ(first_with("x/y/a"), "(none)");
  EXPECT_EQ(first_with("mapsx"), "three");
}

TEST_F(search_path, a_change_is_seen_by_the_next_look_up) {
  mount("one", {"a", "in/b"});
  mount("two", {"a", "c"});
  mount_others();
  ask_often();
  ASSERT_TRUE(physfs::set_root("one", clean("in")));
  EXPECT_EQ(first_with("a"), "two");
  EXPECT_EQ(first_with("b"), "one");
  ask_often();
  EXPECT_EQ(first_with("a"), "two");
  EXPECT_EQ(first_with("b"), "one");
  ASSERT_TRUE(physfs::remove_mount("two"));
  EXPECT_EQ(first_with("a"), "(none)");
  mount("three", {"a"});
  EXPECT_EQ(first_with("a"), "three");
}

TEST_F(search_path, what_is_left_out_sets_the_error_of_a_miss) {
  mount("one", {"a"});
  mount("two", {"b"});
  mount_others();
  ask_often();
  (void)physfs::take_error();
  EXPECT_EQ(asked_for("nowhere"), 0);
  EXPECT_EQ(physfs::take_error(), PHYSFS_ERR_NOT_FOUND);
}

TEST_F(search_path, a_name_that_may_end_in_a_password_is_asked_of_all) {
  mount("one", {"a"});
  mount_others();
  ask_often();
  EXPECT_EQ(asked_for("nowhere"), 0);
  EXPECT_EQ(asked_for("a$secret"), 5);
}

TEST_F(search_path, many_folders_need_no_more_than_time) {
  std::string deep;
  for (int i = 0; i < 1'000; ++i) deep += "d/";
  mount("one", {deep + "file"});
  mount("two", {deep + "other", "b"});
  mount_others();
  ask_often();
  EXPECT_EQ(asked_for("nowhere"), 0);
  EXPECT_EQ(first_with((deep + "other").c_str()), "two");
  EXPECT_EQ(first_with("d/d/d"), "one");
}

bool has_memory = true;

TEST_F(search_path, without_memory_for_an_index_each_archive_is_asked) {
  const PHYSFS_Allocator failing{
      nullptr, nullptr,
      [](PHYSFS_uint64 bytes) { return has_memory ? std::malloc(bytes) : nullptr; },
      [](void* memory, PHYSFS_uint64 bytes) { return std::realloc(memory, bytes); },
      [](void* memory) { std::free(memory); }};
  physfs::use_allocator(&failing);
  has_memory = true;
  mount("one", {"a"});
  mount("two", {"b"});
  mount_others();
  has_memory = false;
  (void)physfs::take_error();
  ask_often();
  EXPECT_EQ(physfs::take_error(), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(asked_for("nowhere"), 6);
  EXPECT_EQ(first_with("b"), "two");
  has_memory = true;
  physfs::end_search_path();
  physfs::use_allocator(nullptr);
  ASSERT_TRUE(physfs::begin_search_path());
}

}  // namespace
