// SPDX-License-Identifier: Zlib
//
// What to change so that a load takes less time: from what was measured.
#pragma once

#include <string>
#include <vector>

#include "report/report_model.hpp"

namespace overture::cli {

// At most five sentences, each with the seconds that it is about; what saves most comes first.
// Nothing that is not worth it.
[[nodiscard]] std::vector<std::string> load_advice(const report& what);
// "3:25, 44.1 kHz", "4096 x 2048"; empty for other files.
[[nodiscard]] std::string content_of(const report_file& file);

}  // namespace overture::cli
