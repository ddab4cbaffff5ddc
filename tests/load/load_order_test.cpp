// SPDX-License-Identifier: Zlib
#include "load/load_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace overture::load_detail::load_order_test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t mib = 1u << 20;

std::vector<entry_index> order_of(const std::vector<ordered_file>& files, const load_means& means) {
  base_detail::vec<entry_index> order(default_allocator(), memory_tag::load);
  EXPECT_TRUE(order_files(files, means, default_allocator(), order));
  return {order.begin(), order.end()};
}

solid_block block(std::uint64_t offset, std::uint64_t bytes) {
  return {{1}, offset, bytes};
}

TEST(load_order, begins_with_the_largest_files_and_keeps_small_ones_in_tree_order) {
  EXPECT_THAT(
      order_of({{0, 10, {}}, {1, mib, {}}, {2, 5, {}}, {3, 2 * mib, {}}, {4, 90, {}}}, {mib, 4}),
      ElementsAre(3, 1, 0, 2, 4));
  EXPECT_THAT(order_of({}, {}), ElementsAre());
}

TEST(load_order, leaves_files_of_blocks_where_they_are_if_all_blocks_have_room) {
  const std::vector<ordered_file> files{
      {0, 1, block(0, mib)}, {1, 1, block(mib, mib)}, {2, 1, block(0, mib)}, {3, 1, {}}};
  EXPECT_THAT(order_of(files, {2 * mib, 4}), ElementsAre(0, 1, 2, 3));
}

TEST(load_order, finishes_as_many_blocks_at_a_time_as_have_room) {
  const std::vector<ordered_file> files{{0, 1, block(0, mib)},       {1, 1, block(mib, 2 * mib)},
                                        {2, 1, block(0, mib)},       {3, 9 * mib, {}},
                                        {4, 1, block(mib, 2 * mib)}, {5, 1, block(3 * mib, mib)},
                                        {6, 1, block(0, mib)},       {7, 1, {}},
                                        {8, 1, block(3 * mib, mib)}};
  // One after another, the largest first.
  EXPECT_THAT(order_of(files, {mib, 4}), ElementsAre(1, 4, 0, 2, 6, 5, 8, 3, 7));
  // Two at a time.
  EXPECT_THAT(order_of(files, {3 * mib, 2}), ElementsAre(0, 1, 2, 4, 6, 5, 8, 3, 7));
  EXPECT_THAT(order_of(files, {3 * mib, 1}), ElementsAre(1, 4, 0, 2, 6, 5, 8, 3, 7))
      << "no more than there are threads";
}

TEST(load_order, tells_blocks_of_two_archives_apart) {
  const solid_block other{{2}, 0, mib};
  EXPECT_THAT(order_of({{0, 1, block(0, mib)}, {1, 1, other}, {2, 1, block(0, mib)}, {3, 1, other}},
                       {mib, 4}),
              ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace overture::load_detail::load_order_test
