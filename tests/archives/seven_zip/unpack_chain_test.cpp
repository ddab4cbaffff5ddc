// SPDX-License-Identifier: Zlib
//
// Blocks of 7z archives that need more than LZMA and a filter: BZip2, DEFLATE, zstd, Swap, BCJ2,
// AES.
#include <gtest/gtest.h>
#include <zstd.h>

#include "archives/archive_checks.hpp"
#include "archives/seven_zip/made_by_7zip.hpp"
#include "support/platform.hpp"
#include "support/seven_zip_writer.hpp"

namespace overture::unpack_chain_test {
namespace {

// Code with calls for the filters.
const std::string code = [] {
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += std::string("\xE8\x10\x20\0\0ret\x90", 9);
  return bytes + "\xE8\x10\x20";
}();
const std::string text = [] {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "line " + std::to_string(i * i) + "\n";
  return lines;
}();

// What a block needs more than LZMA for.
const char* const chains[] = {
    "-m0=BZip2",
    "-m0=Deflate",
    "-m0=bcj -m1=BZip2",
    "-m0=Swap2 -m1=copy",
    "-m0=Swap4 -m1=lzma",
    "-m0=BCJ2 -m1=lzma:d20 -m2=lzma:d16:lc0 -m3=lzma:d16:lc0 -mb0:1 -mb0s1:2 -mb0s2:3",
    "-m0=BCJ2 -m1=BZip2",
    "-psesame",
    "-psesame -mx=0",
    "-psesame -mhe=on -m0=BCJ2 -m1=BZip2",
};

std::string made_by_7zip(const temp_folder& folder, const std::string& options) {
  static int made = 0;
  const std::string archive = "made" + std::to_string(made++) + ".7z";
  EXPECT_TRUE(run_7zip(folder, options, archive, "game.exe a.txt")) << options;
  return folder.read(archive);
}

TEST(unpack_chain, made_by_7zip_with_any_chain_is_read) {
  if (on_windows) GTEST_SKIP() << needs_programs;
  const temp_folder folder;
  folder.write("game.exe", code);
  folder.write("a.txt", text);
  for (const char* options : chains) {
    EXPECT_EQ(load_archive(made_by_7zip(folder, options), "test.7z", {.password = "sesame"}),
              (contents_map{{"game.exe", code}, {"a.txt", text}}))
        << options;
  }
}

TEST(hostile_unpack_chain, made_by_7zip_with_any_chain_gives_right_files_or_errors) {
  if (on_windows) GTEST_SKIP() << needs_programs;
  const temp_folder folder;
  folder.write("game.exe", code.substr(0, 100) + code.substr(code.size() - 3));
  folder.write("a.txt", "hello hello hello");
  const content_check may_be =
      right_or_error({{"game.exe", code.substr(0, 100) + code.substr(code.size() - 3)},
                      {"a.txt", "hello hello hello"}});
  for (const char* options : chains) {
    SCOPED_TRACE(options);
    const std::string whole = made_by_7zip(folder, options);
    // Each key takes 50 ms.
    const bool encrypted = std::string_view(options).starts_with("-p");
    check_damaged(whole, "test.7z", encrypted ? 97 : 3, may_be, {.password = "sesame"});
    check_no_memory(whole, "test.7z", may_be, {.password = "sesame"});
    if (!encrypted) check_bad_disk(whole, "test.7z", may_be);
  }
}

TEST(unpack_chain, needs_the_right_password) {
  if (on_windows) GTEST_SKIP() << needs_programs;
  const temp_folder folder;
  folder.write("game.exe", code);
  folder.write("a.txt", text);
  const contents_map refused{{"game.exe", "error: password"}, {"a.txt", "error: password"}};
  const std::string files_only = made_by_7zip(folder, "-psesame");
  EXPECT_EQ(load_archive(files_only, "test.7z"), refused);
  EXPECT_EQ(load_archive(files_only, "test.7z", {.password = "open"}), refused);
  const std::string with_header = made_by_7zip(folder, "-psesame -mhe=on");
  EXPECT_EQ(load_archive(with_header, "test.7z"), failed_mount(errc::password));
  EXPECT_EQ(load_archive(with_header, "test.7z", {.password = "open"}),
            failed_mount(errc::password));
  const std::string umlaut = made_by_7zip(folder, "'-p\xC3\xA4\xF0\x9F\x8E\xAE'");
  EXPECT_EQ(load_archive(umlaut, "test.7z", {.password = "\xC3\xA4\xF0\x9F\x8E\xAE"}),
            (contents_map{{"game.exe", code}, {"a.txt", text}}));
}

seven_zip_writer with_raw(const std::string& data, seven_zip_raw raw) {
  seven_zip_writer archive;
  archive.add({.files = {{"a", data}}, .raw = std::move(raw)});
  archive.add({.files = {{"b", "you"}}});
  return archive;
}

TEST(unpack_chain, with_zstd_is_read) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  // Two frames, as those with several threads write.
  const seven_zip_writer archive = with_raw(
      text + text, {.coders = std::string("\x01\x24\x04\xF7\x11\x01\x05\x01\x05\x03\0\0", 12),
                    .streams = {packed + packed},
                    .sizes = {2 * text.size()}});
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"),
            (contents_map{{"a", text + text}, {"b", "you"}}));
}

