// SPDX-License-Identifier: Zlib
//
// Ordinary ZIP archives, and odd ones that are valid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "archives/zip/mounted_zip.hpp"
#include "overture/io/read_queue.hpp"
#include "support/platform.hpp"
#include "support/temp_folder.hpp"

namespace overture::zip_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(zip, loads_stored_and_deflated_entries) {
  zip_writer zip;
  zip.add({.name = "maps/rome.txt", .data = long_text, .method = zip_deflated});
  zip.add({.name = "a.txt", .data = "hello"});
  zip.add({.name = "empty", .data = ""});
  zip.add({.name = "empty.deflated", .data = "", .method = zip_deflated});
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("a.txt", "hello"), Pair("empty", ""), Pair("empty.deflated", ""),
                          Pair("maps/rome.txt", long_text)));
  EXPECT_EQ(test.files.mount_at(0).entries, 4u);
  EXPECT_EQ(test.files.mount_at(0).format, mount_format::zip);
}

TEST(zip, reads_the_same_through_a_queue) {
  zip_writer zip;
  zip.add({.name = "packed", .data = long_text, .method = zip_deflated});
  zip.add({.name = "a.txt", .data = "hello"});
  zip.add({.name = "empty", .data = ""});
  zip.add({.name = "wrong", .data = "hello", .stated_crc32 = 1});
  mounted test(zip);
  ASSERT_TRUE(test.files.freeze());
  read_queue reads(test.files, {.run_by_host = true});
  buffer_pool buffers;
  for (entry_index i = 0; i < test.files.entry_count(); ++i) {
    const std::string path(test.files.entry(i).path);
    const result<blob> queued = test.files.read_all({path, {hash64(path)}}, buffers, reads);
    const std::string content =
        queued ? to_text(queued->span()) : std::string("error: ") + to_string(queued.error().code);
    EXPECT_EQ(content, load(test.files, path)) << path;
  }
  const std::string absent = "absent";
  EXPECT_EQ(test.files.read_all({absent, {hash64(absent)}}, buffers, reads).error().code,
            errc::not_found);
}

TEST(zip, is_mounted_at_the_given_mount_point) {
  zip_writer zip;
  zip.add({.name = "a.txt", .data = "hello"});
  mounted test(zip, {.at = "/dlc//rome/"});
  EXPECT_THAT(test.contents(), ElementsAre(Pair("dlc/rome/a.txt", "hello")));
  EXPECT_EQ(test.files.mount_at(0).at, "dlc/rome");
}

TEST(zip, reads_zstd) {
  zip_writer zip;
  zip.add({.name = "zstd", .data = long_text, .method = zip_zstd});
  zip.add({.name = "empty", .data = "", .method = zip_zstd});
  zip.add({.name = "first", .data = "!", .method = zip_zstd, .stated_method = 20});
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("empty", ""), Pair("first", "!"), Pair("zstd", long_text)));
}

TEST(zip, refuses_zstd_that_lies) {
  for (const std::uint64_t bytes : {0u, 1u, 4999u, 100'000u, 1u << 31}) {
    zip_writer zip;
    zip.add({.name = "liar",
             .data = std::string(5000, 'x'),
             .method = zip_zstd,
             .stated_bytes = bytes});
    mounted test(zip);
    EXPECT_THAT(test.contents(), ElementsAre(Pair("liar", "error: corrupt"))) << bytes;
  }
}

TEST(zip, reports_files_that_a_limit_leaves_out_as_missing) {
  std::string deep;
  for (std::size_t i = 0; i < limits::folder_depth_max; ++i) deep += "d/";
  zip_writer zip;
  zip.add({.name = deep + "just"});
  zip.add({.name = deep + "too/deep"});
  zip.add({.name = std::string(256, 'n')});
  mounted test(zip);
  EXPECT_EQ(test.contents().size(), 1u);
  EXPECT_THAT(skipped_of(test.files), IsEmpty());
  EXPECT_THAT(failures_of(test.files),
              ElementsAre(deep + "too/deep: folders nested more than 128 deep, limit 0",
                          std::string(256, 'n') +
                              ": a name in the path is longer than 255 bytes, limit 0"));
}

TEST(zip, with_thousands_of_entries_is_mounted_with_few_calls) {
  zip_writer zip;
  for (int i = 0; i < 4000; ++i) zip.add({.name = "folder/file " + std::to_string(i)});
  const std::string bytes = zip.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  EXPECT_LE(os.calls(), 5);
  EXPECT_EQ(files.mount_at(0).entries, 4000u);
}

TEST(zip, may_be_empty) {
  mounted test(zip_writer{});
  ASSERT_TRUE(test.outcome);
  EXPECT_EQ(test.files.entry_count(), 0u);
}

TEST(zip, does_not_make_files_of_folder_entries) {
  zip_writer zip;
  zip.add({.name = "maps/", .mode = zip_mode_folder});
  zip.add({.name = "unmarked", .mode = zip_mode_folder});
  zip.add({.name = "maps/a", .data = "a"});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("maps/a", "a")));
  EXPECT_EQ(test.files.skipped_count(), 0u);
}

