// SPDX-License-Identifier: Zlib
//
// The last error of each thread, and what Overture's errors are called here.
#pragma once

#include "overture/base/error.hpp"
#include "physfs.h"

namespace physfs {

// OK changes nothing.
void set_error(PHYSFS_ErrorCode code) noexcept;
[[nodiscard]] PHYSFS_ErrorCode take_error() noexcept;
[[nodiscard]] PHYSFS_ErrorCode present_error() noexcept;

[[nodiscard]] PHYSFS_ErrorCode code_of(const overture::error& failure) noexcept;

// For functions that return 0, false or a null pointer.
inline bool refuse(PHYSFS_ErrorCode code) noexcept {
  set_error(code);
  return false;
}
inline bool refuse(const overture::error& failure) noexcept {
  return refuse(code_of(failure));
}

}  // namespace physfs
