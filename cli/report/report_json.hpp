// SPDX-License-Identifier: Zlib
//
// A report as JSON. docs/guide/command.md documents the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/report_model.hpp"

namespace overture::cli {

// One object and a newline. ASCII only: other characters are \u escapes, so that names cannot
// affect a terminal. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string report_json(const report& what);

// Parts that other commands write too.
[[nodiscard]] nlohmann::ordered_json failures_json(const report& what);
[[nodiscard]] nlohmann::ordered_json warnings_json(const std::vector<report_warning>& warnings);
[[nodiscard]] nlohmann::ordered_json mount_failures_json(const report& what);
[[nodiscard]] nlohmann::ordered_json skipped_json(const std::vector<report_skipped>& names);

}  // namespace overture::cli
