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
// The same words in the page of a comparison.
[[nodiscard]] const char* kind_title(measure_kind kind, bool is_of_program);
[[nodiscard]] const char* verdict_word(change verdict, measure_kind kind);
// The same; "slower?" where too few loads tell nothing, but are far apart.
[[nodiscard]] std::string judged_word(const judgement& judged, measure_kind kind);
[[nodiscard]] std::string value_text(double value, measure_kind kind);
[[nodiscard]] std::string change_text(const judgement& judged);
[[nodiscard]] std::string range_text(const judgement& judged);
[[nodiscard]] std::string measure_name(const compared_measure& each);
// "10 loads of a.json with 10 loads of b.json; a difference counts above ..."
[[nodiscard]] std::string comparison_basis(const load_comparison& what);

// Names cannot break the table, or become markup.
[[nodiscard]] std::string comparison_markdown(const load_comparison& what,
                                              const std::vector<std::string>& exceeded);

}  // namespace overture::cli
