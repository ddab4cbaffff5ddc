// SPDX-License-Identifier: Zlib
//
// A report as text.
#pragma once

#include <string>

#include "report/report_model.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

// The first line is the verdict. Names are made printable().
[[nodiscard]] std::string report_text(const report& what, const text_style& style);

// "path (mount): stage: reason".
// "files are missing: 2 folders, links, names or headers could not be read"
[[nodiscard]] std::string missing_files(const report& what);
[[nodiscard]] std::string failure_line(const report_failure& failure, const text_style& style);

}  // namespace overture::cli
