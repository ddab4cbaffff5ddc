// SPDX-License-Identifier: Zlib
//
// What was watched as one page, drawn like a load's: lanes of all threads, what they waited for and
// who ended that, and tables.
#pragma once

#include <string>
#include <vector>

#include "report/model/report_model.hpp"
#include "report/page/picture.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/gain.hpp"

namespace overture::watch {

// Lanes, wakes and names of a load; spans name files by their row in files_of().
[[nodiscard]] report_detail::timeline_picture picture_of(const load_view& view);
// The files that were opened or read, by path.
[[nodiscard]] std::vector<report_detail::report_row> files_of(const load_view& view);

struct page_content {
  const load_view& view;
  std::vector<finding> findings = {};
  std::vector<gain> gains = {};
  std::string note = {};                     // a sentence below the verdict
  std::vector<std::string> conditions = {};  // sentences: where, when, cold or warm
};
[[nodiscard]] std::string watch_page(const page_content& of);

}  // namespace overture::watch
