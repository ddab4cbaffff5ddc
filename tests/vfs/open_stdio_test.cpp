// SPDX-License-Identifier: Zlib
#include "overture/vfs/open_stdio.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "archives/zip/mounted_zip.hpp"
#include "support/failing_allocator.hpp"
#include "support/temp_folder.hpp"

namespace overture::open_stdio_test {
namespace {

using namespace literals;

struct closes {
  void operator()(std::FILE* file) const { EXPECT_EQ(std::fclose(file), 0); }
};
using owned_file = std::unique_ptr<std::FILE, closes>;

std::string read(std::FILE* file, std::size_t bytes) {
  std::string got(bytes, '?');
  got.resize(std::fread(got.data(), 1, bytes, file));
  return got;
}

class a_file_of_c : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "lines", .data = long_text, .method = zip_deflated});
    zip.add({.name = "stored", .data = long_text});
    zip.add({.name = "empty"});
    zip.add({.name = "wrong", .data = long_text, .stated_crc32 = 1});
    return zip;
  }
  owned_file open(const asset_path& path, const file_reader_config& config = {}) {
    const result<std::FILE*> opened = open_stdio(tree.files, path, config);
    return owned_file(opened.value_or(nullptr));
  }

  mounted tree{archive()};
};

TEST_F(a_file_of_c, reads_what_the_file_holds) {
  for (const asset_path& path : {"lines"_path, "stored"_path}) {
    const owned_file file = open(path);
    ASSERT_TRUE(file);
    EXPECT_EQ(read(file.get(), long_text.size() + 10), long_text);
    EXPECT_TRUE(std::feof(file.get()));
    EXPECT_FALSE(std::ferror(file.get()));
  }
}

TEST_F(a_file_of_c, reads_lines_and_numbers_and_takes_a_byte_back) {
  const owned_file file = open("lines"_path);
  char line[32];
  ASSERT_TRUE(std::fgets(line, sizeof line, file.get()));
  EXPECT_STREQ(line, "line 0\n");
  int number = 0;
  ASSERT_EQ(std::fscanf(file.get(), "line %d\n", &number), 1);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(std::ungetc('~', file.get()), '~');
  EXPECT_EQ(read(file.get(), 5), "~line");
}

TEST_F(a_file_of_c, seeks_from_the_beginning_the_position_and_the_end) {
  const owned_file file = open("lines"_path);
  const auto bytes = static_cast<long>(long_text.size());
  EXPECT_EQ(std::fseek(file.get(), 0, SEEK_END), 0);
  EXPECT_EQ(std::ftell(file.get()), bytes);
  EXPECT_EQ(read(file.get(), 1), "");
  EXPECT_EQ(std::fseek(file.get(), -bytes + 100, SEEK_END), 0);
  EXPECT_EQ(std::fseek(file.get(), -30, SEEK_CUR), 0);
  EXPECT_EQ(std::ftell(file.get()), 70);
  EXPECT_EQ(read(file.get(), 20), long_text.substr(70, 20));
  EXPECT_EQ(std::fseek(file.get(), bytes - 7, SEEK_SET), 0);
  EXPECT_EQ(read(file.get(), 20), long_text.substr(long_text.size() - 7));
}

TEST_F(a_file_of_c, has_nothing_beyond_its_end) {
  const owned_file file = open("stored"_path);
  const auto bytes = static_cast<long>(long_text.size());
  for (const auto& [offset, whence] :
       {std::pair(bytes + 1, SEEK_SET), std::pair(1L, SEEK_END), std::pair(LONG_MAX, SEEK_SET)}) {
    EXPECT_EQ(std::fseek(file.get(), offset, whence), 0) << offset;
    EXPECT_EQ(std::ftell(file.get()), whence == SEEK_END ? bytes + offset : offset);
    EXPECT_EQ(read(file.get(), 5), "");
    EXPECT_TRUE(std::feof(file.get()));
    EXPECT_FALSE(std::ferror(file.get()));
  }
  EXPECT_EQ(std::fseek(file.get(), 5, SEEK_SET), 0);
  EXPECT_EQ(read(file.get(), 5), long_text.substr(5, 5));
}

