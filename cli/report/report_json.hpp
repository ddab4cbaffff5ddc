// SPDX-License-Identifier: Zlib
//
// A report as JSON. docs/guide/command.md documents the fields.
#pragma once

#include <string>

#include "report/report_model.hpp"
#include "terminal/json_output.hpp"

namespace overture::cli {

// One object and a newline. ASCII only: other characters are \u escapes, so that names cannot
// affect a terminal. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string report_json(const report& what);

// Parts that other commands write too.
[[nodiscard]] json failures_json(const report& what);
[[nodiscard]] json warnings_json(const std::vector<report_warning>& warnings);
[[nodiscard]] json mount_failures_json(const report& what);
[[nodiscard]] json skipped_json(const std::vector<report_skipped>& names);

}  // namespace overture::cli