TEST(zip, may_have_a_long_comment_or_one_that_looks_like_an_end_record) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.comment = std::string(UINT16_MAX, 'c');
  EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("a", "a")));
  zip.comment = "see PK\5\6" + std::string(40, '\1');
  EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("a", "a")));
}

TEST(zip, may_have_bytes_after_its_end) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  const std::string bytes = zip.bytes() + std::string(100, '\n');
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  ASSERT_TRUE(files.freeze());
  EXPECT_THAT(load_all(files), ElementsAre(Pair("a", "a")));
}

TEST(zip, may_be_followed_by_much_else_in_a_program_or_an_archive) {
  zip_writer zip;
  zip.add({.name = "a", .data = "hello"});
  const std::string surplus(70'000, 'x');
  const auto listed = [&](const std::string& bytes) {
    memory_file_os os(bytes);
    file_system files({.os = &os});
    const result<mount_id> made = files.mount("test.exe");
    if (!made) return std::string(to_string(made.error().code));
    return std::to_string(files.mount_at(0).entries);
  };
  EXPECT_EQ(listed("MZ" + zip.bytes() + surplus), "1");
  EXPECT_EQ(listed("\x7F"
                   "ELF" +
                   zip.bytes() + surplus),
            "1");
  EXPECT_EQ(listed(zip.bytes() + surplus), "1");
  EXPECT_EQ(listed("MZ" + zip.bytes() + std::string(5 << 20, 'x')), "unsupported")
      << "too far away";
  EXPECT_EQ(listed("MZ" + surplus), "unsupported");
  EXPECT_EQ(listed("text" + zip.bytes() + surplus), "unsupported");
  EXPECT_EQ(listed("PK\3\4" + surplus), "corrupt");
}

TEST(zip, may_follow_a_self_extractor) {
  for (const bool offsets_with_prefix : {false, true}) {
    for (const bool zip64 : {false, true}) {
      zip_writer zip;
      zip.prefix = std::string(100'000, 'x');
      zip.offsets_with_prefix = offsets_with_prefix;
      zip.zip64 = zip64;
      zip.add({.name = "a", .data = "a", .zip64 = zip64});
      zip.add({.name = "b", .data = long_text, .method = zip_deflated});
      EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("a", "a"), Pair("b", long_text)));
    }
  }
}

TEST(zip, may_have_a_signature_after_its_directory) {
  zip_writer zip;
  zip.add({.name = "a", .data = "a"});
  zip.after_directory = "PK\5\5 signed";
  EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("a", "a")));
}

TEST(zip, may_be_a_zip64_archive) {
  zip_writer zip;
  zip.zip64 = true;
  zip.add({.name = "a", .data = "a", .zip64 = true, .central_extra_bytes = 20});
  zip.add({.name = "b", .data = long_text, .method = zip_deflated, .zip64 = true});
  zip.add({.name = "c", .data = "c"});
  const auto contents = ElementsAre(Pair("a", "a"), Pair("b", long_text), Pair("c", "c"));
  EXPECT_THAT(mounted(zip).contents(), contents);
  // A record longer than usual is found through its locator, even outside the tail.
  zip.end64_extra_bytes = 100;
  EXPECT_THAT(mounted(zip).contents(), contents);
  zip.end64_extra_bytes = 200'000;
  EXPECT_THAT(mounted(zip).contents(), contents);
}

