// SPDX-License-Identifier: Zlib
#include "io/unpack/unpack_plan.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/little_endian.hpp"
#include "io/unpack/xxh32.hpp"

namespace overture::io_detail {
using namespace base_detail;

namespace {

// https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
constexpr std::uint32_t lz4_magic = 0x184D2204;
constexpr std::uint32_t lz4_stored_bit = 1u << 31;
constexpr std::size_t lz4_header_bytes_min = 7;

}  // namespace

void unpack_plan::make(compression method, std::span<const std::byte> packed,
                       std::size_t bytes) noexcept {
  count_ = 0;
  has_checksum_ = false;
  if (bytes >= 2 * part_bytes_min) {
    if (method == compression::zstd) split_zstd(packed, bytes);
    if (method == compression::lz4) split_lz4(packed, bytes);
  }
  if (count_ > 1) return;
  count_ = 1;
  parts_[0] = {0, packed.size(), 0, bytes};
}

void unpack_plan::append(std::size_t packed_bytes, std::size_t bytes,
                         std::size_t part_bytes) noexcept {
  packed_part& last = parts_[count_ - 1];
  if (last.bytes < part_bytes) {
    last.packed_bytes += packed_bytes;
    last.bytes += bytes;
    return;
  }
  parts_[count_++] = {last.packed_begin + last.packed_bytes, packed_bytes, last.begin + last.bytes,
                      bytes};
}

void unpack_plan::split_zstd(std::span<const std::byte> packed, std::size_t bytes) noexcept {
  // All parts but the last have at least this, so there are never too many.
  const std::size_t part_bytes = std::max(part_bytes_min, bytes / (parts_max - 1) + 1);
  count_ = 1;
  parts_[0] = {};
  std::size_t sum = 0;
  for (std::size_t at = 0; at < packed.size();) {
    const std::span<const std::byte> rest = packed.subspan(at);
    const std::size_t frame = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    const unsigned long long holds = ZSTD_getFrameContentSize(rest.data(), rest.size());
    const bool is_known = holds != ZSTD_CONTENTSIZE_UNKNOWN && holds != ZSTD_CONTENTSIZE_ERROR;
    if (ZSTD_isError(frame) != 0 || frame == 0 || !is_known || holds > bytes - sum) {
      count_ = 0;
      return;
    }
    append(frame, static_cast<std::size_t>(holds), part_bytes);
    sum += static_cast<std::size_t>(holds);
    at += frame;
  }
  if (sum != bytes) count_ = 0;
}

void unpack_plan::split_lz4(std::span<const std::byte> packed, std::size_t bytes) noexcept {
  if (packed.size() < lz4_header_bytes_min || load_u32(packed.data()) != lz4_magic) return;
  const auto flags = std::to_integer<unsigned>(packed[4]);
  const auto descriptor = std::to_integer<unsigned>(packed[5]);
  const bool is_version_1 = flags >> 6 == 1;
  const bool independent = (flags & 0x20) != 0;
  const bool has_size = (flags & 0x08) != 0;
  const bool reserved_or_dictionary = (flags & 0x03) != 0 || (descriptor & 0x8F) != 0;
  const unsigned size_code = descriptor >> 4;
  if (!is_version_1 || !independent || reserved_or_dictionary || size_code < 4) return;
  block_checksums_ = (flags & 0x10) != 0;
  has_checksum_ = (flags & 0x04) != 0;
  block_bytes_ = 1u << (8 + 2 * size_code);
  std::size_t at = lz4_header_bytes_min + (has_size ? 8 : 0);
  if (packed.size() < at) return;
  if (has_size && load_u64(packed.data() + 6) != bytes) return;
  const std::uint32_t sum = xxh32(packed.subspan(4, at - 5));
  if (std::to_integer<unsigned>(packed[at - 1]) != (sum >> 8 & 0xFF)) return;

  const std::size_t part_bytes = std::max(part_bytes_min, bytes / (parts_max - 1) + 1);
  parts_[0] = {at, 0, 0, 0};
  count_ = 1;
  for (std::size_t made = 0;;) {
    const std::size_t trailer = block_checksums_ ? 4 : 0;
    if (packed.size() - at < 4) break;
    const std::uint32_t word = load_u32(packed.data() + at);
    if (word == 0) {
      at += 4;
      if (made != bytes || packed.size() - at != (has_checksum_ ? 4u : 0u)) break;
      if (has_checksum_) checksum_ = load_u32(packed.data() + at);
      return;
    }
    const std::size_t block = word & ~lz4_stored_bit;
    if (packed.size() - at - 4 < block + trailer || made == bytes) break;
    const std::size_t holds = std::min<std::size_t>(block_bytes_, bytes - made);
    append(4 + block + trailer, holds, part_bytes);
    made += holds;
    at += 4 + block + trailer;
  }
  count_ = 0;
}

result<void> unpack_plan::unpack(std::size_t index, unpacker& tables, compression method,
                                 std::span<const std::byte> packed,
                                 std::span<std::byte> bytes) const noexcept {
  const packed_part& part = parts_[index];
  const auto from = packed.subspan(part.packed_begin, part.packed_bytes);
  const auto to = bytes.subspan(part.begin, part.bytes);
  if (count_ > 1 && method == compression::lz4) return unpack_blocks(from, to);
  return tables.unpack(method, from, to);
}

result<void> unpack_plan::unpack_blocks(std::span<const std::byte> packed,
                                        std::span<std::byte> bytes) const noexcept {
  const std::size_t trailer = block_checksums_ ? 4 : 0;
  while (!packed.empty()) {
    const std::uint32_t word = load_u32(packed.data());
    const std::size_t size = word & ~lz4_stored_bit;
    const std::span<const std::byte> block = packed.subspan(4, size);
    const std::span<std::byte> to = bytes.first(std::min<std::size_t>(block_bytes_, bytes.size()));
    if (block_checksums_ && load_u32(block.data() + size) != xxh32(block)) {
      return fail(errc::corrupt, "the compressed data is damaged");
    }
    if ((word & lz4_stored_bit) != 0) {
      if (size != to.size()) return fail(errc::corrupt, "the compressed data is damaged");
      std::memcpy(to.data(), block.data(), size);
    } else {
      const int made =
          size > block_bytes_
              ? -1
              : LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                                    reinterpret_cast<char*>(to.data()), static_cast<int>(size),
                                    static_cast<int>(to.size()));
      if (made < 0 || static_cast<std::size_t>(made) != to.size()) {
        return fail(errc::corrupt, "the compressed data is damaged");
      }
    }
    packed = packed.subspan(4 + size + trailer);
    bytes = bytes.subspan(to.size());
  }
  return {};
}

bool unpack_plan::holds(std::span<const std::byte> bytes) const noexcept {
  return count_ == 1 || !has_checksum_ || xxh32(bytes) == checksum_;
}

}  // namespace overture::io_detail
