// SPDX-License-Identifier: Zlib
//
// What to change so that a load takes less time: from what was measured.
#pragma once

#include <string>
#include <vector>

#include "report/model/report_model.hpp"

namespace overture::report_detail {

struct advice {
  std::string sentence;       // with the times that it comes from
  std::uint64_t gain_ns = 0;  // of the load, at most: its share of the threads' time
  std::string path = {};      // of the file that it is about, if it is about one
};

// At most five; what saves most comes first. Nothing that is not worth it.
[[nodiscard]] std::vector<advice> load_advice(const load_report& what);
// What they say and what it gives: "Up to 950 ms of the load: Stream 23 sounds ...".
[[nodiscard]] std::vector<std::string> sentences_of(const std::vector<advice>& list);
// "3:25, 44.1 kHz", "4096 x 2048"; empty for other files.
[[nodiscard]] std::string content_of(const report_file& file);

}  // namespace overture::report_detail
