// SPDX-License-Identifier: Zlib
//
// Symbolic links in archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archives/archive_checks.hpp"
#include "archives/zip/mounted_zip.hpp"

namespace overture::zip_links_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

zip_entry link(std::string name, std::string target) {
  return {.name = std::move(name), .data = std::move(target), .mode = zip_mode_link};
}

TEST(zip_links, lead_to_files_of_the_archive) {
  zip_writer zip;
  zip.add(link("first", "real/a.txt"));
  zip.add({.name = "real/a.txt", .data = long_text, .method = zip_deflated});
  zip.add(link("real/sibling", "./a.txt"));
  zip.add(link("other/deep/up", "../..//real/./a.txt"));
  zip.add(link("chain", "first"));
  zip_entry packed = link("packed", "real/a.txt");
  packed.method = zip_deflated;
  packed.local_extra_bytes = 1000;
  zip.add(packed);
  for (const char* at : {"", "mods/x"}) {
    mounted test(zip, {.at = at});
    const std::string prefix = *at ? std::string(at) + "/" : "";
    EXPECT_THAT(
        test.contents(),
        ElementsAre(Pair(prefix + "chain", long_text), Pair(prefix + "first", long_text),
                    Pair(prefix + "other/deep/up", long_text), Pair(prefix + "packed", long_text),
                    Pair(prefix + "real/a.txt", long_text),
                    Pair(prefix + "real/sibling", long_text)));
    EXPECT_EQ(test.files.skipped_count(), 0u);
  }
}

TEST(zip_links, have_targets_in_the_spelling_and_encoding_of_names) {
  zip_writer zip;
  zip.add({.name = "real/gr\x81n.txt", .data = "a"});
  zip.add(link("maps/one", "..\\real\\gr\x81n.txt"));
  zip.add(link("maps/two", "../real//./grün.txt"));
  zip.add(link("folder", ".\\real\\"));
  zip.add(link("outside", "\\etc\\passwd"));
  zip.add(link("up", "..\\real"));
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("folder/grün.txt", "a"), Pair("maps/one", "a"),
                                           Pair("maps/two", "a"), Pair("real/grün.txt", "a")));
  constexpr const char* leaves = "the link leads outside the mount";
  EXPECT_THAT(skipped_of(test.files), ElementsAre(Pair("outside", leaves), Pair("up", leaves)));
}

TEST(zip_links, that_lead_elsewhere_are_skipped_and_listed) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.add({.name = "folder/b", .data = "b"});
  zip.add(link("absolute", "/etc/passwd"));
  zip.add(link("up", "../a"));
  zip.add(link("folder/up", "../../folder/b"));
  zip.add(link("dangling", "nothing"));
  zip.add(link("to the root", "."));
  zip.add(link("self", "self"));
  zip.add(link("one", "other"));
  zip.add(link("other", "one"));
  zip.add(link("to a dangling one", "dangling"));
  zip.add(link("long", std::string(5000, 'x')));
  zip.add(link("empty", ""));
  zip_entry encrypted = link("encrypted", "a");
  encrypted.password = "sesame";
  zip.add(encrypted);
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a", "a"), Pair("folder/b", "b")));
  constexpr const char* nowhere = "the link's target is not in the archive";
  EXPECT_THAT(skipped_of(test.files),
              UnorderedElementsAre(
                  Pair("absolute", "the link leads outside the mount"),
                  Pair("up", "the link leads outside the mount"),
                  Pair("folder/up", "the link leads outside the mount"), Pair("dangling", nowhere),
                  Pair("to the root", "the link forms a loop or leads through more than 40 others"),
                  Pair("self", "the link forms a loop or leads through more than 40 others"),
                  Pair("one", "the link forms a loop or leads through more than 40 others"),
                  Pair("other", "the link forms a loop or leads through more than 40 others"),
                  Pair("to a dangling one", nowhere), Pair("empty", nowhere),
                  Pair("encrypted", "the file is encrypted; mount it with a password")));
  EXPECT_THAT(failures_of(test.files),
              ElementsAre("long: the link's target is longer than 4,096 bytes, limit 0"));
}