TEST(unpack_chain, does_not_advise_more_memory_for_a_large_zstd_window) {
  const std::string window_of_2_gib("\x28\xB5\x2F\xFD\x00\xA8", 6);
  const std::string last_block_of_3("\x19\0\0", 3);
  const seven_zip_writer archive =
      with_raw("abc", {.coders = std::string("\x01\x24\x04\xF7\x11\x01\x05\x01\x05\x03\0\0", 12),
                       .streams = {window_of_2_gib + last_block_of_3 + "abc"},
                       .sizes = {3}});
  const std::string bytes = archive.bytes();
  memory_file_os os(bytes);
  file_system files({.os = &os});
  ASSERT_TRUE(files.mount("test.7z"));
  buffer_pool buffers;
  const result<blob> read = files.read_all({"a", {hash64("a")}}, buffers);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errc::unsupported);
  EXPECT_STREQ(read.error().reason, "the zstd window is larger than 128 MiB");
}

TEST(unpack_chain, turns_groups_around_but_for_what_is_left) {
  const seven_zip_writer archive = with_raw(
      "dcbahgfeij",
      {.coders = std::string("\x01\x03\x02\x03\x04", 5), .streams = {"abcdefghij"}, .sizes = {10}});
  EXPECT_EQ(load_archive(archive.bytes(), "test.7z"),
            (contents_map{{"a", "dcbahgfeij"}, {"b", "you"}}));
}

TEST(hostile_unpack_chain, with_coders_that_are_no_tree_fails_for_that_block_only) {
  const std::string swap("\x03\x02\x03\x04", 4);
  const std::string copy("\x01\x00", 2);
  // Two swaps that feed each other, beside a copy of the packed stream.
  const seven_zip_writer circle =
      with_raw("abcd", {.coders = "\x03" + copy + swap + swap + std::string("\x01\x02\x02\x01", 4),
                        .streams = {"abcd"},
                        .sizes = {4, 4, 4}});
  EXPECT_EQ(load_archive(circle.bytes(), "test.7z"),
            (contents_map{{"a", "error: unsupported"}, {"b", "you"}}));
  // An input that two outputs feed.
  const seven_zip_writer twice =
      with_raw("abcd", {.coders = "\x03" + copy + swap + swap + std::string("\x02\0\x02\x01", 4),
                        .streams = {"abcd"},
                        .sizes = {4, 4, 4}});
  EXPECT_EQ(load_archive(twice.bytes(), "test.7z"), failed_mount(errc::corrupt));
}

TEST(hostile_unpack_chain, with_too_many_rounds_for_the_key_is_not_read) {
  for (const char rounds : {'\x16', '\x3E'}) {
    const seven_zip_writer archive =
        with_raw("x", {.coders = std::string("\x01\x24\x06\xF1\x07\x01\x01", 7) + rounds,
                       .streams = {std::string(16, 'x')},
                       .sizes = {1}});
    EXPECT_EQ(load_archive(archive.bytes(), "test.7z", {.password = "sesame"}),
              (contents_map{{"a", "error: unsupported"}, {"b", "you"}}));
  }
}

}  // namespace
}  // namespace overture::unpack_chain_test
