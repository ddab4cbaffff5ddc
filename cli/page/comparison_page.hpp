// SPDX-License-Identifier: Zlib
//
// A comparison as one page for a browser, like that of a load. It needs neither network nor script.
#pragma once

#include <string>
#include <vector>

#include "compare/load_comparison.hpp"

namespace overture::cli {

// `exceeded` are the sentences of --max.
[[nodiscard]] std::string comparison_page(const load_comparison& what,
                                          const std::vector<std::string>& exceeded);

}  // namespace overture::cli
