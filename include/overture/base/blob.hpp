// SPDX-License-Identifier: Zlib
//
// Recycled buffers: buffer_pool hands them out, blob owns one.
//
//   buffer_pool pool{{.memory = &memory}};
//   result<blob> bytes = pool.take(60'000);       // contents undefined
//   ... bytes->span() ...                         // returns to the pool when `bytes` is destroyed
//
// Touching fresh pages costs two to three times as much as the read that fills them, so the pool
// keeps blocks and hands out the most recently returned first.
//
// Cost: take() and the return are one compare-and-swap each if the pool has a free block of that
// size class. No locks. Limits: blocks larger than config.block_bytes_max are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"

namespace overture {

class buffer_pool;

// A move-only buffer, empty by default. May be destroyed on any thread.
class OVERTURE_API blob {
 public:
  blob() = default;
  blob(blob&& other) noexcept { swap(other); }
  blob& operator=(blob&& other) noexcept {
    blob taken(std::move(other));
    swap(taken);
    return *this;
  }
  blob(const blob&) = delete;
  blob& operator=(const blob&) = delete;
  ~blob() { reset(); }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte> span() const noexcept { return {data_, size_}; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  // Shortens the blob to `bytes` bytes; does nothing if it is not longer.
  void shrink(std::size_t bytes) noexcept { size_ = bytes < size_ ? bytes : size_; }
  // Returns the buffer to its pool.
  void reset() noexcept;

 private:
  friend class buffer_pool;
  void swap(blob& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  buffer_pool* pool_ = nullptr;
  std::uint32_t block_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

struct buffer_pool_config {
  allocator* memory = nullptr;  // null = default_allocator()
  memory_tag tag = memory_tag::io;
  std::size_t kept_bytes_max = 64u << 20;   // free blocks beyond this go back to the allocator
  std::size_t block_bytes_max = 16u << 20;  // larger blocks always go back to the allocator
};

class OVERTURE_API buffer_pool {
 public:
  explicit buffer_pool(const buffer_pool_config& config = {}) noexcept;
  ~buffer_pool();  // all its blobs must be gone
  buffer_pool(const buffer_pool&) = delete;
  buffer_pool& operator=(const buffer_pool&) = delete;

  // A blob of exactly `bytes` bytes (0 is allowed), aligned to 64, contents undefined. At least 32
  // bytes past the end may be written too. Error: out_of_memory. Any thread.
  [[nodiscard]] result<blob> take(std::size_t bytes) noexcept;

  // Total size of the free blocks, in bytes. Any thread.
  [[nodiscard]] std::size_t kept_bytes() const noexcept;
  // Returns all free blocks to the allocator. Any thread.
  void trim() noexcept;

 private:
  friend class blob;
  struct state;
  // Makes it if memory was refused before; null if it is refused again.
  [[nodiscard]] state* find_state() noexcept;
  void give_back(std::uint32_t index) noexcept;

  buffer_pool_config config_;
  atomic<state*> state_{nullptr};
};

}  // namespace overture
