// SPDX-License-Identifier: Zlib
//
// The number of a path: what stands for a path where its text would be too long to carry.
#pragma once

#include <compare>
#include <cstdint>

#include "overture/base/version.hpp"

namespace overture {

// The XXH64 (seed 0) of a normal path, see path.hpp.
struct path_id {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(const path_id&, const path_id&) = default;
};

}  // namespace overture
