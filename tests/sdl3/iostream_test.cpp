// SPDX-License-Identifier: Zlib
#include "overture/sdl/iostream.hpp"

#include <SDL3/SDL_surface.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "archives/zip/mounted_zip.hpp"
#include "support/temp_folder.hpp"

namespace overture::iostream_test {
namespace {

using namespace literals;

struct closes {
  void operator()(SDL_IOStream* file) const { EXPECT_TRUE(SDL_CloseIO(file)); }
};
using io_stream = std::unique_ptr<SDL_IOStream, closes>;

// 2 x 1 pixels of 24 bits, blue and red.
std::string bmp() {
  std::string bytes("BM\x3E\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x18\0", 30);
  bytes.resize(54);
  bytes += std::string("\xFF\0\0\0\0\xFF\0\0", 8);
  return bytes;
}

class an_io_stream : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "lines", .data = long_text, .method = zip_deflated});
    zip.add({.name = "picture.bmp", .data = bmp(), .method = zip_deflated});
    zip.add({.name = "empty"});
    zip.add({.name = "wrong", .data = long_text, .stated_crc32 = 1});
    return zip;
  }
  io_stream open(const asset_path& path) { return io_stream(sdl::open_io(tree.files, path)); }

  mounted tree{archive()};
};

TEST_F(an_io_stream, reads_what_the_file_holds) {
  const io_stream file = open("lines"_path);
  ASSERT_TRUE(file);
  EXPECT_EQ(SDL_GetIOSize(file.get()), static_cast<Sint64>(long_text.size()));
  std::string got(long_text.size() + 10, ' ');
  EXPECT_EQ(SDL_ReadIO(file.get(), got.data(), got.size()), long_text.size());
  EXPECT_EQ(SDL_GetIOStatus(file.get()), SDL_IO_STATUS_EOF);
  got.resize(long_text.size());
  EXPECT_EQ(got, long_text);
  EXPECT_EQ(SDL_ReadIO(file.get(), got.data(), 1), 0u) << "at the end";
  EXPECT_EQ(SDL_GetIOStatus(file.get()), SDL_IO_STATUS_EOF);
}

TEST_F(an_io_stream, seeks_from_the_beginning_the_position_and_the_end) {
  const io_stream file = open("lines"_path);
  const auto bytes = static_cast<Sint64>(long_text.size());
  EXPECT_EQ(SDL_SeekIO(file.get(), 100, SDL_IO_SEEK_SET), 100);
  EXPECT_EQ(SDL_SeekIO(file.get(), -30, SDL_IO_SEEK_CUR), 70);
  char byte = 0;
  ASSERT_EQ(SDL_ReadIO(file.get(), &byte, 1), 1u);
  EXPECT_EQ(byte, long_text[70]);
  EXPECT_EQ(SDL_TellIO(file.get()), 71);
  EXPECT_EQ(SDL_SeekIO(file.get(), -1, SDL_IO_SEEK_END), bytes - 1);
  ASSERT_EQ(SDL_ReadIO(file.get(), &byte, 1), 1u);
  EXPECT_EQ(byte, long_text.back());
}

TEST_F(an_io_stream, refuses_to_seek_out_of_the_file_and_stays_where_it_is) {
  const io_stream file = open("lines"_path);
  const auto bytes = static_cast<Sint64>(long_text.size());
  ASSERT_EQ(SDL_SeekIO(file.get(), 5, SDL_IO_SEEK_SET), 5);
  EXPECT_EQ(SDL_SeekIO(file.get(), -6, SDL_IO_SEEK_CUR), -1);
  EXPECT_EQ(SDL_SeekIO(file.get(), bytes + 1, SDL_IO_SEEK_SET), -1);
  EXPECT_EQ(SDL_SeekIO(file.get(), INT64_MAX, SDL_IO_SEEK_CUR), -1);
  EXPECT_EQ(SDL_SeekIO(file.get(), INT64_MIN, SDL_IO_SEEK_END), -1);
  EXPECT_EQ(SDL_TellIO(file.get()), 5);
}

