// SPDX-License-Identifier: Zlib
//
// The files of a load in the order of their first use, for `overture pack --recorded`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

struct first_use {
  std::string path = {};  // below the folder
  std::uint64_t cost_us = 0;
  std::uint64_t bytes = 0;
};
// Those below `folder` that were read, or opened and mapped; an empty one is the root.
[[nodiscard]] std::vector<first_use> first_uses(const load_view& view, std::string_view folder);

}  // namespace overture::watch