TEST(zip, with_more_than_65535_entries_needs_no_zip64) {
  zip_writer zip;
  for (int i = 0; i < 70'000; ++i) zip.add({.name = std::to_string(i)});
  mounted test(zip);
  ASSERT_TRUE(test.outcome);
  EXPECT_EQ(test.files.entry_count(), 70'000u);
}

TEST(zip, may_state_sizes_after_the_data) {
  zip_writer zip;
  zip.add({.name = "a", .data = long_text, .method = zip_deflated, .sizes_in_descriptor = true});
  zip.add({.name = "b", .data = "b", .sizes_in_descriptor = true});
  EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("a", long_text), Pair("b", "b")));
}

TEST(zip, may_have_longer_extra_fields_in_front_of_the_data_than_in_the_directory) {
  zip_writer zip;
  zip.add({.name = "a", .data = long_text, .method = zip_deflated, .local_extra_bytes = 65'000});
  zip.add({.name = "b", .data = "b", .local_extra_bytes = 300});
  zip.add({.name = "c", .data = "c", .central_extra_bytes = 500});
  zip.add({.name = "d", .data = "d", .entry_comment = std::string(1000, 'c')});
  EXPECT_THAT(mounted(zip).contents(),
              ElementsAre(Pair("a", long_text), Pair("b", "b"), Pair("c", "c"), Pair("d", "d")));
}

TEST(zip, packed_part_returns_how_much_to_read_if_the_header_is_longer_than_expected) {
  zip_writer zip;
  zip.add({.name = "a", .data = "hello", .local_extra_bytes = 300});
  mounted test(zip);
  const result<opened_file> opened = test.files.open(entry_index{0});
  ASSERT_TRUE(opened);
  file_place place = opened->place();
  const auto all = std::as_bytes(std::span(test.bytes));
  const auto read = all.subspan(place.offset, place.read_bytes);
  const result<std::span<const std::byte>> part = file_system::packed_part(place, read);
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, errc::truncated);
  EXPECT_EQ(part.error().offset, 30u + 1 + 300 + 5);
  const result<std::span<const std::byte>> again =
      file_system::packed_part(place, all.subspan(place.offset, part.error().offset));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), "hello");
}

TEST(zip, entry_is_not_read_past_the_start_of_the_next) {
  zip_writer zip;
  zip.add({.name = "a", .data = "hello"});
  zip.add({.name = "b", .data = "world"});
  mounted test(zip);
  const result<opened_file> a = test.files.open(entry_index{0});
  const result<opened_file> b = test.files.open(entry_index{1});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->place().read_bytes, 30u + 1 + 5);
  EXPECT_EQ(b->place().read_bytes, 30u + 1 + 5) << "nor into the directory";
}

TEST(zip, entries_with_one_name_are_one_file_and_the_last_wins) {
  zip_writer zip;
  zip.add({.name = "a", .data = "old"});
  zip.add({.name = "b", .data = "b"});
  zip.add({.name = "a", .data = "newer"});
  zip.add({.name = "a", .data = "newest"});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a", "newest"), Pair("b", "b")));
  EXPECT_EQ(test.files.skipped_count(), 2u);
  EXPECT_THAT(skipped_of(test.files), ElementsAre(Pair("a", "a later file has the same name")));
  EXPECT_EQ(test.files.hidden_count(), 0u);
}

TEST(zip, backslashes_count_as_slashes) {
  for (const int made_on : {0, 3, 10, 11, 14}) {
    zip_writer zip;
    const auto system = static_cast<std::uint8_t>(made_on);
    zip.add({.name = "maps\\rome.txt", .data = "rome", .mode = 0, .made_on = system});
    zip.add({.name = "maps\\", .mode = 0, .made_on = system});
    zip.add({.name = "maps\\..\\x", .mode = 0, .made_on = system});
    mounted test(zip);
    EXPECT_THAT(test.contents(), ElementsAre(Pair("maps/rome.txt", "rome")));
    EXPECT_THAT(skipped_of(test.files),
                ElementsAre(Pair("maps\\..\\x", "'.' or '..' in the path")));
  }
}

TEST(zip, files_at_the_path_of_a_folder_are_skipped) {
  zip_writer zip;
  zip.add({.name = "a", .data = "file"});
  zip.add({.name = "a/b/c", .data = "c"});
  zip.add({.name = "a/b", .data = "file"});
  zip.add({.name = "ab", .data = "ab"});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a/b/c", "c"), Pair("ab", "ab")));
  EXPECT_THAT(skipped_of(test.files),
              ElementsAre(Pair("a", "the archive has a folder with the same name"),
                          Pair("a/b", "the archive has a folder with the same name")));
}

