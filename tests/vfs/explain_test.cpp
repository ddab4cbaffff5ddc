// SPDX-License-Identifier: Zlib
//
// file_system::explain() and describe().
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"
#include "support/zip_writer.hpp"
#include "vfs/tree_reader.hpp"

namespace overture::explain_test {
namespace {

namespace fs = std::filesystem;
using namespace literals;

TEST(explain, names_the_file_in_an_error) {
  temp_folder folder;
  zip_writer zip;
  zip.add({.name = "good", .data = "good"});
  zip.add({.name = "bad/crc", .data = "bad", .stated_crc32 = 1});
  zip.add({.name = "bad/size", .data = "bad", .stated_bytes = 1});
  zip.add({.name = "bad/place", .data = "bad", .stated_offset = 1u << 30});
  zip.save(folder / "test.zip");
  folder.write("folder/a", "a");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "test.zip").c_str()));
  ASSERT_TRUE(files.mount((folder / "folder").c_str()));
  ASSERT_TRUE(files.freeze());
  buffer_pool buffers;
  const std::string archive = folder / "test.zip";
  EXPECT_EQ(explained(files, files.read_all("bad/crc"_path, buffers).error()),
            "bad/crc in " + archive + " at byte 38: the content does not match its checksum");
  EXPECT_EQ(explained(files, files.open("bad/size"_path).error()),
            "bad/size in " + archive +
                " at byte 78: the file is stored, but its packed and unpacked sizes differ");
  EXPECT_EQ(explained(files, files.open("bad/place"_path).error()),
            "bad/place in " + archive +
                " at byte 1073741824: the file's data is outside the archive, "
                "which is probably truncated");

  fs::remove(folder / "folder/a");
  EXPECT_EQ(explained(files, files.open("a"_path).error()),
            "a: cannot open (No such file or directory)");
  EXPECT_EQ(explained(files, files.open("b"_path).error()),
            "path id 78452aa11af39f9b: no mount has this path");
  EXPECT_EQ(explained(files, error{errc::corrupt, 0, "broken", {}, 7}), "at byte 7: broken");
}

TEST(explain, names_the_path_in_an_error_frozen_or_not) {
  temp_folder folder;
  folder.write("low/a", "a");
  folder.write("low/folder/b", "b");
  folder.write("high/a", "a");
  for (const bool frozen : {false, true}) {
    file_system files;
    ASSERT_TRUE(files.mount((folder / "low").c_str()));
    ASSERT_TRUE(files.mount((folder / "high").c_str()));
    if (frozen) {
      ASSERT_TRUE(files.freeze());
    }
    for (const asset_path& path : {"a"_path, "folder/b"_path}) {
      error why = fail(errc::not_found, "not here", path.id).value();
      EXPECT_EQ(explained(files, why), std::string(path.text) + ": not here");
      why.offset = 7;
      EXPECT_EQ(explained(files, why), std::string(path.text) + " at byte 7: not here");
    }
    EXPECT_EQ(files.open("x"_path).error().path, "x"_path.id);
    EXPECT_EQ(files.stat("x"_path).error().path, "x"_path.id);
    buffer_pool buffers;
    EXPECT_EQ(files.read_all("x"_path, buffers).error().path, "x"_path.id);
  }
}

TEST(explain, names_the_path_as_the_tree_has_it_where_case_is_ignored) {
  temp_folder folder;
  folder.write("game/A", "a");
  file_system files({.ignore_case = true});
  ASSERT_TRUE(files.mount((folder / "game").c_str()));
  ASSERT_TRUE(files.freeze());
  std::filesystem::remove(folder / "game/A");
  EXPECT_EQ(explained(files, files.open("A"_path).error()),
            "a: cannot open (No such file or directory)");
}

TEST(explain, says_how_much_memory_was_refused) {
  file_system files;
  EXPECT_EQ(explained(files, error{errc::out_of_memory, 0, "out of memory", {}, 4096}),
            "out of memory (4096 bytes asked for)");
  EXPECT_EQ(explained(files, error{errc::out_of_memory, 0, "out of memory", {}, 0}),
            "out of memory");
}

TEST(explain, cuts_its_text_to_the_room) {
  const file_system files;
  const error failure{errc::corrupt, 0, "too long", {}, 0};
  char few[5] = "####";
  EXPECT_EQ(files.explain(failure, few), 4U);
  EXPECT_STREQ(few, "too ");
  EXPECT_EQ(files.explain(failure, {}), 0U);
}

TEST(describe, names_the_file_of_a_source) {
  temp_folder folder;
  zip_writer zip;
  zip.add({.name = "packed"});
  zip.save(folder / "test.zip");
  folder.write("folder/loose", "");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "test.zip").c_str()));
  ASSERT_TRUE(files.mount((folder / "folder").c_str(), {.at = "at"}));
  ASSERT_TRUE(files.freeze());
  const auto described = [&](source_id id) {
    char text[256];
    return std::string(text, files.describe(id, text));
  };
  EXPECT_EQ(described(files.open("packed"_path)->place().source), folder / "test.zip");
  result<opened_file> loose = files.open("at/loose"_path);
  ASSERT_TRUE(loose);
  const source_id id = loose->place().source;
  EXPECT_EQ(described(id), "at/loose in " + (folder / "folder"));
  char few[5] = "####";
  EXPECT_EQ(files.describe(id, few), 4U);
  EXPECT_STREQ(few, "at/l");
  *loose = opened_file{};
  EXPECT_EQ(described(id), "") << "it is no longer open";
  EXPECT_EQ(described({}), "");
  EXPECT_EQ(files.describe({}, few), 0U);
  EXPECT_STREQ(few, "");
  EXPECT_EQ(files.source(id).error().code, errc::not_found);
}

}  // namespace
}  // namespace overture::explain_test
