// SPDX-License-Identifier: Zlib
//
// Unpacks forwards, piece by piece, what no one needs as a whole: a file that is only checked.
//
// Memory: the window of the method, which for zstd the stream states (at most 128 MiB), and some
// 100 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/io/unpack.hpp"

namespace overture::io_detail {

class piece_unpacker {
 public:
  piece_unpacker(allocator& memory, compression method) noexcept
      : memory_(memory), method_(method) {}
  ~piece_unpacker();
  piece_unpacker(const piece_unpacker&) = delete;
  piece_unpacker& operator=(const piece_unpacker&) = delete;

  // The most memory that unpacking takes, for any stream.
  [[nodiscard]] static std::uint64_t memory_max(compression method) noexcept;

  // Unpacks from the front of `packed`, and shortens it by what was used. Returns how many bytes of
  // `to` were filled: fewer than there is room for if more packed bytes are needed, or at the end.
  // Errors: corrupt, unsupported (zstd with a larger window), out_of_memory.
  [[nodiscard]] result<std::size_t> unpack(std::span<const std::byte>& packed,
                                           std::span<std::byte> to) noexcept;
  // Whether the stream is complete. Frames of zstd and lz4 may follow each other: then it is
  // between two.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  result<void> begin() noexcept;
  result<std::size_t> unpack_deflate(std::span<const std::byte>& packed,
                                     std::span<std::byte> to) noexcept;
  result<std::size_t> unpack_zstd(std::span<const std::byte>& packed,
                                  std::span<std::byte> to) noexcept;
  result<std::size_t> unpack_lz4(std::span<const std::byte>& packed,
                                 std::span<std::byte> to) noexcept;

  allocator& memory_;
  const compression method_;
  void* tables_ = nullptr;
  bool complete_ = false;
};

}  // namespace overture::io_detail
