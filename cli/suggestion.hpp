// The word that somebody who mistyped probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overture::cli {

// The candidate that differs least from `typed`; empty if all differ in more than a third of it.
// Exchanged neighbours count as one difference.
[[nodiscard]] std::string nearest(std::string_view typed,
                                  const std::vector<std::string>& candidates);

}  // namespace overture::cli
