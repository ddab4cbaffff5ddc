// SPDX-License-Identifier: Zlib
#include "archives/names/entry_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "archives/names/decode_name.hpp"

namespace overture::archives_detail::entry_name_test {
namespace {

std::string path_of(std::string_view name, const name_rules& rules = {}) {
  path_buffer room;
  const entry_name made = make_entry_name(name, rules, room);
  if (made.is_folder) return "folder: " + std::string(made.path);
  return made.flaw ? std::string("flaw: ") + made.flaw : std::string(made.path);
}

std::string decoded(std::string_view name, name_encoding encoding) {
  path_buffer room;
  std::size_t length = 0;
  if (!decode_name(name, encoding, room, length)) return "fails";
  return {room.data(), length};
}

TEST(names_of_entries, that_are_normal_stay) {
  for (const char* name : {"a", "a/b", "a.b", "...", "a b", "grün/七"}) {
    EXPECT_EQ(path_of(name), name);
  }
}

TEST(names_of_entries, lose_what_says_nothing) {
  EXPECT_EQ(path_of("./a"), "a");
  EXPECT_EQ(path_of("/a"), "a");
  EXPECT_EQ(path_of("///a//b"), "a/b");
  EXPECT_EQ(path_of("a/./b"), "a/b");
  EXPECT_EQ(path_of("././a/././b"), "a/b");
  EXPECT_EQ(path_of(".a/b."), ".a/b.");
}

TEST(names_of_entries, are_folders_if_they_end_with_a_separator) {
  EXPECT_EQ(path_of("a/"), "folder: a");
  EXPECT_EQ(path_of("a\\"), "folder: a");
  EXPECT_EQ(path_of("./"), "folder: ");
  EXPECT_EQ(path_of("/"), "folder: ");
  EXPECT_EQ(path_of("."), "folder: ");
}

TEST(names_of_entries, have_backslashes_for_separators_unless_the_format_keeps_them) {
  EXPECT_EQ(path_of("a\\b\\\\c"), "a/b/c");
  EXPECT_EQ(path_of("\\a/b"), "a/b");
  EXPECT_EQ(path_of("a\\b", {.backslash_separates = false}), "flaw: a backslash in the path");
}

TEST(names_of_entries, never_lead_upwards_or_to_a_drive) {
  for (const char* name : {"..", "../a", "a/..", "a/../b", "./../a", "a\\..\\b", "/.."}) {
    EXPECT_EQ(path_of(name), "flaw: '.' or '..' in the path") << name;
  }
  for (const char* name : {"C:/a", "/C:/a", "./c:a", "C:\\a"}) {
    EXPECT_EQ(path_of(name), "flaw: a drive letter in the path") << name;
  }
  EXPECT_EQ(path_of(""), "flaw: empty name");
  EXPECT_EQ(path_of({"a\0b", 3}), "flaw: a NUL in the path");
}

TEST(names_of_entries, of_any_length_are_judged) {
  const std::string long_name = "/" + std::string(255, 'a');
  EXPECT_EQ(path_of(long_name), long_name.substr(1));
  std::string padded = "a";
  while (padded.size() + 2 <= limits::path_bytes_max) padded = "./" + padded;
  EXPECT_EQ(path_of(padded), "a");
  EXPECT_EQ(path_of("/" + std::string(limits::path_bytes_max, 'a')),
            "flaw: the path is longer than 4,096 bytes");
  EXPECT_EQ(path_of(std::string(limits::path_bytes_max / 2, '\xB0')),
            "flaw: the name is in another encoding than expected");
}

TEST(names_of_entries, that_are_not_utf8_are_in_the_given_encoding) {
  EXPECT_EQ(path_of("gr\x81n.txt"), "grün.txt");
  EXPECT_EQ(path_of("gr\xFCn.txt", {.encoding = name_encoding::latin1}), "grün.txt");
  EXPECT_EQ(path_of("./gr\xFCn\\x", {.encoding = name_encoding::windows_1252}), "grün/x");
}

TEST(encodings_of_names, have_the_characters_of_their_code_pages) {
  EXPECT_EQ(decoded("\x80\xB0\xE1\xFF", name_encoding::cp437), "Ç░ß\u00A0");
  EXPECT_EQ(decoded("\xA9\xE9\xFF", name_encoding::latin1), "©éÿ");
  EXPECT_EQ(decoded("\x80\x8A\x9F\xE9", name_encoding::windows_1252), "€ŠŸé");
  EXPECT_EQ(decoded("\xCF\xF0\xE8\xE2\xE5\xF2", name_encoding::windows_1251), "Привет");
  EXPECT_EQ(decoded("plain", name_encoding::windows_1251), "plain");
}

TEST(encodings_of_names, have_a_name_each) {
  EXPECT_EQ(to_string(name_encoding::cp437), "cp437");
  EXPECT_EQ(to_string(name_encoding::windows_1251), "cp1251");
  EXPECT_EQ(to_string(name_encoding::cp932), "cp932");
}

}  // namespace
}  // namespace overture::archives_detail::entry_name_test
