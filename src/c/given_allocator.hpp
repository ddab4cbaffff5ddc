// SPDX-License-Identifier: Zlib
//
// Memory from functions of the program: overture_allocator.
#pragma once

#include <cstddef>

#include "overture/base/allocator.hpp"
#include "overture/c/base.h"

namespace overture::c {

class given_allocator final : public allocator {
 public:
  given_allocator() = default;  // of nothing

  // Why these functions cannot be used, or null. NULL is malloc.
  [[nodiscard]] const char* set(const overture_allocator* given) noexcept {
    if (given == nullptr) return nullptr;
    if (given->size != sizeof *given) {
      return "the size of the allocator is not set: set it to sizeof the structure";
    }
    if (given->allocate == nullptr || given->deallocate == nullptr) {
      return "the allocator lacks a function";
    }
    how_ = *given;
    return nullptr;
  }
  // For configurations; null, which means malloc, if the program gave none.
  [[nodiscard]] allocator* get() noexcept { return how_.allocate != nullptr ? this : nullptr; }

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    return how_.allocate(how_.context, bytes, alignment, static_cast<std::int32_t>(tag));
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    if (memory == nullptr) return;
    how_.deallocate(how_.context, memory, bytes, alignment, static_cast<std::int32_t>(tag));
  }

 private:
  overture_allocator how_ = {};
};

// The configuration with this memory.
template <class Config>
[[nodiscard]] Config with_memory(Config config, given_allocator& memory) noexcept {
  config.memory = memory.get();
  return config;
}

}  // namespace overture::c
