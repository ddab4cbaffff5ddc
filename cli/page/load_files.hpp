// SPDX-License-Identifier: Zlib
//
// A load that is over, from the files that it wrote: its trace, its report as JSON, or both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page/picture.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

// What text, JSON and page of a load are made of.
struct load_model {
  report what;
  timeline_picture picture;  // without lanes if there was no trace
};

// Whether a file begins as a trace does. False if it cannot be read.
[[nodiscard]] bool is_trace_file(const std::string& path);

// Which of the files is which, their content tells. Prints an error and returns nothing if they
// cannot be read, are of something else, or of two loads. What the files lack is in
// report::missing.
[[nodiscard]] std::optional<load_model> read_load(const std::vector<std::string>& paths);

}  // namespace overture::cli
