// SPDX-License-Identifier: Zlib
#include "archives/names/entry_origin.hpp"

#include <chrono>

namespace overture::archives_detail {

std::uint32_t seconds_of(const wall_clock& time) noexcept {
  using namespace std::chrono;
  const year_month_day date{year(time.year), month(time.month), day(time.day)};
  if (!date.ok() || time.hour > 23 || time.minute > 59 || time.second > 59) return 0;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + time.hour) * 60 + time.minute - time.minutes_east;
  const std::int64_t seconds = minutes * 60 + time.second;
  return seconds > 0 && seconds <= UINT32_MAX ? static_cast<std::uint32_t>(seconds) : 0;
}

std::uint32_t seconds_of_dos(std::uint16_t date, std::uint16_t time) noexcept {
  const unsigned d = date;
  const unsigned t = time;
  return seconds_of({.year = 1980 + static_cast<int>(d >> 9),
                     .month = d >> 5 & 15,
                     .day = d & 31,
                     .hour = t >> 11,
                     .minute = t >> 5 & 63,
                     .second = (t & 31) * 2});
}

std::uint32_t seconds_of_ntfs(std::uint64_t time) noexcept {
  constexpr std::uint64_t units_each_second = 10'000'000;
  constexpr std::uint64_t from_1601_to_1970_s = 11'644'473'600;
  const std::uint64_t seconds = time / units_each_second;
  if (seconds <= from_1601_to_1970_s || seconds - from_1601_to_1970_s > UINT32_MAX) return 0;
  return static_cast<std::uint32_t>(seconds - from_1601_to_1970_s);
}

}  // namespace overture::archives_detail
