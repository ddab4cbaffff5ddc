// A report as JSON, for programs. docs/guide/command.md documents the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report_model.hpp"

namespace overture::cli {

// One object, ended by a line end. ASCII only: names from outside come as \u escapes, so that they
// can do nothing to a terminal; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string report_json(const report& what);

// Parts of it that others write too.
[[nodiscard]] nlohmann::ordered_json failures_json(const report& what);
[[nodiscard]] nlohmann::ordered_json skipped_json(const report& what);

}  // namespace overture::cli
