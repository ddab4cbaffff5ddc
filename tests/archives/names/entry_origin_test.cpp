// SPDX-License-Identifier: Zlib
#include "archives/names/entry_origin.hpp"

#include <gtest/gtest.h>

namespace overture::archives_detail::entry_origin_test {
namespace {

constexpr std::uint32_t day = 1'500'000'000;  // 2017-07-14 02:40:00 UTC

TEST(entry_origin, gives_the_seconds_of_dates_that_exist) {
  const struct {
    wall_clock time;
    std::uint32_t seconds;
  } cases[] = {
      {{2017, 7, 14, 2, 40, 0, 0}, day},        {{2017, 7, 14, 4, 40, 0, 120}, day},
      {{2017, 7, 13, 20, 40, 0, -360}, day},    {{1970, 1, 1, 0, 0, 1, 0}, 1},
      {{2106, 2, 7, 6, 28, 15, 0}, UINT32_MAX}, {{2106, 2, 7, 6, 28, 16, 0}, 0},
      {{1969, 12, 31, 23, 59, 59, 0}, 0},       {{2017, 2, 29, 0, 0, 0, 0}, 0},
      {{2017, 13, 1, 0, 0, 0, 0}, 0},           {{2017, 0, 0, 0, 0, 0, 0}, 0},
      {{2017, 7, 14, 24, 0, 0, 0}, 0},          {{2017, 7, 14, 0, 60, 0, 0}, 0},
      {{2017, 7, 14, 0, 0, 60, 0}, 0},          {{}, 0},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(seconds_of(each.time), each.seconds)
        << each.time.year << '-' << each.time.month << '-' << each.time.day;
  }
}

TEST(entry_origin, reads_the_fields_of_a_dos_date) {
  EXPECT_EQ(seconds_of_dos((2017 - 1980) << 9 | 7 << 5 | 14, 2 << 11 | 40 << 5 | 4 / 2), day + 4);
  EXPECT_EQ(seconds_of_dos(33, 0), 315'532'800u);  // 1980-01-01
  EXPECT_EQ(seconds_of_dos(0, 0), 0u);
  EXPECT_EQ(seconds_of_dos(UINT16_MAX, UINT16_MAX), 0u);
}

TEST(entry_origin, counts_the_time_of_ntfs_from_1970) {
  EXPECT_EQ(seconds_of_ntfs((11'644'473'600ull + day) * 10'000'000 + 5), day);
  EXPECT_EQ(seconds_of_ntfs(0), 0u);
  EXPECT_EQ(seconds_of_ntfs(11'644'473'600ull * 10'000'000), 0u);
  EXPECT_EQ(seconds_of_ntfs(UINT64_MAX), 0u);
}

}  // namespace
}  // namespace overture::archives_detail::entry_origin_test
