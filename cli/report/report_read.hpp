// SPDX-License-Identifier: Zlib
//
// A report from the JSON that `overture load --json` wrote: what report_json() made of it comes
// back, so its text and its JSON are the same again.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "report/report_model.hpp"

namespace overture::cli {

// The report, or why there is none: "it ends in the middle". Anything may be in the text.
[[nodiscard]] std::variant<report, std::string> parse_report(std::string_view text);

}  // namespace overture::cli
