// SPDX-License-Identifier: Zlib
#include "report/report_model.hpp"

#include <algorithm>

#include "system/exit_code.hpp"

namespace overture::cli {

int status_of_files(const report& what) {
  if (what.summary.failed == 0) return exit_ok;
  const bool no_memory = std::any_of(
      what.failures.begin(), what.failures.end(),
      [](const report_failure& each) { return each.code == to_string(errc::out_of_memory); });
  return no_memory ? exit_output_failed : exit_files_failed;
}

}  // namespace overture::cli
