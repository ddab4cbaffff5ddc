// SPDX-License-Identifier: Zlib
//
// A growable array whose growth can fail: the library's std::vector. Memory comes from an
// overture::allocator; growing moves the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"

namespace overture::base_detail {

template <class T>
class vec {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  explicit vec(allocator& memory, memory_tag tag) noexcept : memory_(&memory), tag_(tag) {}
  vec(vec&& other) noexcept
      : memory_(other.memory_),
        tag_(other.tag_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  vec& operator=(vec&& other) noexcept {
    if (this != &other) {
      free_all();
      memory_ = other.memory_;
      tag_ = other.tag_;
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
    }
    return *this;
  }
  vec(const vec&) = delete;
  vec& operator=(const vec&) = delete;
  ~vec() { free_all(); }

  // False if the allocator refuses; the contents are unchanged.
  [[nodiscard]] bool reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    if (capacity > std::numeric_limits<std::size_t>::max() / sizeof(T)) return false;
    void* const fresh = memory_->allocate(capacity * sizeof(T), alignof(T), tag_);
    if (!fresh) return false;
    T* const moved = static_cast<T*>(fresh);
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(moved + i)) T(std::move(data_[i]));
      data_[i].~T();
    }
    memory_->deallocate(static_cast<void*>(data_), capacity_ * sizeof(T), alignof(T), tag_);
    data_ = moved;
    capacity_ = capacity;
    return true;
  }
  [[nodiscard]] bool push_back(T value) noexcept {
    if (size_ == capacity_ && !reserve(capacity_ < 8 ? 8 : capacity_ * 2)) return false;
    ::new (static_cast<void*>(data_ + size_)) T(std::move(value));
    ++size_;
    return true;
  }
  // New elements are value-initialised.
  [[nodiscard]] bool resize(std::size_t size) noexcept {
    if (!reserve(size)) return false;
    while (size_ > size) data_[--size_].~T();
    while (size_ < size) ::new (static_cast<void*>(data_ + size_++)) T();
    return true;
  }
  // Leaves new elements uninitialised, for the caller to fill.
  [[nodiscard]] bool resize_for_overwrite(std::size_t size) noexcept
    requires std::is_trivially_copyable_v<T>
  {
    if (!reserve(size)) return false;
    size_ = size;
    return true;
  }
  // Appends raw bytes; only for one-byte T.
  [[nodiscard]] bool append(const void* bytes, std::size_t count) noexcept
    requires(sizeof(T) == 1)
  {
    if (count > capacity_ - size_) {
      const std::size_t wanted = size_ + count;
      if (wanted < size_ || !reserve(wanted < capacity_ * 2 ? capacity_ * 2 : wanted)) return false;
    }
    if (count != 0) std::memcpy(data_ + size_, bytes, count);
    size_ += count;
    return true;
  }

  void pop_back() noexcept { data_[--size_].~T(); }
  void clear() noexcept {
    while (size_ > 0) pop_back();
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T& back() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  [[nodiscard]] allocator& memory() const noexcept { return *memory_; }

 private:
  void free_all() noexcept {
    clear();
    memory_->deallocate(static_cast<void*>(data_), capacity_ * sizeof(T), alignof(T), tag_);
    data_ = nullptr;
    capacity_ = 0;
  }

  allocator* memory_;
  memory_tag tag_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Allocates and constructs one object; null if the allocator refuses.
template <class T, class... Args>
[[nodiscard]] T* make_object(allocator& memory, memory_tag tag, Args&&... args) noexcept {
  void* const place = memory.allocate(sizeof(T), alignof(T), tag);
  return place ? ::new (place) T(std::forward<Args>(args)...) : nullptr;
}

template <class T>
void destroy_object(allocator& memory, memory_tag tag, T* object) noexcept {
  if (!object) return;
  object->~T();
  memory.deallocate(object, sizeof(T), alignof(T), tag);
}

}  // namespace overture::base_detail
