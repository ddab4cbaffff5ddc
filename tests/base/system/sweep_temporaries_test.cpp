// SPDX-License-Identifier: Zlib
//
// Temporary files go when their writers are gone, and nothing else does.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "base/system/os_worlds.hpp"
#include "overture/base/replace_file.hpp"
#include "support/platform.hpp"
#include "support/temporaries.hpp"

namespace overture {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

// Two handles of one process hold a lock as two processes do.
class sweeping : public ::testing::Test {
 protected:
  std::string at(const std::string& path) { return world_.root() + "/" + path; }
  std::size_t sweep() { return sweep_temporaries(system_os(), world_.root().c_str()); }
  bool is_there(const std::string& path) {
    return system_os().status(at(path).c_str(), false).has_value();
  }
  void add(const std::string& path) { world_.add_file(path, "text"); }
  // As a process leaves it that dies.
  static constexpr const char* left = ".overture-0123456789abc.tmp";
  void add_lock(const std::string& folder) {
    world_.add_file(folder + "/lock", "the temporary files of overture\n");
  }

  test::disk_world world_;
};

TEST_F(sweeping, removes_what_a_dead_writer_has_left) {
  add(left);
  add("one.txt");
  EXPECT_EQ(sweep(), 1u);
  EXPECT_FALSE(is_there(left));
  EXPECT_TRUE(is_there("one.txt"));
}

TEST_F(sweeping, leaves_what_is_still_being_written) {
  file_replacement one;
  ASSERT_TRUE(one.begin(system_os(), at("one.txt").c_str()));
  EXPECT_EQ(sweep(), 0u);
  ASSERT_TRUE(write_fully(system_os(), one.file(), 0, bytes_of("new")));
  ASSERT_TRUE(one.commit());
  EXPECT_TRUE(is_there("one.txt"));
}

TEST_F(sweeping, leaves_every_other_name) {
  const std::string others[] = {".overture-",
                                ".overture-0123456789abc",
                                ".overture-0123456789abC.tmp",
                                ".overture-0123456789ab.tmp",
                                ".overture-0123456789abcd.tmp",
                                "x.overture-0123456789abc.tmp",
                                ".overture-notes.txt"};
  for (const std::string& other : others) add(other);
  EXPECT_EQ(sweep(), 0u);
  for (const std::string& other : others) EXPECT_TRUE(is_there(other)) << other;
}

TEST_F(sweeping, leaves_a_temporary_folder_in_use) {
  const auto above = system_os().open(world_.root().c_str());
  ASSERT_TRUE(above);
  {
    temporary_folder many;
    ASSERT_TRUE(many.begin(system_os(), *above));
    EXPECT_TRUE(is_temporary_name(many.name())) << many.name();
    add(std::string(many.name()) + "/1");
    EXPECT_EQ(sweep(), 0u);
    EXPECT_TRUE(is_there(std::string(many.name()) + "/1"));
    EXPECT_TRUE(system_os().remove_below(*above, (std::string(many.name()) + "/1").c_str()));
  }
  EXPECT_EQ(test::temporaries_in(system_os(), world_.root().c_str()), 0u);
  system_os().close(*above);
}

TEST_F(sweeping, removes_a_folder_of_temporary_files) {
  add_lock(left);
  add(std::string(left) + "/1");
  EXPECT_EQ(sweep(), 1u);
  EXPECT_FALSE(is_there(left));
  // Its writer died before it wrote anything.
  world_.add_file(std::string(left) + "/lock", "");
  EXPECT_EQ(sweep(), 1u);
}

TEST_F(sweeping, removes_a_folder_of_a_writer_that_died_while_it_removed_it) {
  add(std::string(left) + "/" + left);
  EXPECT_EQ(sweep(), 1u);
  EXPECT_FALSE(is_there(left));
}

TEST_F(sweeping, leaves_a_folder_that_another_program_has_made) {
  for (const char* lock : {"", "of another program", "the temporary files of overture\n\n"}) {
    world_.add_file(std::string(left) + "/lock", lock);
    add(std::string(left) + "/data");
    EXPECT_EQ(sweep(), 0u);
    EXPECT_TRUE(is_there(std::string(left) + "/data")) << lock;
    EXPECT_TRUE(is_there(std::string(left) + "/lock")) << lock;
  }
}

TEST_F(sweeping, leaves_a_folder_that_is_to_be_kept) {
  const auto above = system_os().open(world_.root().c_str());
  ASSERT_TRUE(above);
  std::string name;
  {
    temporary_folder many;
    ASSERT_TRUE(many.begin(system_os(), *above));
    add(std::string(many.name()) + "/1");
    if (on_windows) GTEST_SKIP() << needs_posix;
    ASSERT_TRUE(many.keep());
    name = many.name();
    EXPECT_TRUE(name.starts_with("overture-old-")) << name;
  }
  EXPECT_EQ(sweep(), 0u);
  EXPECT_TRUE(is_there(name + "/1"));
  EXPECT_FALSE(is_there(name + "/lock"));
  system_os().close(*above);
}

TEST_F(sweeping, leaves_a_folder_whose_lock_is_held) {
  add_lock(left);
  add(std::string(left) + "/1");
  const auto lock = system_os().open(at(std::string(left) + "/lock").c_str());
  ASSERT_TRUE(lock);
  ASSERT_TRUE(system_os().lock(*lock));
  EXPECT_EQ(sweep(), 0u);
  EXPECT_TRUE(is_there(std::string(left) + "/1"));
  system_os().close(*lock);
  EXPECT_EQ(sweep(), 1u);
}

TEST_F(sweeping, leaves_a_folder_that_has_no_lock_and_is_not_empty) {
  add(std::string(left) + "/notes.txt");
  EXPECT_EQ(sweep(), 0u);
  EXPECT_TRUE(is_there(std::string(left) + "/notes.txt"));
}

TEST_F(sweeping, follows_no_link) {
  if (!world_.has_links()) GTEST_SKIP() << needs_symlinks;
  add("one.txt");
  world_.add_link(left, "one.txt");
  EXPECT_EQ(sweep(), 0u);
  EXPECT_TRUE(is_there("one.txt"));
}

}  // namespace
}  // namespace overture
