// SPDX-License-Identifier: Zlib
#include "archives/tar/tar_header.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "support/tar_writer.hpp"

namespace overture::tar_header_test {
namespace {

using namespace archives_detail;

tar_block block_of(const tar_entry& entry) {
  tar_block block;
  std::memcpy(block.data(), tar_header_of(entry).data(), block.size());
  return block;
}

TEST(tar_header, has_its_fields) {
  const tar_block block = block_of({.name = "a.txt",
                                    .data = std::string(700, 'x'),
                                    .type = '2',
                                    .link = "b",
                                    .prefix = "maps/deep",
                                    .mode = 0755,
                                    .time = 1'000'000'000});
  EXPECT_TRUE(is_tar_header(block));
  EXPECT_TRUE(has_tar_magic(block));
  tar_header header;
  ASSERT_TRUE(read_tar_header(block, header));
  EXPECT_EQ(header.name, "a.txt");
  EXPECT_EQ(header.prefix, "maps/deep");
  EXPECT_EQ(header.link, "b");
  EXPECT_EQ(header.type, '2');
  EXPECT_EQ(header.bytes, 700u);
  EXPECT_EQ(header.modified_s, 1'000'000'000u);
  EXPECT_TRUE(header.executable);
}

TEST(tar_header, has_no_prefix_if_it_is_of_gnu) {
  const tar_block block =
      block_of({.name = "a", .prefix = "times", .magic = std::string("ustar  \0", 8)});
  tar_header header;
  ASSERT_TRUE(read_tar_header(block, header));
  EXPECT_TRUE(has_tar_magic(block));
  EXPECT_EQ(header.prefix, "");
}

TEST(tar_header, is_one_only_with_its_checksum) {
  EXPECT_FALSE(is_tar_header(block_of({.name = "a", .wrong_checksum = true})));
  EXPECT_FALSE(is_tar_header(tar_block{}));
  EXPECT_TRUE(is_empty(tar_block{}));
  // Bytes above 127, added with their signs.
  tar_block block = block_of({.name = "\xE4"});
  const auto put = [&](const char* digits) { std::memcpy(block.data() + 148, digits, 7); };
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    sum += i >= 148 && i < 156 ? ' ' : static_cast<std::int8_t>(block[i]);
  }
  char digits[16];
  (void)std::snprintf(digits, sizeof digits, "%06llo", static_cast<unsigned long long>(sum));
  put(digits);
  EXPECT_TRUE(is_tar_header(block));
}

TEST(tar_header, has_sizes_in_octal_or_in_bytes) {
  const auto size_of = [](const std::string& field, std::uint64_t& bytes) {
    tar_header header;
    const bool right = read_tar_header(block_of({.name = "a", .stated_size = field}), header);
    bytes = header.bytes;
    return right;
  };
  std::uint64_t bytes = 0;
  EXPECT_TRUE(size_of("     0000777", bytes));
  EXPECT_EQ(bytes, 0777u);
  EXPECT_TRUE(size_of("777 ", bytes));
  EXPECT_EQ(bytes, 0777u);
  EXPECT_TRUE(size_of(std::string("\x80\0\0\0\0\0\0\x02\0\0\0\5", 12), bytes));
  EXPECT_EQ(bytes, (std::uint64_t{2} << 32) + 5);
  EXPECT_FALSE(size_of(std::string("\x80\xFF\0\0\0\0\0\x02\0\0\0\5", 12), bytes));
  EXPECT_FALSE(size_of("\xFF\xFF\xFF\xFF", bytes)) << "negative";
  EXPECT_FALSE(size_of("12x", bytes));
}

TEST(pax_records, have_values_by_keys) {
  pax_values values;
  const std::string records = pax_record("path", "a/long name=x") + pax_record("size", "12") +
                              pax_record("mtime", "99.5") + pax_record("comment", "none");
  ASSERT_TRUE(read_pax(records, values));
  EXPECT_EQ(values.path, "a/long name=x");
  std::uint64_t number = 0;
  EXPECT_TRUE(read_pax_number(values.size, number));
  EXPECT_EQ(number, 12u);
  EXPECT_TRUE(read_pax_number(values.mtime, number));
  EXPECT_EQ(number, 99u);
  EXPECT_FALSE(values.sparse);
  ASSERT_TRUE(read_pax(pax_record("GNU.sparse.major", "1"), values));
  EXPECT_TRUE(values.sparse);
  EXPECT_FALSE(read_pax_number("", number));
  EXPECT_FALSE(read_pax_number("12a", number));
}

TEST(pax_records, that_are_broken_are_refused) {
  pax_values values;
  const std::string whole = pax_record("path", "a");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(read_pax(whole.substr(0, size), values)) << size;
  }
  for (const char* broken :
       {"x", "999 path=a\n", "3 \n", "0 path=a\n", "8 path_a\n", "9 path=ab"}) {
    EXPECT_FALSE(read_pax(broken, values)) << broken;
  }
}

}  // namespace
}  // namespace overture::tar_header_test
