// Buffers that are used again, and blob, which owns one for a while.
//
//   buffer_pool pool{{.memory = &memory}};
//   result<blob> bytes = pool.take(60'000);       // contents undefined
//   ... bytes->span() ...                         // goes back to the pool when `bytes` ends
//
// Fresh pages cost two to three times the read that fills them, so blocks are kept and handed out
// again, newest first. Cost: taking and returning are one compare-and-swap each while the pool has
// a block of that size class; no lock. Limits: blocks above config.block_bytes_max are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture {

class buffer_pool;

// Move-only owner of some bytes. Empty by default. A blob may end on any thread.
class blob {
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

  // Keeps the first `bytes` bytes (at most size()).
  void shrink(std::size_t bytes) noexcept { size_ = bytes < size_ ? bytes : size_; }
  // Gives the bytes back at once.
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
  std::size_t block_bytes_max = 16u << 20;  // larger blocks are never kept
};

class buffer_pool {
 public:
  explicit buffer_pool(const buffer_pool_config& config = {}) noexcept;
  ~buffer_pool();  // every blob must have ended
  buffer_pool(const buffer_pool&) = delete;
  buffer_pool& operator=(const buffer_pool&) = delete;

  // A blob of exactly `bytes` bytes (may be 0), aligned to 64, contents undefined; its block has
  // at least 32 bytes of slack behind the end that may be written. Error: out_of_memory. Any
  // thread.
  [[nodiscard]] result<blob> take(std::size_t bytes) noexcept;

  // Bytes in free blocks now. Any thread.
  [[nodiscard]] std::size_t kept_bytes() const noexcept;
  // Gives all free blocks back to the allocator. Any thread.
  void trim() noexcept;

 private:
  friend class blob;
  struct state;
  void give_back(std::uint32_t index) noexcept;

  buffer_pool_config config_;
  state* state_ = nullptr;
};

}  // namespace overture