TEST(zip_links, that_are_damaged_are_failures_of_the_mount) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip_entry damaged = link("damaged", "a");
  damaged.stated_crc32 = 1;
  zip.add(damaged);
  zip.add(link("to the damaged one", "damaged"));
  zip_entry outside = link("outside", "a");
  outside.stated_offset = 1u << 30;
  zip.add(outside);
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a", "a")));
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < test.files.failure_count(); ++i) {
    const mount_failure failure = test.files.failure(i);
    EXPECT_EQ(failure.why.code, errc::corrupt);
    failures.push_back(std::string(failure.path) + ": " + failure.why.reason);
  }
  EXPECT_THAT(failures,
              UnorderedElementsAre(
                  "damaged: the link is damaged",
                  "outside: the file's data is outside the archive, which is probably truncated"));
  EXPECT_THAT(skipped_of(test.files),
              ElementsAre(Pair("to the damaged one", "the link is damaged")));
}

TEST(zip_links, to_folders_have_the_files_below_them) {
  zip_writer zip;
  zip.add({.name = "real/a", .data = "a"});
  zip.add({.name = "real/deep/b", .data = "bbbbbbbbbb", .method = zip_deflated});
  zip.add({.name = "real.txt", .data = "beside the folder"});
  zip.add(link("first", "real"));
  zip.add(link("second/up", "../first/deep/"));
  zip.add(link("file", "first/../real/deep/../a"));
  zip.add(link("through", "second/up/b"));
  for (const std::string prefix : {"", "mods/x/"}) {
    mounted test(zip, {.at = prefix.c_str()});
    EXPECT_THAT(test.contents(),
                UnorderedElementsAre(Pair(prefix + "file", "a"), Pair(prefix + "first/a", "a"),
                                     Pair(prefix + "first/deep/b", "bbbbbbbbbb"),
                                     Pair(prefix + "real/a", "a"),
                                     Pair(prefix + "real/deep/b", "bbbbbbbbbb"),
                                     Pair(prefix + "real.txt", "beside the folder"),
                                     Pair(prefix + "second/up/b", "bbbbbbbbbb"),
                                     Pair(prefix + "through", "bbbbbbbbbb")));
    EXPECT_EQ(test.files.skipped_count(), 0u);
  }
}

TEST(zip_links, inside_linked_folders_are_followed_too) {
  zip_writer zip;
  zip.add({.name = "one/a", .data = "a"});
  zip.add(link("one/other", "../two"));
  zip.add(link("one/dangling", "nothing"));
  zip.add({.name = "two/b", .data = "b"});
  zip.add(link("two/file", "b"));
  zip.add(link("all", "one"));
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("all/a", "a"), Pair("all/other/b", "b"), Pair("all/other/file", "b"),
                          Pair("one/a", "a"), Pair("one/other/b", "b"), Pair("one/other/file", "b"),
                          Pair("two/b", "b"), Pair("two/file", "b")));
  EXPECT_THAT(skipped_of(test.files),
              ElementsAre(Pair("one/dangling", "the link's target is not in the archive")));
}

TEST(zip_links, that_form_loops_are_skipped) {
  zip_writer zip;
  zip.add({.name = "a/file", .data = "x"});
  zip.add(link("a/self", "."));
  zip.add(link("a/b/up", "../.."));
  zip.add({.name = "c/file", .data = "y"});
  zip.add(link("c/there", "../d"));
  zip.add({.name = "d/file", .data = "z"});
  zip.add(link("d/back", "../c"));
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("a/file", "x"), Pair("c/file", "y"), Pair("c/there/file", "z"),
                          Pair("d/back/file", "y"), Pair("d/file", "z")));
  constexpr const char* loop = "the link forms a loop or leads through more than 40 others";
  EXPECT_THAT(skipped_of(test.files),
              UnorderedElementsAre(Pair("a/self", loop), Pair("a/b/up", loop),
                                   Pair("c/there/back", loop), Pair("d/back/there", loop)));
}

// The target's parent is not one of the folders that contain the link.
TEST(zip_links, may_lead_up_from_the_target_of_another_link) {
  zip_writer zip;
  zip.add({.name = "a/file", .data = "x"});
  zip.add({.name = "a/b/g", .data = "y"});
  zip.add(link("a/b/up", ".."));
  zip.add(link("to", "a/b"));
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("a/b/g", "y"), Pair("a/file", "x"), Pair("to/g", "y"),
                          Pair("to/up/b/g", "y"), Pair("to/up/file", "x")));
  constexpr const char* loop = "the link forms a loop or leads through more than 40 others";
  EXPECT_THAT(skipped_of(test.files),
              UnorderedElementsAre(Pair("a/b/up", loop), Pair("to/up/b/up", loop)));
}

