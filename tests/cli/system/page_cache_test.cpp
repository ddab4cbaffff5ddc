// SPDX-License-Identifier: Zlib
#include "system/page_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temp_folder.hpp"

namespace overture::cli::page_cache_test {
namespace {

TEST(page_cache, is_left_by_a_file_that_is_dropped) {
  temp_folder folder;
  constexpr std::size_t bytes = 3 << 20;
  folder.write("large", std::string(bytes, 'x'));
  folder.write("empty", "");
  const std::string path = folder / "large";
  const std::optional<std::uint64_t> before = bytes_in_page_cache(path);
  if (!before) GTEST_SKIP() << "the system does not say";
  EXPECT_EQ(*before, bytes) << "it was just written";
  const dropped_files done = drop_file_from_page_cache(path);
  EXPECT_EQ(done.files, 1u);
  EXPECT_EQ(done.bytes, bytes);
  EXPECT_EQ(done.unknown_files, 0u);
  // A file system in memory keeps all. Looking brings nothing back.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bytes_in_page_cache(path), done.kept_bytes);
  EXPECT_TRUE(done.kept_bytes == 0 || done.kept_bytes == bytes) << done.kept_bytes;

  const dropped_files none = drop_file_from_page_cache(folder / "empty");
  EXPECT_EQ(none.files, 1u);
  EXPECT_EQ(none.kept_bytes, 0u);
  EXPECT_EQ(drop_file_from_page_cache(folder / "missing").files, 0u);
  EXPECT_EQ(drop_file_from_page_cache(folder.path().string()).files, 0u);
}

}  // namespace
}  // namespace overture::cli::page_cache_test
