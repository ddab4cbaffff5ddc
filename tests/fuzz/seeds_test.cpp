// SPDX-License-Identifier: Zlib
//
// Seeds that are refused show a fuzzer nothing. When reading becomes stricter, those that
// fuzz/make_archive_corpus.cpp wrote before may be.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "overture/vfs/file_system.hpp"
#include "support/memory_file_os.hpp"

#include <gtest/gtest.h>

namespace overture::fuzz::seeds_test {
namespace {

std::string seed(std::string_view path) {
  std::ifstream in(std::filesystem::path(OVERTURE_SEEDS) / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The files of an archive and what is in them; empty if it cannot be mounted.
std::map<std::string, std::string> content_of(const std::string& bytes, const char* name) {
  memory_file_os os(bytes);
  file_system files({.os = &os});
  std::map<std::string, std::string> content;
  const result<mount_id> mount = files.mount(name, mount_options{});
  if (!mount || !files.freeze()) return content;
  EXPECT_EQ(files.skipped_count(), 0u);
  buffer_pool buffers;
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info info = files.entry(i);
    const result<blob> read = files.read_all({info.path, info.id}, buffers);
    content[std::string(info.path)] =
        read ? std::string(reinterpret_cast<const char*>(read->data()), read->size())
             : "unreadable";
  }
  return content;
}

// The fuzzer's inputs lack the first 32 KiB.
std::map<std::string, std::string> iso_content(std::string_view path) {
  return content_of(std::string(32768, '\0') + seed(path), "a.iso");
}

}  // namespace

TEST(seeds, have_rock_ridge_and_a_packed_file) {
  const auto content = iso_content("iso/rock_ridge");
  ASSERT_FALSE(content.empty());
  for (const auto& [path, bytes] : content) EXPECT_NE(bytes, "unreadable") << path;
  EXPECT_EQ(content.at("C"), "hello") << "packed with zisofs";
  EXPECT_EQ(content.at("A"), content.at("link")) << "a link";
  EXPECT_TRUE(content.contains("ab")) << "a name that goes on elsewhere";
}

TEST(seeds, have_a_file_in_extents_that_do_not_touch) {
  const auto content = iso_content("iso/extents");
  ASSERT_TRUE(content.contains("A"));
  EXPECT_EQ(content.at("A"), "onetwothree");
}

TEST(seeds, have_plain_iso_images) {
  EXPECT_FALSE(iso_content("iso/plain").empty());
  EXPECT_FALSE(iso_content("iso/joliet").empty());
}

TEST(seeds, have_both_versions_of_tables) {
  for (const char* const format : {"gob", "hog", "lfd"}) {
    for (const char* const version : {"first", "second"}) {
      const std::string path = std::string(format) + "/" + version;
      EXPECT_EQ(content_of(seed(path), ("a." + std::string(format)).c_str()).size(), 3u) << path;
    }
  }
}

TEST(seeds, have_packed_tars) {
  for (const char* const path : {"tar/gzip", "tar/xz", "tar/zstd"}) {
    const auto content = content_of(seed(path), "a.tar");
    ASSERT_TRUE(content.contains("a.txt")) << path;
    EXPECT_EQ(content.at("a.txt"), content.at("hard")) << path;
  }
}

}  // namespace overture::fuzz::seeds_test
