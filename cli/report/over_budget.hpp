// SPDX-License-Identifier: Zlib
//
// Which file took more memory than --budget allows, and why.
#pragma once

#include <string>

#include "report/report_model.hpp"

namespace overture::cli {

// A paragraph; empty if all was within the budget. `columns`: 0 for one line.
[[nodiscard]] std::string over_budget(const report& what, std::size_t columns);

}  // namespace overture::cli
