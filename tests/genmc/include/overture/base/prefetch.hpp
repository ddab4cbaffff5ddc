// SPDX-License-Identifier: Zlib
//
// Replaces include/overture/base/prefetch.hpp: GenMC knows neither caches nor assembly.
#pragma once

namespace overture {

inline void prefetch_to_read(const void*) noexcept {}
inline void prefetch_to_write(const void*) noexcept {}

}  // namespace overture
