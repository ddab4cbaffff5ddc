// SPDX-License-Identifier: Zlib
//
// Memory of the library: all of it comes from the functions of PHYSFS_setAllocator(), or malloc.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overture/base/allocator.hpp"
#include "physfs.h"

namespace physfs {

// Null, and the error OUT_OF_MEMORY, if there is none.
[[nodiscard]] void* allocate(std::size_t bytes) noexcept;
void deallocate(void* memory) noexcept;
// The same, as Overture asks for it.
[[nodiscard]] overture::allocator& memory() noexcept;

// Which functions are in use: `functions` is null for malloc.
void use_allocator(const PHYSFS_Allocator* functions) noexcept;
[[nodiscard]] const PHYSFS_Allocator* allocator_in_use() noexcept;

template <class T, class... Arguments>
[[nodiscard]] T* make(Arguments&&... arguments) noexcept {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  void* const room = allocate(sizeof(T));
  return room ? new (room) T(std::forward<Arguments>(arguments)...) : nullptr;
}

template <class T>
void destroy(T* object) noexcept {
  if (!object) return;
  object->~T();
  deallocate(object);
}

// A NUL-terminated copy, for deallocate().
[[nodiscard]] char* copy_text(std::string_view text) noexcept;

// An array that grows. Move-only.
template <class T>
class list {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  list() = default;
  list(list&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  list(const list&) = delete;
  list& operator=(const list&) = delete;
  list& operator=(list&&) = delete;
  ~list() { deallocate(static_cast<void*>(items_)); }

  [[nodiscard]] bool push(const T& item) noexcept { return append(&item, 1); }
  [[nodiscard]] bool append(const T* items, std::size_t count) noexcept {
    if (count == 0) return true;
    if (capacity_ - size_ < count && !grow(size_ + count)) return false;
    std::memcpy(static_cast<void*>(items_ + size_), static_cast<const void*>(items),
                count * sizeof(T));
    size_ += count;
    return true;
  }
  void shorten(std::size_t size) noexcept { size_ = size; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return items_; }
  [[nodiscard]] const T* data() const noexcept { return items_; }
  [[nodiscard]] T* begin() noexcept { return items_; }
  [[nodiscard]] T* end() noexcept { return items_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return items_; }
  [[nodiscard]] const T* end() const noexcept { return items_ + size_; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return items_[index]; }

 private:
  [[nodiscard]] bool grow(std::size_t wanted) noexcept {
    const std::size_t capacity = wanted < 2 * capacity_ ? 2 * capacity_ : wanted + 8;
    void* const room = allocate(capacity * sizeof(T));
    if (!room) return false;
    if (size_ > 0) std::memcpy(room, static_cast<const void*>(items_), size_ * sizeof(T));
    deallocate(static_cast<void*>(items_));
    items_ = static_cast<T*>(room);
    capacity_ = capacity;
    return true;
  }

  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Texts one after another, as an array of them and as PHYSFS_freeList() takes it.
class text_list {
 public:
  [[nodiscard]] bool push(std::string_view text) noexcept;
  // Sorts by bytes and drops what is there twice.
  void sort_unique() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return offsets_.size(); }
  [[nodiscard]] const char* operator[](std::size_t index) const noexcept {
    return bytes_.data() + offsets_.data()[index];
  }
  // One block: pointers, a null pointer, the texts. Null if out of memory.
  [[nodiscard]] char** released() const noexcept;

 private:
  list<char> bytes_;
  list<std::size_t> offsets_;
};

}  // namespace physfs
