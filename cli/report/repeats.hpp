// SPDX-License-Identifier: Zlib
//
// What several loads of the same tree took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report_model.hpp"

namespace overture::cli {

// Of an even number the median is the smaller of the two in the middle.
[[nodiscard]] spread spread_of(std::vector<std::uint64_t> ns);
// The load, mounting, and each stage. None of the reports may be of an interrupted load.
[[nodiscard]] std::vector<report_time> times_of(const std::vector<report>& loads);
// The number of the load that took the median time.
[[nodiscard]] std::size_t median_of(const std::vector<report>& loads);

}  // namespace overture::cli
