// SPDX-License-Identifier: Zlib
//
// For systems without a process-wide fence.
#include "sync/asymmetric_fence.hpp"

namespace overture::sync_detail {

bool register_heavy_fence() noexcept {
  return false;
}

bool heavy_fence() noexcept {
  return false;
}

}  // namespace overture::sync_detail
