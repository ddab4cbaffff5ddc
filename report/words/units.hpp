// SPDX-License-Identifier: Zlib
//
// Numbers in human-readable form.
#pragma once

#include <cstdint>
#include <string>

namespace overture::report_detail {

[[nodiscard]] std::string grouped(std::uint64_t number);        // 1,234,567
[[nodiscard]] std::string human_bytes(double bytes);            // 12.3 MiB
[[nodiscard]] std::string human_rate(double bytes_per_second);  // 12.3 MiB/s
[[nodiscard]] std::string human_time(std::uint64_t ns);         // 12.3 ms, 1.23 s, 2:05 min
[[nodiscard]] std::string human_percent(double fraction);       // 61 %, <1 %
[[nodiscard]] constexpr double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}
// "1 file", "2 files".
[[nodiscard]] std::string counted(std::uint64_t number, const char* singular, const char* plural);

}  // namespace overture::report_detail
