// SPDX-License-Identifier: Zlib
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "sync/asymmetric_fence.hpp"

namespace overture::sync_detail {
namespace {

bool membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool has_one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace

bool register_heavy_fence() noexcept {
  if (heavy_fence()) return true;  // registered before
  return has_one_thread() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && heavy_fence();
}

bool heavy_fence() noexcept {
  return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace overture::sync_detail
