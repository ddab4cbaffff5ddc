// SPDX-License-Identifier: Zlib
#include "overture/loaders/plain_loaders.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/loader_rig.hpp"
#include "support/failing_allocator.hpp"

namespace overture::plain_loaders_test {
namespace {

using namespace test;
using loaders::bytes_loader;
using loaders::file_bytes;
using loaders::text_file;
using loaders::text_loader;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(bytes_loader, keeps_a_file_as_it_is) {
  bytes_loader bytes;
  loader_rig rig;
  rig.file("a.bin", std::string("\0\xFF\x80", 3));
  rig.file("empty", "");
  const asset<file_bytes> made = rig.load(bytes, "a.bin");
  ASSERT_EQ(outcome(made), "ready");
  EXPECT_EQ(text_of(made->bytes()), std::string("\0\xFF\x80", 3));
  const asset<file_bytes> empty = rig.load(bytes, "empty");
  ASSERT_EQ(outcome(empty), "ready");
  EXPECT_EQ(empty->bytes().size(), 0u);
  EXPECT_EQ(outcome(rig.load(bytes, "absent")).substr(0, 9), "not_found");
}

TEST(bytes_loader, says_what_it_takes) {
  const std::vector<std::byte> file(1000);
  const bytes_loader bytes;
  EXPECT_EQ(bytes.memory_needed({}, file), 1000 + sizeof(file_bytes));
  auto content = decoded_asset::make(asset_kind::binary, 1000, default_allocator());
  EXPECT_EQ(bytes.bytes_of(file_bytes(*std::move(content))), 1000 + sizeof(file_bytes));
}

TEST(bytes_loader, gives_all_memory_back) {
  tracking_allocator memory;
  {
    bytes_loader bytes(memory);
    loader_rig rig;
    rig.file("a.bin", "abc");
    const asset<file_bytes> made = rig.load(bytes, "a.bin");
    EXPECT_EQ(memory.total().bytes, 3u);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(bytes_loader, fails_an_asset_without_memory) {
  failing_allocator memory(0);
  bytes_loader bytes(memory);
  loader_rig rig;
  rig.file("a.bin", "abc");
  EXPECT_EQ(outcome(rig.load(bytes, "a.bin")).substr(0, 13), "out_of_memory");
}

TEST(text_loader, takes_utf8_and_utf16_without_their_mark) {
  text_loader texts;
  loader_rig rig;
  rig.file("plain.txt", "one\ntwo");
  rig.file("marked.cfg", "\xEF\xBB\xBF\xC3\xA4\n");
  rig.file("wide.txt", std::string("\xFF\xFE\xE4\0\n\0", 6));
  rig.file("big.txt", std::string("\xFE\xFF\0\xE4", 4));
  rig.file("empty.txt", "");
  const asset<text_file> plain = rig.load(texts, "plain.txt");
  ASSERT_EQ(outcome(plain), "ready");
  EXPECT_EQ(plain->text(), "one\ntwo");
  EXPECT_EQ(plain->lines(), 2u);
  EXPECT_EQ(rig.load(texts, "marked.cfg")->text(), "\xC3\xA4\n");
  EXPECT_EQ(rig.load(texts, "wide.txt")->text(), "\xC3\xA4\n");
  EXPECT_EQ(rig.load(texts, "big.txt")->text(), "\xC3\xA4");
  EXPECT_EQ(rig.load(texts, "empty.txt")->text(), "");
}

TEST(text_loader, says_where_a_text_is_none) {
  struct row {
    std::string content;
    std::uint64_t offset;
    const char* explained;
  };
  const row rows[] = {
      {"a\nb\nc\xFFz", 5, "a.txt: line 3, column 2: the text is not valid UTF-8"},
      {"caf\xC3", 3, "a.txt: line 1, column 4: the text is not valid UTF-8"},
      {"\xEF\xBB\xBF\n\xE4pfel", 4, "a.txt: line 2, column 1: the text is not valid UTF-8"},
      {"\xE4pfel", 0, "a.txt: the text is not valid UTF-8"},
      {std::string("\xFF\xFE\n\0\0\xDC", 6), 4, "a.txt: at byte 4: the text is not valid UTF-16"},
  };
  for (const row& each : rows) {
    text_loader texts;
    loader_rig rig;
    rig.file("a.txt", each.content);
    const asset<text_file> made = rig.load(texts, "a.txt");
    EXPECT_EQ(made.status().error().code, errc::corrupt);
    EXPECT_EQ(made.status().error().offset, each.offset);
    EXPECT_EQ(rig.explain(made).substr(0, std::string(each.explained).size()), each.explained);
  }
}

TEST(text_loader, never_takes_more_than_it_says) {
  // Three bytes of UTF-8 for two of UTF-16.
  std::string wide = "\xFF\xFE";
  for (int i = 0; i < 1000; ++i) wide += "\xAC\x20";
  const std::string narrow(1000, 'a');
  for (const std::string& content : {wide, narrow}) {
    tracking_allocator memory;
    text_loader texts(memory);
    loader_rig rig;
    rig.file("a.txt", content);
    const asset<text_file> made = rig.load(texts, "a.txt");
    const std::uint64_t said = texts.memory_needed({}, std::as_bytes(std::span(content)));
    EXPECT_LE(memory.total().bytes + sizeof(text_file), said);
    EXPECT_GE(memory.total().bytes + sizeof(text_file) + 8, said);
    EXPECT_EQ(texts.bytes_of(*made), memory.total().bytes + sizeof(text_file));
  }
}

}  // namespace
}  // namespace overture::plain_loaders_test
