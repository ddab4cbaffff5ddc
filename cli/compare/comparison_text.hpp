// SPDX-License-Identifier: Zlib
//
// A comparison as text, as JSON, and as a table for a pull request.
#pragma once

#include <string>
#include <vector>

#include "compare/load_comparison.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

// `exceeded` are the sentences of --max.
[[nodiscard]] std::string comparison_text(const load_comparison& what,
                                          const std::vector<std::string>& exceeded,
                                          const text_style& style);
[[nodiscard]] std::string comparison_json(const load_comparison& what,
                                          const std::vector<std::string>& exceeded);
// Names cannot break the table, or become markup.
[[nodiscard]] std::string comparison_markdown(const load_comparison& what,
                                              const std::vector<std::string>& exceeded);

}  // namespace overture::cli
