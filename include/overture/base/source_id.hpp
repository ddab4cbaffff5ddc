// SPDX-License-Identifier: Zlib
//
// Identifies one physical file: an archive, or a loose file while it is open.
//
// A file_system issues a source_id when it mounts an archive or first opens a loose file. The read
// queue knows files only by these ids, so no path is hashed or compared while data moves.
#pragma once

#include <compare>
#include <cstdint>

#include "overture/base/version.hpp"

namespace overture {

struct source_id {
  std::uint32_t index = UINT32_MAX;  // slot in the issuer's table
  std::uint32_t generation = 0;      // tells apart the files that reuse a slot

  [[nodiscard]] constexpr bool valid() const noexcept { return index != UINT32_MAX; }
  friend constexpr auto operator<=>(const source_id&, const source_id&) = default;
};

}  // namespace overture
