// SPDX-License-Identifier: Zlib
//
// Packs data from memory to memory: the other direction of unpack.hpp.
//
//   packer pack;
//   std::vector<std::byte> packed(packer::packed_bytes_max(compression::zstd, bytes.size()));
//   result<std::size_t> count = pack.pack(compression::zstd, bytes, packed);
//
// For tools: the levels are those that pack tightly, at some 10 to 50 MB/s and thread. The same
// bytes give the same packed bytes on every machine, with the same versions of the compression
// libraries. A packer keeps its tables (up to some MiB) between calls. Threads: one at a time; each
// may have its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/io/unpack.hpp"

namespace overture {

class OVERTURE_API packer {
 public:
  packer() = default;
  ~packer();
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;

  // Enough room for pack() and pack_piece() of `bytes` bytes. 0 for a method that cannot be packed.
  // Any thread.
  [[nodiscard]] static std::size_t packed_bytes_max(compression method, std::size_t bytes) noexcept;

  // Packs all of `bytes` and returns how many bytes of `packed` it filled. deflate makes one
  // stream, zstd one frame with the size in front. Errors: unsupported (another method), invalid
  // (`packed` is too short), out_of_memory.
  [[nodiscard]] result<std::size_t> pack(compression method, std::span<const std::byte> bytes,
                                         std::span<std::byte> packed) noexcept;

  // One piece of a DEFLATE stream: the packed pieces, one after the other, are the stream. Each but
  // the `last` ends with a full flush, so a piece refers to no other: the pieces of one stream can
  // be packed on several threads, and unpacked so. Errors: as pack().
  [[nodiscard]] result<std::size_t> pack_piece(std::span<const std::byte> bytes, bool last,
                                               std::span<std::byte> packed) noexcept;

 private:
  void* deflate_ = nullptr;
  void* pieces_ = nullptr;
  void* zstd_ = nullptr;
};

}  // namespace overture
