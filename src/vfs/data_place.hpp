// Where in its source the packed bytes of a file begin.
#pragma once

#include "overture/vfs/file_system.hpp"

namespace overture::vfs {

// Reads the header in front of them, if there is one, and nothing of the bytes but what lies near
// it. Errors: corrupt, and those of reading.
[[nodiscard]] result<std::uint64_t> find_data(const open_source& source,
                                              const file_place& place) noexcept;

// The bytes of a stored file within its mapped archive. Errors: corrupt, unsupported if it is
// compressed, truncated if it lies beyond the mapping.
[[nodiscard]] result<std::span<const std::byte>> mapped_part(const mapping& archive,
                                                             const file_place& place) noexcept;

}  // namespace overture::vfs