TEST(zip_links, do_not_hide_files_of_the_archive) {
  zip_writer zip;
  zip.add({.name = "real/a", .data = "real"});
  zip.add({.name = "real/b", .data = "real"});
  zip.add(link("to", "real"));
  zip.add({.name = "to/a", .data = "own"});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("real/a", "real"), Pair("real/b", "real"),
                                           Pair("to/a", "own"), Pair("to/b", "real")));
  EXPECT_THAT(skipped_of(test.files),
              ElementsAre(Pair("to/a", "the archive has another file with this path")));
}

TEST(zip_links, may_be_chained_as_far_as_linux_follows_them) {
  for (const unsigned count : {40u, 41u}) {
    zip_writer zip;
    zip.add({.name = "real/a", .data = "a"});
    std::string last = "real";
    for (unsigned i = 1; i <= count; ++i) {
      const std::string name = "l" + std::to_string(i);
      zip.add(link(name, last));
      last = name;
    }
    mounted test(zip);
    const std::map<std::string, std::string> contents = test.contents();
    EXPECT_TRUE(contents.contains("l40/a"));
    EXPECT_FALSE(contents.contains("l41/a"));
    EXPECT_EQ(test.files.skipped_count(), count - 40);
  }
}

// Each folder has two links to the next: 2^60 paths.
TEST(zip_links, that_expand_to_endless_paths_are_refused) {
  zip_writer zip;
  for (int i = 0; i < 60; ++i) {
    const std::string here = "d" + std::to_string(i) + "/";
    zip.add({.name = here + "file", .data = "x"});
    zip.add(link(here + "l", "../d" + std::to_string(i + 1)));
    zip.add(link(here + "r", "../d" + std::to_string(i + 1)));
  }
  const std::string bytes = zip.bytes();
  EXPECT_LT(mounting_takes(bytes, "test.zip"), 4 * limits::linked_bytes_max);
  memory_file_os os(bytes);
  file_system files({.os = &os});
  const result<mount_id> outcome = files.mount("test.zip");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::limit);
}

TEST(zip_links, to_folders_of_dangling_links_do_not_take_forever) {
  zip_writer zip;
  for (int i = 0; i < 2000; ++i) {
    zip.add(link("d/" + std::to_string(i), "nothing"));
    zip.add(link("l" + std::to_string(i), "d"));
  }
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  const result<mount_id> outcome = files.mount("test.zip");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::limit);
}

TEST(zip_links, with_targets_that_take_too_long_to_follow_exceed_a_limit) {
  std::string long_way;
  while (long_way.size() + 2 < limits::link_target_bytes_max) long_way += "a/";
  zip_writer zip;
  zip.add({.name = "file", .data = "x"});
  for (int i = 0; i < 600; ++i) zip.add(link("l" + std::to_string(i), long_way));
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("file", "x")));
  ASSERT_GT(test.files.failure_count(), 0u);
  const mount_failure last = test.files.failure(test.files.failure_count() - 1);
  EXPECT_EQ(last.path, "l599");
  EXPECT_EQ(last.why.code, errc::limit);
  EXPECT_STREQ(last.why.reason, "the archive's link targets have more than 262,144 names");
}

TEST(zip_links, damaged_or_without_memory_do_no_harm) {
  zip_writer zip;
  zip.add({.name = "one/a", .data = "a"});
  zip.add(link("one/other", "../two"));
  zip.add({.name = "two/b", .data = "b"});
  zip.add(link("all", "one"));
  zip.add(link("file", "all/other/b"));
  const std::string bytes = zip.bytes();
  const content_check a_or_b = [](const std::string&, const std::string& content) {
    return is_error(content) || content == "a" || content == "b" || content == "../two" ||
           content == "one" || content == "all/other/b";
  };
  check_damaged(bytes, "test.zip", 1, a_or_b);
  check_bad_disk(bytes, "test.zip", a_or_b);
  check_no_memory(bytes, "test.zip", a_or_b);
}

}  // namespace
}  // namespace overture::zip_links_test
