// SPDX-License-Identifier: Zlib
#include "overture/archives/zip_comments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/fake_os.hpp"
#include "support/zip_writer.hpp"

namespace overture::zip_comments_test {
namespace {

using test::fake_os;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(zip_comments, are_visited_in_the_order_of_the_directory) {
  zip_writer zip;
  zip.add({.name = "z", .central_extra_bytes = 9, .entry_comment = "first"});
  zip.add({.name = "none"});
  zip.add({.name = "folder/", .mode = zip_mode_folder, .entry_comment = "of a folder"});
  zip.add({.name = "a", .entry_comment = "\xFF"});
  zip.comment = "of the archive";
  fake_os os;
  os.add_file("/made.zip", zip.bytes());
  std::vector<std::pair<std::string, std::string>> seen;
  const auto visit = [&](std::string_view name, std::string_view comment) {
    seen.emplace_back(name, comment);
  };
  ASSERT_TRUE(visit_zip_comments("/made.zip", visit, os));
  EXPECT_THAT(seen,
              ElementsAre(Pair("z", "first"), Pair("folder/", "of a folder"), Pair("a", "\xFF")));
}

TEST(zip_comments, come_only_from_a_zip) {
  fake_os os;
  os.add_file("/text", "no archive at all, but long enough to have an end record in it");
  os.add_folder("/folder");
  const auto visit = [](std::string_view, std::string_view) { FAIL(); };
  EXPECT_EQ(visit_zip_comments("/text", visit, os).error().code, errc::unsupported);
  EXPECT_EQ(visit_zip_comments("/folder", visit, os).error().code, errc::not_a_file);
  EXPECT_EQ(visit_zip_comments("/absent", visit, os).error().code, errc::not_found);
  EXPECT_EQ(os.open_handles(), 0u);
}

TEST(zip_comments, visitor_may_throw) {
  zip_writer zip;
  zip.add({.name = "a", .entry_comment = "from base.pk3"});
  fake_os os;
  os.add_file("/made.zip", zip.bytes());
  const auto visit = [](std::string_view, std::string_view) { throw 1; };
  EXPECT_EQ(visit_zip_comments("/made.zip", visit, os).error().code, errc::threw);
}

}  // namespace
}  // namespace overture::zip_comments_test
