// The name of one physical file: an archive, or a loose file while it is open.
//
// A file_system gives a source_id when it mounts an archive or first opens a loose file, and the
// read queue knows files by nothing else, so no path is hashed or compared while bytes move.
#pragma once

#include <compare>
#include <cstdint>

namespace overture {

struct source_id {
  std::uint32_t index = UINT32_MAX;  // slot in the table that gave the id
  std::uint32_t generation = 0;      // tells a reused slot from the file that had it before

  [[nodiscard]] constexpr bool valid() const noexcept { return index != UINT32_MAX; }
  friend constexpr auto operator<=>(const source_id&, const source_id&) = default;
};

}  // namespace overture
