// SPDX-License-Identifier: Zlib
#include "base/system/paths_windows.hpp"
#include "sync/asymmetric_fence.hpp"

namespace overture::sync_detail {

bool register_heavy_fence() noexcept {
  return true;
}

bool heavy_fence() noexcept {
  FlushProcessWriteBuffers();
  return true;
}

}  // namespace overture::sync_detail
