// SPDX-License-Identifier: Zlib
#include "mounts/archive_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace overture::cli::archive_order_test {
namespace {

using ::testing::ElementsAreArray;

void expect_order(archive_order order, const std::vector<std::string>& sorted) {
  std::vector<std::string> paths = sorted;
  do {
    std::vector<std::string> shuffled = paths;
    sort_archives(shuffled, order);
    EXPECT_THAT(shuffled, ElementsAreArray(sorted));
  } while (std::next_permutation(paths.begin(), paths.end()));
}

TEST(archives_in_a_folder, are_sorted_without_case_as_games_do) {
  expect_order(archive_order::nocase, {"assets0.pk3", "assets1.pk3", "Mods.pk3", "Zmod.pk3"});
  expect_order(archive_order::nocase, {"pak1.pk3", "pak10.pk3", "pak9.pk3"});
  expect_order(archive_order::nocase, {"PAK.pk3", "pak.pk3"});
  expect_order(archive_order::nocase, {"a.zip", "a_b.zip", "\xC3\xA4.zip"});
}

TEST(archives_in_a_folder, are_sorted_by_bytes_if_asked_for) {
  expect_order(archive_order::bytes, {"Zmod.pk3", "assets0.pk3", "pak10.pk3", "pak9.pk3"});
}

TEST(archives_in_a_folder, are_sorted_by_numbers_if_asked_for) {
  expect_order(archive_order::natural, {"pak.pk3", "pak1.pk3", "Pak9.pk3", "pak10.pk3"});
  expect_order(archive_order::natural, {"a1b2", "a1b10", "a2b1"});
  expect_order(archive_order::natural, {"pak007.pk3", "pak07.pk3", "pak7.pk3", "pak8.pk3"});
  expect_order(archive_order::natural,
               {"99999999999999999999.zip", "100000000000000000000.zip", "a.zip"});
}

}  // namespace
}  // namespace overture::cli::archive_order_test
