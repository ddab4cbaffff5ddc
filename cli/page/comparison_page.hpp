// SPDX-License-Identifier: Zlib
//
// A comparison as one page for a browser, like that of a load. It needs neither network nor script.
#pragma once

#include <string>
#include <vector>

#include "compare/load_comparison.hpp"
#include "report/page/picture.hpp"

namespace overture::cli {

// Of one load of each; without lanes if it has no trace.
struct compared_pictures {
  report_detail::timeline_picture was;
  report_detail::timeline_picture now;
};

// `exceeded` are the sentences of --max.
[[nodiscard]] std::string comparison_page(const load_comparison& what,
                                          const std::vector<std::string>& exceeded,
                                          const compared_pictures& pictures = {});

}  // namespace overture::cli
