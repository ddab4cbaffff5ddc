// SPDX-License-Identifier: Zlib
//
// A thread's reusable memory: a decompressor, and buffers for small files, which all pass through
// the same warm blocks. Too expensive to make for every loader, so each thread slot keeps one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/atomic.hpp"
#include "overture/base/blob.hpp"
#include "overture/io/unpack.hpp"

namespace overture::load_detail {

struct scratch_space {
  unpacker decompressor;
  blob packed;
  blob unpacked;
};

// What the thread slots keep.
class scratch_shelf {
 public:
  explicit scratch_shelf(allocator& memory) noexcept : memory_(memory) {}
  ~scratch_shelf();
  scratch_shelf(const scratch_shelf&) = delete;
  scratch_shelf& operator=(const scratch_shelf&) = delete;

  // Null if memory was refused.
  [[nodiscard]] scratch_space* take() noexcept;
  void put_back(scratch_space* taken) noexcept;

 private:
  static constexpr std::size_t slots = 64;

  allocator& memory_;
  atomic<scratch_space*> kept_[slots] = {};  // by thread slot
};

// The scratch of one loader.
class loader_scratch {
 public:
  // `bytes_max`: of each buffer; 0 if files may outlive the loader's turn.
  loader_scratch(scratch_shelf& shelf, buffer_pool& buffers, std::uint64_t bytes_max) noexcept
      : shelf_(shelf), buffers_(buffers), bytes_max_(bytes_max), space_(shelf.take()) {}
  ~loader_scratch() { shelf_.put_back(space_); }
  loader_scratch(const loader_scratch&) = delete;
  loader_scratch& operator=(const loader_scratch&) = delete;

  // Valid until this loader's next file. Empty if that is too much, or nothing.
  [[nodiscard]] std::span<std::byte> packed(std::size_t bytes) noexcept {
    return buffer(&scratch_space::packed, bytes);
  }
  [[nodiscard]] std::span<std::byte> unpacked(std::size_t bytes) noexcept {
    return buffer(&scratch_space::unpacked, bytes);
  }
  // Null if there was no memory for it.
  [[nodiscard]] unpacker* decompressor() noexcept {
    return space_ ? &space_->decompressor : nullptr;
  }
  // Hands over the buffer that holds `content`, if it is one of these.
  void give(std::span<const std::byte> content, blob& packed, blob& unpacked) noexcept;

 private:
  [[nodiscard]] std::span<std::byte> buffer(blob scratch_space::* kept, std::size_t bytes) noexcept;

  scratch_shelf& shelf_;
  buffer_pool& buffers_;
  const std::uint64_t bytes_max_;
  scratch_space* const space_;
};

}  // namespace overture::load_detail
