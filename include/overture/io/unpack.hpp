// Unpacking of whole entries from memory to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture {

// zlib: as RFC 1950 has it. lz4: frames, as the lz4 tool writes them. Of zstd and lz4 there may be
// several frames, one after the other.
enum class compression : std::uint8_t { none, deflate, zstd, zlib, lz4 };
[[nodiscard]] const char* to_string(compression method) noexcept;

// Unpacks; keeps its tables between calls. One thread at a time.
class unpacker {
 public:
  unpacker() = default;
  ~unpacker();
  unpacker(const unpacker&) = delete;
  unpacker& operator=(const unpacker&) = delete;

  // Unpacks all of `packed` to exactly fill `bytes`. Errors: corrupt (the data is broken, or makes
  // more or fewer bytes than announced), unsupported, out_of_memory.
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

// CRC-32 as ZIP, PNG and gzip use it. Any thread.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes,
                                  std::uint32_t before = 0) noexcept;

}  // namespace overture