TEST(zip, names_that_become_equal_are_duplicates) {
  zip_writer zip;
  zip.add({.name = "a/b", .data = "first"});
  zip.add({.name = "./a//b", .data = "last"});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("a/b", "last")));
  EXPECT_THAT(skipped_of(test.files), ElementsAre(Pair("a/b", "a later file has the same name")));
}

TEST(zip, names_are_in_the_encoding_of_the_mount_if_they_are_not_utf8) {
  zip_writer zip;
  zip.add({.name = "gr\x81n", .data = "1"});
  zip.add({.name = "七", .data = "2"});
  EXPECT_THAT(mounted(zip).contents(), ElementsAre(Pair("grün", "1"), Pair("七", "2")));
  EXPECT_THAT(mounted(zip, {.name_encoding = name_encoding::windows_1251}).contents(),
              ElementsAre(Pair("grЃn", "1"), Pair("七", "2")));
}

TEST(zip, names_are_those_of_the_unicode_field_if_it_belongs_to_them) {
  zip_writer zip;
  zip.add({.name = "??.txt", .data = "1", .unicode_name = "七.txt"});
  zip.add({.name = "??.txt", .data = "2", .unicode_name = "八.txt"});
  zip.add({.name = "flagged", .data = "3", .flags = 1u << 11, .unicode_name = "other"});
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("flagged", "3"), Pair("七.txt", "1"), Pair("八.txt", "2")));
  // Renamed by an archiver that does not know the field.
  std::string bytes = zip.bytes();
  bytes[bytes.rfind("??.txt")] = 'x';
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.zip"));
  EXPECT_EQ(load(files, "x?.txt"), "2");
}

TEST(zip, local_headers_may_have_other_names) {
  zip_writer zip;
  zip.add({.name = "data/a", .data = "a", .local_name = "a"});
  zip.add({.name = "data/b", .data = "b", .local_name = ""});
  zip.add({.name = "c", .data = "c", .local_name = std::string(200, 'c')});
  zip.add({.name = "data/d", .data = "d", .local_name = ""});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("c", "c"), Pair("data/a", "a"), Pair("data/b", "b"),
                                           Pair("data/d", "d")));
}

TEST(zip, entries_that_are_folders_by_their_dos_attribute_are_folders) {
  zip_writer zip;
  zip.add({.name = "folder", .mode = 0, .made_on = 0, .dos_attributes = 0x10});
  zip.add({.name = "folder/a", .data = "a"});
  zip.add({.name = "data", .data = "d", .mode = 0, .made_on = 0, .dos_attributes = 0x10});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("data", "d"), Pair("folder/a", "a")));
  EXPECT_THAT(skipped_of(test.files), IsEmpty());
}

TEST(zip, special_files_with_data_are_files) {
  zip_writer zip;
  zip.add({.name = "piped", .data = "p", .mode = zip_mode_fifo});
  zip.add({.name = "unknown", .data = "u", .mode = 0160644});
  zip.add({.name = "pipe", .data = "", .mode = zip_mode_fifo});
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("piped", "p"), Pair("unknown", "u")));
  EXPECT_THAT(skipped_of(test.files), ElementsAre(Pair("pipe", "not a regular file")));
}

