// SPDX-License-Identifier: Zlib
//
// What an archive says about the file that an entry was made of, and how archives write times. Pure
// functions.
#pragma once

#include <cstdint>

namespace overture::archives_detail {

struct entry_origin {
  std::uint32_t modified_s = 0;  // seconds since 1970; 0 = unknown
  bool in_local_time = false;    // modified_s is a wall clock's, in an unknown time zone
  bool executable = false;
};

// Each gives 0 for a time that does not exist, or is not between 1970 and 2106.

struct wall_clock {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  int minutes_east = 0;  // of Greenwich
};
[[nodiscard]] std::uint32_t seconds_of(const wall_clock& time) noexcept;
// FAT's: two words of bit fields, in local time.
[[nodiscard]] std::uint32_t seconds_of_dos(std::uint16_t date, std::uint16_t time) noexcept;
// NTFS's: units of 100 ns since 1601.
[[nodiscard]] std::uint32_t seconds_of_ntfs(std::uint64_t time) noexcept;

}  // namespace overture::archives_detail
