// SPDX-License-Identifier: Zlib
//
// The hash table of a frozen tree.
#include "vfs/tree/frozen_index.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overture::vfs_detail::frozen_index_test {
namespace {

// An index of these paths, with their own ids or with one id for all, as if names were crafted.
class filled {
 public:
  explicit filled(const std::vector<std::string>& paths, path_id forged = {})
      : forged_(forged), index_(default_allocator()) {
    std::uint64_t end = 0;
    for (const std::string& path : paths) (void)frozen_index::reserve_text(path.size(), &end);
    EXPECT_TRUE(index_.reset(paths.size(), end));
    for (std::uint32_t i = 0; i < paths.size(); ++i) index_.add(named(paths[i]), i);
  }
  [[nodiscard]] std::uint32_t find(const std::string& path) const {
    return index_.find(named(path));
  }

 private:
  [[nodiscard]] asset_path named(const std::string& path) const {
    return {path, forged_.value != 0 ? forged_ : path_id{hash64(path)}};
  }
  path_id forged_;
  frozen_index index_;
};

TEST(frozen_index, compares_every_byte_of_paths_of_all_lengths) {
  for (std::size_t length = 0; length <= 140; ++length) {
    const std::string path(length, 'a');
    const filled index({path}, {42});
    ASSERT_EQ(index.find(path), 0u) << length;
    ASSERT_EQ(index.find(path + 'a'), frozen_index::none) << length;
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = path;
      other[i] = 'b';
      ASSERT_EQ(index.find(other), frozen_index::none) << length << ", " << i;
    }
  }
}

TEST(frozen_index, distinguishes_paths_with_one_id) {
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) paths.push_back("textures/a long name/" + std::to_string(i));
  const filled index(paths, {42});
  for (std::uint32_t i = 0; i < paths.size(); ++i) EXPECT_EQ(index.find(paths[i]), i);
  EXPECT_EQ(index.find("textures/a long name/x"), frozen_index::none);
}

TEST(frozen_index, finds_all_of_many_paths_and_no_others) {
  std::vector<std::string> paths;
  for (int i = 0; i < 20'000; ++i) {
    paths.push_back(std::string(static_cast<std::size_t>(i % 90), 'x') + std::to_string(i));
  }
  const filled index(paths);
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    ASSERT_EQ(index.find(paths[i]), i);
    ASSERT_EQ(index.find(paths[i] + "/"), frozen_index::none);
  }
}

TEST(frozen_index, keeps_paths_of_up_to_62_bytes_in_one_cache_line) {
  constexpr std::uint64_t units_of_line = 8;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < 2'000; ++i) {
    const std::uint64_t before = end;
    const std::uint64_t at = frozen_index::reserve_text(i * 7 % 63, &end);
    ASSERT_GE(at, before);
    ASSERT_EQ(at / units_of_line, (end - 1) / units_of_line) << i;
  }
}

}  // namespace
}  // namespace overture::vfs_detail::frozen_index_test
