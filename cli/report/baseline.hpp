// SPDX-License-Identifier: Zlib
//
// Compares a load with an earlier one, from the JSON that it wrote.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/report_model.hpp"

namespace overture::cli {

// What is needed of an earlier load.
struct baseline {
  std::string hash;
  unsigned threads = 0;
  std::vector<report_time> times;
};

// Nothing if the text is not what `overture load --json` writes.
[[nodiscard]] std::optional<baseline> parse_baseline(std::string_view text);
// The same from a file. Prints why and returns nothing if that fails.
[[nodiscard]] std::optional<baseline> read_baseline(const std::string& path);

// Slower: the median is more than `tolerance_percent` above the old one, and even the fastest of
// the loads took longer than the slowest of the old ones.
[[nodiscard]] bool is_slower(const spread& was, const spread& now, unsigned tolerance_percent);
[[nodiscard]] report_baseline compare(const baseline& old, const report& now,
                                      unsigned tolerance_percent);

}  // namespace overture::cli
