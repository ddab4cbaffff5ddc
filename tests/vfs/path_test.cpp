// SPDX-License-Identifier: Zlib
#include "overture/base/path.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::path_test {
namespace {

using namespace literals;

std::string normal(std::string_view path) {
  path_buffer room;
  const result<asset_path> made = normalise(path, room);
  if (!made) {
    EXPECT_EQ(made.error().code, errc::bad_path);
    return std::string("error: ") + made.error().reason;
  }
  EXPECT_EQ(made->id.value, hash64(made->text));
  EXPECT_EQ(path_flaw(made->text), nullptr);
  return std::string(made->text);
}

TEST(normalise, drops_redundant_slashes) {
  EXPECT_EQ(normal("music/theme.ogg"), "music/theme.ogg");
  EXPECT_EQ(normal("/music//theme.ogg/"), "music/theme.ogg");
  EXPECT_EQ(normal("///"), "");
  EXPECT_EQ(normal(""), "");
  EXPECT_EQ(normal("a"), "a");
  EXPECT_EQ(normal("..."), "...");
  EXPECT_EQ(normal(".hidden"), ".hidden");
  EXPECT_EQ(normal("\xC3\xA9t\xC3\xA9/\xF0\x9F\x8E\xB5"), "\xC3\xA9t\xC3\xA9/\xF0\x9F\x8E\xB5");
}

TEST(normalise, returns_a_normal_path_itself) {
  path_buffer room;
  const std::string_view path = "music/theme.ogg";
  EXPECT_EQ(normalise(path, room)->text.data(), path.data());
}

TEST(normalise, refuses_what_breaks_the_rules) {
  for (const std::string_view path :
       {"..", ".", "../a", "a/..", "a/../b", "a/./b", "a/.", "/../"}) {
    EXPECT_EQ(normal(path), "error: '.' or '..' in the path") << path;
  }
  EXPECT_EQ(normal("a\\b"), "error: a backslash in the path");
  EXPECT_EQ(normal("C:"), "error: a drive letter in the path");
  EXPECT_EQ(normal("//c:/windows"), "error: a drive letter in the path");
  EXPECT_EQ(normal(std::string_view("a\0b", 3)), "error: a NUL in the path");
  for (const std::string_view path :
       {"\xFF", "a/\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(normal(path), "error: the path is not UTF-8") << path;
  }
}

TEST(normalise, enforces_the_limits) {
  const std::string element(limits::path_element_bytes_max, 'e');
  EXPECT_EQ(normal("/" + element), element);
  EXPECT_EQ(normal("/" + element + "e"), "error: a name in the path is longer than 255 bytes");

  std::string path(limits::path_bytes_max, 'p');
  for (std::size_t i = 200; i < path.size(); i += 200) path[i] = '/';
  EXPECT_EQ(normal(path), path);
  EXPECT_EQ(normal("//" + path + "//"), path);
  EXPECT_EQ(normal("/" + path + "p"), "error: the path is longer than 4,096 bytes");
  EXPECT_EQ(normal(path + "/p"), "error: the path is longer than 4,096 bytes");
  EXPECT_EQ(normal(std::string(65'536, 'p')), "error: the path is longer than 4,096 bytes");
  EXPECT_EQ(normal(std::string(65'536, '/') + "a"), "a");
}

TEST(path_literal, has_the_id_of_its_text) {
  constexpr asset_path path = "music/theme.ogg"_path;
  static_assert(path.id.value == hash64("music/theme.ogg"));
  EXPECT_EQ(path.text, "music/theme.ogg");
}

TEST(extension, is_what_follows_the_last_dot_of_the_last_element) {
  EXPECT_EQ(extension("a/b.tar.gz"), "gz");
  EXPECT_EQ(extension("a.b/c"), "");
  EXPECT_EQ(extension("a/.hidden"), "");
  EXPECT_EQ(extension("a/b."), "");
  EXPECT_EQ(extension(""), "");
}

}  // namespace
}  // namespace overture::path_test
