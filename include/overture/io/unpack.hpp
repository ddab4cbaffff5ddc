// SPDX-License-Identifier: Zlib
//
// Unpacks compressed data from memory to memory, all at once.
//
//   unpacker unpack;
//   result<void> done = unpack.unpack(compression::zstd, packed, bytes);
//
// The size of the result must be known: it has to fill `bytes` exactly. An unpacker keeps its
// tables (some 100 KiB) between calls. Threads: one at a time; each may have its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"

namespace overture {

// deflate is raw (RFC 1951), zlib has its header (RFC 1950), lz4 is frames as the lz4 tool writes
// them. zstd and lz4 may be several frames, one after the other.
enum class compression : std::uint8_t { none, deflate, zstd, zlib, lz4 };
[[nodiscard]] OVERTURE_API const char* to_string(compression method) noexcept;

class OVERTURE_API unpacker {
 public:
  unpacker() = default;
  ~unpacker();
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;

  // Unpacks all of `packed` into all of `bytes`. Errors: corrupt (the data is damaged, or unpacks
  // to more or fewer bytes), unsupported, out_of_memory.
  [[nodiscard]] result<void> unpack(compression method, std::span<const std::byte> packed,
                                    std::span<std::byte> bytes) noexcept;

 private:
  result<void> unpack_deflate(std::span<const std::byte> packed,
                              std::span<std::byte> bytes) noexcept;
  result<void> unpack_zlib(std::span<const std::byte> packed, std::span<std::byte> bytes) noexcept;
  result<void> unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> bytes) noexcept;
  result<void> unpack_lz4(std::span<const std::byte> packed, std::span<std::byte> bytes) noexcept;
  result<void> make_deflate_tables() noexcept;

  void* deflate_ = nullptr;
  void* zstd_ = nullptr;
  void* lz4_ = nullptr;
};

// CRC-32 as in ZIP, PNG and gzip; `before` continues from the bytes before. Any thread.
[[nodiscard]] OVERTURE_API std::uint32_t crc32(std::span<const std::byte> bytes,
                                               std::uint32_t before = 0) noexcept;

}  // namespace overture
