// SPDX-License-Identifier: Zlib
//
// Numbers in human-readable form, as in a report.
#pragma once

#include "report/words/units.hpp"

namespace overture::cli {

using report_detail::counted;
using report_detail::grouped;
using report_detail::human_bytes;
using report_detail::human_percent;
using report_detail::human_rate;
using report_detail::human_time;
using report_detail::seconds;

}  // namespace overture::cli
