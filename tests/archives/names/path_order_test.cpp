// SPDX-License-Identifier: Zlib
//
// The order of paths, and sorting by it.
#include "archives/names/path_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace overture::archives_detail::path_order_test {
using namespace base_detail;

namespace {

std::vector<std::string> sorted(const std::vector<std::string>& paths) {
  vec<ordered_path> order(default_allocator(), memory_tag::vfs);
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(
        order.push_back({0, paths[i].data(), i, static_cast<std::uint16_t>(paths[i].size())}));
  }
  EXPECT_TRUE(sort_paths(order));
  std::vector<std::string> in_order;
  for (const ordered_path& path : order) {
    EXPECT_EQ(path.text, paths[path.number].data());
    in_order.emplace_back(path.path());
  }
  return in_order;
}

std::vector<std::string> as_path_before_says(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end(), path_before);
  return paths;
}

// Elements of a few unusual bytes, so that paths have long common prefixes and differ at the
// borders of keys.
std::vector<std::string> odd_paths(std::mt19937& random, std::size_t count, std::size_t bytes_max) {
  constexpr std::string_view bytes = "\x01-.0a\x7f\x80\xff////";
  std::set<std::string> paths;
  while (paths.size() < count) {
    std::string path(1 + random() % bytes_max, 'a');
    for (char& byte : path) {
      if (random() % 4 == 0) byte = bytes[random() % bytes.size()];
    }
    std::size_t twice = 0;
    while ((twice = path.find("//")) != std::string::npos) path.erase(twice, 1);
    if (path.front() != '/' && path.back() != '/') paths.insert(path);
  }
  std::vector<std::string> shuffled(paths.begin(), paths.end());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  return shuffled;
}

TEST(path_order, puts_a_folders_entries_at_its_name) {
  const std::vector<std::string> in_order = {"a",     "a/b", "a/b/c", "a/c",
                                             "a\x01", "a-b", "a.txt", "b"};
  EXPECT_EQ(as_path_before_says({in_order.rbegin(), in_order.rend()}), in_order);
  EXPECT_EQ(sorted({in_order.rbegin(), in_order.rend()}), in_order);
}

TEST(path_order, is_the_same_by_keys_as_by_comparing) {
  std::mt19937 random(7);
  for (const std::size_t bytes_max : {3u, 9u, 17u, 40u, 600u}) {
    const std::vector<std::string> paths = odd_paths(random, 300, bytes_max);
    EXPECT_EQ(sorted(paths), as_path_before_says(paths)) << bytes_max;
  }
}

TEST(path_order, of_many_paths_is_the_same_as_of_few) {
  std::mt19937 random(9);
  std::vector<std::string> paths = odd_paths(random, 3'000, 20);
  for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = std::to_string(i % 3) + "/" + paths[i];
  EXPECT_EQ(sorted(paths), as_path_before_says(paths));
}

TEST(path_order, sorts_paths_with_long_common_prefixes) {
  std::mt19937 random(8);
  std::vector<std::string> paths = odd_paths(random, 100, 30);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    paths[i] = std::string(i % 2 == 0 ? 250 : 4000, 'x') + paths[i];
  }
  EXPECT_EQ(sorted(paths), as_path_before_says(paths));
}

}  // namespace
}  // namespace overture::archives_detail::path_order_test