TEST(zip, names_that_are_not_valid_paths_are_skipped_and_listed) {
  zip_writer zip;
  const std::string endless(65'535, 'n');
  const std::string nul("a\0b", 3);
  zip.add({.name = "good", .data = "good"});
  for (const std::string& name :
       {std::string("../a"), std::string("a/.."), std::string("C:/a"), nul, endless, std::string(),
        std::string("long/") + std::string(256, 'e')}) {
    zip.add({.name = name, .data = "bad"});
  }
  mounted test(zip);
  EXPECT_THAT(test.contents(), ElementsAre(Pair("good", "good")));
  EXPECT_THAT(skipped_of(test.files),
              UnorderedElementsAre(Pair("../a", "'.' or '..' in the path"),
                                   Pair("a/..", "'.' or '..' in the path"),
                                   Pair("C:/a", "a drive letter in the path"),
                                   Pair(nul, "a NUL in the path"), Pair("", "empty name")));
  EXPECT_EQ(test.files.mount_at(0).skipped, 5u);
  EXPECT_THAT(failures_of(test.files),
              UnorderedElementsAre(endless.substr(0, limits::path_bytes_max) +
                                       ": the path is longer than 4,096 bytes, limit 0",
                                   "long/" + std::string(256, 'e') +
                                       ": a name in the path is longer than 255 bytes, limit 0"));
}

TEST(zip, names_that_become_too_long_at_the_mount_point_are_missing) {
  std::string name = "n";
  while (name.size() + 100 < limits::path_bytes_max) name += "/" + std::string(99, 'n');
  zip_writer zip;
  zip.add({.name = name});
  zip.add({.name = "a", .data = "a"});
  EXPECT_EQ(mounted(zip).files.skipped_count(), 0u);
  mounted test(zip, {.at = std::string(200, 'm')});
  EXPECT_THAT(test.contents(), ElementsAre(Pair(std::string(200, 'm') + "/a", "a")));
  EXPECT_THAT(failures_of(test.files),
              ElementsAre(name + ": the path is longer than 4,096 bytes, limit 0"));
}

TEST(zip, unsupported_methods_are_named_in_the_error) {
  for (const auto& [method, word] :
       {std::pair{9, "Deflate64"}, std::pair{12, "BZip2"}, std::pair{14, "LZMA"},
        std::pair{95, "xz"}, std::pair{98, "PPMd"}, std::pair{99, "encryption"},
        std::pair{1000, "unknown"}}) {
    zip_writer zip;
    zip.add({.name = "a", .data = "a", .stated_method = static_cast<std::uint16_t>(method)});
    mounted test(zip);
    const result<opened_file> opened = test.files.open(asset_path{"a", {hash64("a")}});
    ASSERT_FALSE(opened) << method;
    EXPECT_EQ(opened.error().code, errc::unsupported);
    EXPECT_NE(std::string_view(opened.error().reason).find(word), std::string_view::npos)
        << opened.error().reason;
  }
}

TEST(zip, entries_that_are_unsupported_do_not_affect_the_rest) {
  zip_writer zip;
  zip.add({.name = "bzip2", .data = "x", .stated_method = 12});
  zip.add({.name = "encrypted", .data = "x", .password = "sesame"});
  zip.add({.name = "good", .data = "good"});
  zip.add({.name = "pipe", .mode = zip_mode_fifo});
  mounted test(zip);
  EXPECT_THAT(test.contents(),
              ElementsAre(Pair("bzip2", "error: unsupported"), Pair("encrypted", "error: password"),
                          Pair("good", "good")));
  EXPECT_THAT(skipped_of(test.files), ElementsAre(Pair("pipe", "not a regular file")));
}

// --- Archives by other programs ------------------------------------------------------------------

class foreign_zip : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_windows) GTEST_SKIP() << needs_programs;
    folder.write("in/a.txt", "hello");
    folder.write("in/maps/rome.txt", long_text);
    folder.write("in/maps/\xC3\xA9t\xC3\xA9", "summer");
  }
  void expect_all() {
    file_system files;
    const result<mount_id> mount = files.mount((folder / "test.zip").c_str());
    ASSERT_TRUE(mount) << mount.error().reason;
    ASSERT_TRUE(files.freeze());
    EXPECT_THAT(load_all(files),
                ElementsAre(Pair("a.txt", "hello"), Pair("maps/rome.txt", long_text),
                            Pair("maps/\xC3\xA9t\xC3\xA9", "summer")));
  }
  void run(const std::string& command) {
    ASSERT_EQ(std::system(("cd '" + folder.path().string() + "/in' && " + command).c_str()), 0)
        << command;
  }
  temp_folder folder;
};

TEST_F(foreign_zip, of_info_zip_loads) {
  run("zip -qr ../test.zip .");
  expect_all();
}

TEST_F(foreign_zip, of_info_zip_written_to_a_pipe_loads) {
  run("zip -qr - . | cat > ../test.zip");
  expect_all();
}

TEST_F(foreign_zip, of_python_loads) {
  run("python3 -m zipfile -c ../test.zip a.txt maps");
  expect_all();
}

}  // namespace
}  // namespace overture::zip_test