TEST_F(an_io_stream, of_an_empty_file_is_at_its_end) {
  const io_stream file = open("empty"_path);
  ASSERT_TRUE(file);
  EXPECT_EQ(SDL_GetIOSize(file.get()), 0);
  char byte = 0;
  EXPECT_EQ(SDL_ReadIO(file.get(), &byte, 1), 0u);
  EXPECT_EQ(SDL_GetIOStatus(file.get()), SDL_IO_STATUS_EOF);
}

TEST_F(an_io_stream, of_a_missing_file_is_null_and_the_error_names_it) {
  EXPECT_EQ(sdl::open_io(tree.files, "no/such.file"_path), nullptr);
  EXPECT_NE(std::string(SDL_GetError()).find("no/such.file"), std::string::npos) << SDL_GetError();
}

TEST_F(an_io_stream, of_a_damaged_file_ends_with_an_error_that_says_why) {
  const io_stream file = open("wrong"_path);
  ASSERT_TRUE(file);
  std::string got(long_text.size(), ' ');
  EXPECT_EQ(SDL_ReadIO(file.get(), got.data(), got.size()), 0u);
  EXPECT_EQ(SDL_GetIOStatus(file.get()), SDL_IO_STATUS_ERROR);
  EXPECT_NE(std::string(SDL_GetError()).find("wrong"), std::string::npos) << SDL_GetError();
}

TEST_F(an_io_stream, refuses_to_write) {
  const io_stream file = open("lines"_path);
  EXPECT_EQ(SDL_WriteIO(file.get(), "x", 1), 0u);
  EXPECT_EQ(SDL_GetIOStatus(file.get()), SDL_IO_STATUS_READONLY);
}

TEST_F(an_io_stream, survives_its_mount) {
  const io_stream file = open("lines"_path);
  tree.files.thaw();
  ASSERT_TRUE(tree.files.unmount(*tree.outcome));
  std::string got(long_text.size(), ' ');
  EXPECT_EQ(SDL_ReadIO(file.get(), got.data(), got.size()), long_text.size());
  EXPECT_EQ(got, long_text);
}

TEST_F(an_io_stream, of_one_file_is_independent_of_another) {
  std::vector<std::string> got(3);
  std::vector<std::thread> threads;
  for (std::string& mine : got) {
    threads.emplace_back([&] {
      mine.resize(long_text.size());
      mine.resize(SDL_ReadIO(open("lines"_path).get(), mine.data(), mine.size()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : got) EXPECT_EQ(each, long_text);
}

TEST_F(an_io_stream, is_what_sdl_loads_pictures_from_and_closes) {
  SDL_Surface* const picture = SDL_LoadBMP_IO(sdl::open_io(tree.files, "picture.bmp"_path), true);
  ASSERT_NE(picture, nullptr) << SDL_GetError();
  EXPECT_EQ(picture->w, 2);
  EXPECT_EQ(picture->h, 1);
  SDL_DestroySurface(picture);
}

TEST(an_io_stream_of_five_gigabytes, has_positions_of_64_bits) {
  constexpr Sint64 bytes = Sint64{5} << 30;
  const temp_folder folder;
  std::filesystem::resize_file(folder.write("huge", "begin"),
                               static_cast<std::uintmax_t>(bytes));  // sparse
  file_system files;
  ASSERT_TRUE(files.mount(folder.path()));
  const io_stream file(sdl::open_io(files, "huge"_path));
  ASSERT_TRUE(file);
  EXPECT_EQ(SDL_GetIOSize(file.get()), bytes);
  EXPECT_EQ(SDL_SeekIO(file.get(), -3, SDL_IO_SEEK_END), bytes - 3);
  char room[5];
  EXPECT_EQ(SDL_ReadIO(file.get(), room, 5), 3u);
  EXPECT_EQ(SDL_SeekIO(file.get(), -bytes, SDL_IO_SEEK_CUR), 0);
  EXPECT_EQ(SDL_ReadIO(file.get(), room, 5), 5u);
  EXPECT_EQ(std::string(room, 5), "begin");
}

}  // namespace
}  // namespace overture::iostream_test
