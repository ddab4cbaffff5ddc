// SPDX-License-Identifier: Zlib
//
// Which of several loads to show.
#pragma once

#include <cstddef>
#include <vector>

#include "report/report_model.hpp"

namespace overture::cli {

// Of an even number the median is the smaller of the two in the middle.
[[nodiscard]] spread spread_of(const std::vector<double>& seconds);
// The number of the load that took the median time. None may have been interrupted.
[[nodiscard]] std::size_t median_of(const std::vector<report>& loads);

}  // namespace overture::cli
