// SPDX-License-Identifier: Zlib
//
// Replaces src/vfs/mounts/sizes.hpp: as small as will do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::vfs_detail {

inline constexpr std::size_t pin_stripes_max = 3;
inline constexpr std::uint32_t pin_numbers_max = 1;

}  // namespace overture::vfs_detail
