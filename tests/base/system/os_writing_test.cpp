// SPDX-License-Identifier: Zlib
//
// The contract of writing, checked on the real system, the generic one and the fake.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/system/os_worlds.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/replace_file.hpp"
#include "support/platform.hpp"

namespace overture::os_writing_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

using test::kind_of_world;

class os_writing : public test::in_a_world {};

TEST_P(os_writing, a_file_is_created_written_anywhere_and_read_back) {
  const auto file = os().create(at("new.txt").c_str());
  ASSERT_TRUE(file);
  EXPECT_TRUE(write_fully(os(), *file, 2, bytes_of("cd")));
  EXPECT_TRUE(write_fully(os(), *file, 0, bytes_of("ab")));
  EXPECT_TRUE(os().sync(*file));
  const auto status = os().status(*file);
  os().close(*file);
  EXPECT_EQ(content("new.txt"), "abcd");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->size, 4u);
}

TEST_P(os_writing, a_file_that_is_created_again_is_emptied) {
  world().add_file("old.txt", "something");
  const auto file = os().create(at("old.txt").c_str());
  ASSERT_TRUE(file);
  os().close(*file);
  EXPECT_EQ(content("old.txt"), "");
}

// The others open nothing below a folder.
class system_writing : public os_writing {};

TEST_P(system_writing, appends_at_the_end_and_updates_where_it_is_told_to) {
  world().add_file("appended", "12345");
  world().add_file("updated", "12345");
  const auto root = os().open(world().root().c_str());
  ASSERT_TRUE(root);
  const auto write = [&](const char* name, write_mode mode) {
    const auto file = os().open_to_write(*root, name, mode);
    if (!file) return std::string("no file");
    EXPECT_TRUE(os().write_at(*file, 1, bytes_of("x")));
    os().close(*file);
    return content(name);
  };
  EXPECT_EQ(write("appended", write_mode::append), "12345x");
  EXPECT_EQ(write("updated", write_mode::update), "1x345");
  EXPECT_EQ(write("new", write_mode::update), std::string("\0x", 2));
  os().close(*root);
}

TEST_P(os_writing, files_are_not_created_where_they_cannot_be) {
  world().add_folder("folder");
  EXPECT_EQ(os().create(at("missing/new.txt").c_str()).error().code, errc::not_found);
  EXPECT_FALSE(os().create(at("folder").c_str()));
}

TEST_P(os_writing, a_link_is_not_written_through) {
  if (!world().has_links()) GTEST_SKIP() << needs_symlinks;
  world().add_file("target.txt", "target");
  world().add_link("link.txt", "target.txt");
  const auto file = os().create(at("link.txt").c_str());
  if (file) {
    EXPECT_TRUE(write_fully(os(), *file, 0, bytes_of("new")));
    os().close(*file);
  }
  EXPECT_EQ(content("target.txt"), "target");
}

TEST_P(os_writing, a_renamed_file_takes_the_place_of_another) {
  world().add_file("one.txt", "one");
  world().add_file("two.txt", "two");
  EXPECT_TRUE(os().rename(at("one.txt").c_str(), at("two.txt").c_str()));
  EXPECT_EQ(content("two.txt"), "one");
  EXPECT_EQ(os().open(at("one.txt").c_str()).error().code, errc::not_found);
  EXPECT_EQ(os().rename(at("one.txt").c_str(), at("two.txt").c_str()).error().code,
            errc::not_found);
}

TEST_P(os_writing, files_are_removed_and_folders_are_not) {
  world().add_file("one.txt", "one");
  world().add_folder("folder");
  EXPECT_TRUE(os().remove_file(at("one.txt").c_str()));
  EXPECT_EQ(os().remove_file(at("one.txt").c_str()).error().code, errc::not_found);
  EXPECT_FALSE(os().remove_file(at("folder").c_str()));
  EXPECT_TRUE(os().status(at("folder").c_str(), true));
}

INSTANTIATE_TEST_SUITE_P(worlds, system_writing, ::testing::Values(kind_of_world::system));

INSTANTIATE_TEST_SUITE_P(worlds, os_writing,
                         ::testing::Values(kind_of_world::system, kind_of_world::generic,
                                           kind_of_world::fake),
                         test::name_of_world);

}  // namespace
}  // namespace overture::os_writing_test
