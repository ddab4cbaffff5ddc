// SPDX-License-Identifier: Zlib
//
// Where the frames of coroutines are.
#pragma once

#include <cstddef>
#include <new>

#include "overture/base/allocator.hpp"

namespace overture::detail {

// Frames come from an allocator, whose address is stored after them.
class coroutine_memory {
 public:
  // Any further parameter of the coroutine. (With a parameter pack GCC 12 mistakes operator delete
  // for one of another kind and warns in the user's code.)
  struct other {
    other() noexcept = default;
    template <class T>
    other(const T&) noexcept {}  // NOLINT(google-explicit-constructor): of any type
  };
  static void* operator new(std::size_t bytes, allocator& memory, other = {}, other = {},
                            other = {}, other = {}, other = {}, other = {}, other = {},
                            other = {}) noexcept {
    return take(bytes, memory);
  }
  static void* operator new(std::size_t bytes) noexcept { return take(bytes, default_allocator()); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    allocator* const memory = *note_of(frame, bytes);
    memory->deallocate(frame, noted(bytes), alignof(std::max_align_t), memory_tag::jobs);
  }

 private:
  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + alignof(allocator*) - 1) / alignof(allocator*) * alignof(allocator*);
  }
  static constexpr std::size_t noted(std::size_t bytes) noexcept {
    return rounded(bytes) + sizeof(allocator*);
  }
  static allocator** note_of(void* frame, std::size_t bytes) noexcept {
    return reinterpret_cast<allocator**>(static_cast<std::byte*>(frame) + rounded(bytes));
  }
  static void* take(std::size_t bytes, allocator& memory) noexcept {
    void* const frame = memory.allocate(noted(bytes), alignof(std::max_align_t), memory_tag::jobs);
    if (frame != nullptr) ::new (static_cast<void*>(note_of(frame, bytes))) allocator*(&memory);
    return frame;
  }
};

}  // namespace overture::detail
