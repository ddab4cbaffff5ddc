// SPDX-License-Identifier: Zlib
//
// An array whose size is set once, for elements that cannot move. Memory may be refused.
#pragma once

#include <cstddef>
#include <new>
#include <span>

#include "overture/base/allocator.hpp"

namespace overture::base_detail {

template <class T>
class fixed_array {
 public:
  fixed_array(allocator& memory, memory_tag tag) noexcept : memory_(memory), tag_(tag) {}
  fixed_array(const fixed_array&) = delete;
  fixed_array& operator=(const fixed_array&) = delete;
  ~fixed_array() { clear(); }

  // Replaces what is there by `size` value-initialised elements. False, and empty, if the allocator
  // refuses.
  [[nodiscard]] bool make(std::size_t size) noexcept {
    clear();
    if (size == 0) return true;
    void* const place = memory_.allocate(size * sizeof(T), alignof(T), tag_);
    if (!place) return false;
    data_ = static_cast<T*>(place);
    while (size_ < size) ::new (static_cast<void*>(data_ + size_++)) T();
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }

 private:
  void clear() noexcept {
    for (std::size_t i = 0; i < size_; ++i) data_[i].~T();
    memory_.deallocate(static_cast<void*>(data_), size_ * sizeof(T), alignof(T), tag_);
    data_ = nullptr;
    size_ = 0;
  }

  allocator& memory_;
  memory_tag tag_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace overture::base_detail