TEST_F(a_file_of_c, refuses_to_seek_in_front_of_its_beginning) {
  const owned_file file = open("stored"_path);
  const auto bytes = static_cast<long>(long_text.size());
  ASSERT_EQ(std::fseek(file.get(), 5, SEEK_SET), 0);
  for (const auto& [offset, whence] :
       {std::pair(-1L, SEEK_SET), std::pair(-6L, SEEK_CUR), std::pair(-bytes - 1, SEEK_END),
        std::pair(LONG_MIN, SEEK_END)}) {
    errno = 0;
    EXPECT_NE(std::fseek(file.get(), offset, whence), 0) << offset;
    EXPECT_EQ(errno, EINVAL) << offset;
    EXPECT_EQ(std::ftell(file.get()), 5) << offset;
  }
  EXPECT_EQ(read(file.get(), 5), long_text.substr(5, 5));
}

TEST_F(a_file_of_c, that_is_damaged_ends_with_an_error_of_input) {
  const owned_file file = open("wrong"_path);
  ASSERT_TRUE(file);
  errno = 0;
  EXPECT_LT(read(file.get(), long_text.size()).size(), long_text.size());
  EXPECT_EQ(errno, EIO);
  EXPECT_TRUE(std::ferror(file.get()));
  EXPECT_FALSE(std::feof(file.get()));
}

TEST_F(a_file_of_c, is_at_its_end_if_it_is_empty) {
  const owned_file file = open("empty"_path);
  ASSERT_TRUE(file);
  EXPECT_EQ(std::fseek(file.get(), 0, SEEK_END), 0);
  EXPECT_EQ(std::ftell(file.get()), 0);
  EXPECT_EQ(std::fgetc(file.get()), EOF);
  EXPECT_TRUE(std::feof(file.get()));
  EXPECT_FALSE(std::ferror(file.get()));
}

TEST_F(a_file_of_c, that_is_missing_is_an_error) {
  EXPECT_EQ(open_stdio(tree.files, "no/such.file"_path).error().code, errc::not_found);
}

TEST_F(a_file_of_c, cannot_be_written_and_has_no_descriptor) {
  const owned_file file = open("lines"_path);
  EXPECT_EQ(std::fputc('x', file.get()), EOF);
  EXPECT_EQ(fileno(file.get()), -1);
}

TEST_F(a_file_of_c, survives_its_mount) {
  const owned_file file = open("stored"_path);
  EXPECT_EQ(read(file.get(), 50), long_text.substr(0, 50));
  tree.files.thaw();
  ASSERT_TRUE(tree.files.unmount(*tree.outcome));
  EXPECT_EQ(read(file.get(), long_text.size()), long_text.substr(50));
}

TEST_F(a_file_of_c, frees_all_memory_whenever_it_ends) {
  for (std::uint64_t allowed = 0; allowed < 10; ++allowed) {
    failing_allocator memory(allowed);
    const result<std::FILE*> opened =
        open_stdio(tree.files, "lines"_path, {.memory = &memory, .unpacked_bytes_max = 0});
    if (opened) {
      (void)read(*opened, long_text.size());
      EXPECT_EQ(std::fclose(*opened), 0);
    } else {
      EXPECT_EQ(opened.error().code, errc::out_of_memory);
    }
    EXPECT_EQ(memory.live_bytes(), 0) << allowed;
  }
}

TEST_F(a_file_of_c, is_independent_of_another_one) {
  std::vector<std::string> got(3);
  std::vector<std::thread> threads;
  for (std::string& mine : got) {
    threads.emplace_back([&] { mine = read(open("lines"_path).get(), long_text.size()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : got) EXPECT_EQ(each, long_text);
}

TEST(a_file_of_c_with_five_gigabytes, has_positions_of_64_bits) {
  constexpr off_t bytes = off_t{5} << 30;
  const temp_folder folder;
  const std::string path = folder.write("huge", "begin");
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes));  // sparse
  {
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(bytes - 3);
    out << "end";
  }
  file_system files;
  ASSERT_TRUE(files.mount(folder.path()));
  const owned_file file(open_stdio(files, "huge"_path).value_or(nullptr));
  ASSERT_TRUE(file);
  EXPECT_EQ(fseeko(file.get(), -3, SEEK_END), 0);
  EXPECT_EQ(ftello(file.get()), bytes - 3);
  EXPECT_EQ(read(file.get(), 10), "end");
  EXPECT_EQ(fseeko(file.get(), -bytes, SEEK_CUR), 0);
  EXPECT_EQ(read(file.get(), 5), "begin");
}

}  // namespace
}  // namespace overture::open_stdio_test
