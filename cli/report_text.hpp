// A report as text, for people.
#pragma once

#include <string>

#include "report_model.hpp"
#include "style.hpp"

namespace overture::cli {

// Lines ended by '\n'; the first is the verdict. Names are made harmless (display.hpp).
[[nodiscard]] std::string report_text(const report& what, const text_style& style);

// One line for each failure, as the report has them: "path (mount): stage: reason".
[[nodiscard]] std::string failure_line(const report_failure& failure, const text_style& style);

}  // namespace overture::cli
