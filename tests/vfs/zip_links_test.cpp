// Symbolic links in archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vfs/mounted_zip.hpp"

namespace overture {
namespace {

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

TEST(zip_links, that_lead_elsewhere_are_skipped_and_listed) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.add({.name = "folder/b", .data = "b"});
  zip.add(link("absolute", "/etc/passwd"));
  zip.add(link("up", "../a"));
  zip.add(link("folder/up", "../../folder/b"));
  zip.add(link("dangling", "nothing"));
  zip.add(link("to a folder", "folder"));
  zip.add(link("to the root", "."));
  zip.add(link("self", "self"));
  zip.add(link("one", "other"));
  zip.add(link("other", "one"));
  zip.add(link("to a dangling one", "dangling"));
  zip.add(link("long", std::string(5000, 'x')));
  zip.add(link("empty", ""));
  zip_entry damaged = link("damaged", "a");
  damaged.stated_crc32 = 1;
  zip.add(damaged);
  zip_entry encrypted = link("encrypted", "a");
  encrypted.password = "sesame";
  zip.add(encrypted);
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a", "a"), Pair("folder/b", "b")));
  constexpr const char* nowhere = "the link leads to no file of the archive";
  EXPECT_THAT(
      skipped_of(test.files),
      UnorderedElementsAre(
          Pair("absolute", "the link leaves the tree"), Pair("up", "the link leaves the tree"),
          Pair("folder/up", "the link leaves the tree"), Pair("dangling", nowhere),
          Pair("to a folder", nowhere), Pair("to the root", nowhere),
          Pair("self", "the link makes a loop"), Pair("one", "the link makes a loop"),
          Pair("other", "the link makes a loop"), Pair("to a dangling one", nowhere),
          Pair("long", "the link's target is too long"), Pair("empty", nowhere),
          Pair("damaged", "the link's target cannot be read"),
          Pair("encrypted", "the entry is encrypted, and the mount has no password")));
}

}  // namespace
}  // namespace overture
