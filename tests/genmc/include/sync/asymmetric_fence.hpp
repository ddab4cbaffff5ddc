// SPDX-License-Identifier: Zlib
//
// Replaces src/sync/asymmetric_fence.hpp: the memory models here know no fence of all threads, so
// a reader has one of its own where the heavy one of a writer would reach it.
#pragma once

#include <atomic>

#include "overture/base/atomic.hpp"

namespace overture::sync_detail {

inline bool register_heavy_fence() noexcept {
  return true;
}
inline bool heavy_fence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}
template <class T>
void light_store(atomic<T>& into, T value) noexcept {
  into.store(value, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace overture::sync_detail
