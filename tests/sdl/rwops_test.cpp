// SPDX-License-Identifier: Zlib
#include "overture/sdl/rwops.hpp"

#include <SDL_surface.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "archives/zip/mounted_zip.hpp"

namespace overture::rwops_test {
namespace {

using namespace literals;

struct closes {
  void operator()(SDL_RWops* file) const { SDL_RWclose(file); }
};
using rwops = std::unique_ptr<SDL_RWops, closes>;

// 2 x 1 pixels of 24 bits, blue and red.
std::string bmp() {
  std::string bytes("BM\x3E\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x18\0", 30);
  bytes.resize(54);
  bytes += std::string("\xFF\0\0\0\0\xFF\0\0", 8);
  return bytes;
}

class an_rwops : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "lines", .data = long_text, .method = zip_deflated});
    zip.add({.name = "picture.bmp", .data = bmp(), .method = zip_deflated});
    zip.add({.name = "wrong", .data = long_text, .stated_crc32 = 1});
    return zip;
  }
  rwops open(const asset_path& path) { return rwops(sdl::open(tree.files, path)); }

  mounted tree{archive()};
};

TEST_F(an_rwops, reads_what_the_file_holds) {
  const rwops file = open("lines"_path);
  ASSERT_TRUE(file);
  EXPECT_EQ(SDL_RWsize(file.get()), static_cast<Sint64>(long_text.size()));
  std::string got(long_text.size() + 10, ' ');
  EXPECT_EQ(SDL_RWread(file.get(), got.data(), 1, got.size()), long_text.size());
  got.resize(long_text.size());
  EXPECT_EQ(got, long_text);
  EXPECT_EQ(SDL_RWread(file.get(), got.data(), 1, 1), 0u) << "at the end";
}

TEST_F(an_rwops, counts_whole_objects) {
  const rwops file = open("lines"_path);
  std::string got(long_text.size() + 1000, ' ');
  EXPECT_EQ(SDL_RWread(file.get(), got.data(), 1000, long_text.size() / 1000 + 1),
            long_text.size() / 1000);
  EXPECT_EQ(SDL_RWread(file.get(), got.data(), 0, 7), 0u);
}

TEST_F(an_rwops, seeks_from_the_beginning_the_position_and_the_end) {
  const rwops file = open("lines"_path);
  const auto bytes = static_cast<Sint64>(long_text.size());
  EXPECT_EQ(SDL_RWseek(file.get(), 100, RW_SEEK_SET), 100);
  EXPECT_EQ(SDL_RWseek(file.get(), -30, RW_SEEK_CUR), 70);
  char byte = 0;
  ASSERT_EQ(SDL_RWread(file.get(), &byte, 1, 1), 1u);
  EXPECT_EQ(byte, long_text[70]);
  EXPECT_EQ(SDL_RWtell(file.get()), 71);
  EXPECT_EQ(SDL_RWseek(file.get(), -1, RW_SEEK_END), bytes - 1);
  ASSERT_EQ(SDL_RWread(file.get(), &byte, 1, 1), 1u);
  EXPECT_EQ(byte, long_text.back());
}

TEST_F(an_rwops, refuses_to_seek_out_of_the_file_and_stays_where_it_is) {
  const rwops file = open("lines"_path);
  const auto bytes = static_cast<Sint64>(long_text.size());
  ASSERT_EQ(SDL_RWseek(file.get(), 5, RW_SEEK_SET), 5);
  EXPECT_EQ(SDL_RWseek(file.get(), -6, RW_SEEK_CUR), -1);
  EXPECT_EQ(SDL_RWseek(file.get(), bytes + 1, RW_SEEK_SET), -1);
  EXPECT_EQ(SDL_RWseek(file.get(), INT64_MAX, RW_SEEK_CUR), -1);
  EXPECT_EQ(SDL_RWseek(file.get(), INT64_MIN, RW_SEEK_END), -1);
  EXPECT_EQ(SDL_RWtell(file.get()), 5);
}

TEST_F(an_rwops, of_a_missing_file_is_null_and_the_error_names_it) {
  EXPECT_EQ(sdl::open(tree.files, "no/such.file"_path), nullptr);
  EXPECT_NE(std::string(SDL_GetError()).find("no/such.file"), std::string::npos) << SDL_GetError();
}

TEST_F(an_rwops, of_a_damaged_file_ends_with_an_error_that_says_why) {
  const rwops file = open("wrong"_path);
  ASSERT_TRUE(file);
  SDL_ClearError();
  std::string got(long_text.size(), ' ');
  EXPECT_EQ(SDL_RWread(file.get(), got.data(), 1, got.size()), 0u);
  EXPECT_NE(std::string(SDL_GetError()).find("wrong"), std::string::npos) << SDL_GetError();
}

TEST_F(an_rwops, refuses_to_write) {
  const rwops file = open("lines"_path);
  SDL_ClearError();
  EXPECT_EQ(SDL_RWwrite(file.get(), "x", 1, 1), 0u);
  EXPECT_STRNE(SDL_GetError(), "");
}

TEST_F(an_rwops, is_what_sdl_loads_pictures_from_and_closes) {
  SDL_Surface* const picture = SDL_LoadBMP_RW(sdl::open(tree.files, "picture.bmp"_path), SDL_TRUE);
  ASSERT_NE(picture, nullptr) << SDL_GetError();
  EXPECT_EQ(picture->w, 2);
  EXPECT_EQ(picture->h, 1);
  SDL_FreeSurface(picture);
}

}  // namespace
}  // namespace overture::rwops_test
