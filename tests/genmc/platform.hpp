// SPDX-License-Identifier: Zlib
//
// The platform functions that the sources need, as little of them as will do.
#pragma once

#include <cstdint>

#include "base/threads/thread_slot.hpp"
#include "genmc/model.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/asymmetric_fence.hpp"

namespace overture {

wait_observer* current_wait_observer() noexcept {
  return nullptr;
}
std::uint64_t now_ns() noexcept {
  return 1;
}
void yield_thread() noexcept {}
void count(const char*, std::uint64_t) noexcept {}

std::uint32_t base_detail::thread_slot() noexcept {
  return genmc::self;
}

}  // namespace overture

namespace genmc {

// GenMC itself finds what is used after it was freed, or freed twice.
class heap final : public overture::allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t, overture::memory_tag) noexcept override {
    return __VERIFIER_malloc(bytes);
  }
  void deallocate(void* memory, std::size_t, std::size_t, overture::memory_tag) noexcept override {
    if (memory != nullptr) __VERIFIER_free(memory);
  }
};
inline heap memory;

}  // namespace genmc
