// SPDX-License-Identifier: Zlib
//
// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overture::cli {

// The candidate most similar to `typed`; empty if all differ in more than a third of its letters.
// Swapped neighbours count as one difference.
[[nodiscard]] std::string nearest(std::string_view typed,
                                  const std::vector<std::string>& candidates);

}  // namespace overture::cli
