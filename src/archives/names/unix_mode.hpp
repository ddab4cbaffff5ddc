// SPDX-License-Identifier: Zlib
//
// The mode of a file on Unix, as archives keep it.
#pragma once

#include <cstdint>

namespace overture::archives_detail {

inline constexpr std::uint32_t unix_kind_mask = 0170000;
inline constexpr std::uint32_t unix_link = 0120000;
inline constexpr std::uint32_t unix_owner_runs = 0100;

}  // namespace overture::archives_detail
