// SPDX-License-Identifier: Zlib
//
// How several threads can unpack packed data at once: as parts that are independent of each other.
//
// zstd: frames that say how much they hold. lz4: the blocks of one frame that declares them
// independent, all but the last one full, as writers make them. Everything else is one part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/error.hpp"
#include "overture/io/unpack.hpp"

namespace overture::io_detail {

struct packed_part {
  std::size_t packed_begin = 0;
  std::size_t packed_bytes = 0;
  std::size_t begin = 0;  // of what it unpacks to
  std::size_t bytes = 0;
};

class unpack_plan {
 public:
  static constexpr std::size_t parts_max = 17;
  static constexpr std::size_t part_bytes_min = 64u << 10;  // less is not worth a job

  // Looks at the structure only, in time that grows with the packed data. Data that is broken is
  // one part; unpacking it says what is wrong.
  void make(compression method, std::span<const std::byte> packed, std::size_t bytes) noexcept;

  [[nodiscard]] std::size_t part_count() const noexcept { return count_; }
  [[nodiscard]] const packed_part& part(std::size_t index) const noexcept { return parts_[index]; }
  // Fills the part's own bytes of `bytes`. Errors: as unpacker::unpack(). Different parts at once
  // on any threads.
  [[nodiscard]] result<void> unpack(std::size_t index, unpacker& tables, compression method,
                                    std::span<const std::byte> packed,
                                    std::span<std::byte> bytes) const noexcept;
  // Checks what only the last part completes: a checksum of all.
  [[nodiscard]] bool holds(std::span<const std::byte> bytes) const noexcept;

 private:
  void split_zstd(std::span<const std::byte> packed, std::size_t bytes) noexcept;
  void split_lz4(std::span<const std::byte> packed, std::size_t bytes) noexcept;
  // Appends a piece to the last part, or begins another one when that is large enough.
  void append(std::size_t packed_bytes, std::size_t bytes, std::size_t part_bytes) noexcept;
  [[nodiscard]] result<void> unpack_blocks(std::span<const std::byte> packed,
                                           std::span<std::byte> bytes) const noexcept;

  packed_part parts_[parts_max];
  std::size_t count_ = 0;
  // Of an lz4 frame.
  std::uint32_t block_bytes_ = 0;
  bool block_checksums_ = false;
  bool has_checksum_ = false;
  std::uint32_t checksum_ = 0;
};

}  // namespace overture::io_detail
