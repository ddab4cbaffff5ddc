// SPDX-License-Identifier: Zlib
//
// What a packed tar archive consists of: members of gzip, streams of xz or BZip2, frames of zstd.
// Parts that follow each other are one archive, as the tools that made them read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/vec.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::archives_detail {

enum class tar_packing : std::uint8_t { none, gzip, xz, zstd, bzip2 };

// By the first bytes of a part, `part_front_bytes` of them.
inline constexpr std::size_t part_front_bytes = 6;
[[nodiscard]] tar_packing packing_of(std::span<const std::byte> front) noexcept;

[[nodiscard]] tl::unexpected<error> no_memory_for_tar() noexcept;
[[nodiscard]] tl::unexpected<error> tar_is_truncated() noexcept;

// Reads all of `to` from the archive.
using archive_reader = function_ref<result<void>(std::uint64_t offset, std::span<std::byte> to)>;

// The packed bytes, from the beginning to the end.
class packed_input {
 public:
  static constexpr std::size_t room_bytes = 64u << 10;

  packed_input(allocator& memory, std::uint64_t bytes, archive_reader read) noexcept
      : room_(memory, memory_tag::vfs), bytes_(bytes), read_(read) {}

  // The bytes that come next: at least `wanted` (at most 64 KiB), fewer only at the end.
  [[nodiscard]] result<std::span<const std::byte>> peek(std::size_t wanted) noexcept;
  void use(std::size_t bytes) noexcept { begin_ += bytes; }
  // The next bytes into all of `to`. Error: corrupt if there are fewer.
  [[nodiscard]] result<void> take(std::span<std::byte> to) noexcept;

 private:
  base_detail::vec<std::byte> room_;
  std::size_t begin_ = 0;  // of what is left in the room
  std::size_t end_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t bytes_;
  archive_reader read_;
};

// Unpacks one part after the other. Errors of all: corrupt, unsupported, out_of_memory, those of
// the input.
class part_decoder {
 public:
  part_decoder() = default;
  virtual ~part_decoder() = default;
  part_decoder(const part_decoder&) = delete;
  part_decoder& operator=(const part_decoder&) = delete;

  // Before each part.
  virtual result<void> begin(packed_input& from) noexcept = 0;
  // Fills `to`, less only at the end of the part. `made`: how many bytes, on an error too. Returns
  // whether the part has ended; if `to` is full first, only the next call may say so.
  virtual result<bool> unpack(packed_input& from, std::span<std::byte> to,
                              std::size_t& made) noexcept = 0;
};

// Whether a member of gzip that does not match its checksum is an error.
enum class checksums : std::uint8_t { ignored, verified };

// Owns a decoder of any kind, or none.
class owned_part_decoder {
 public:
  using end_function = void (*)(allocator& from, part_decoder* decoder) noexcept;

  owned_part_decoder() noexcept = default;
  owned_part_decoder(allocator& memory, part_decoder* decoder, end_function end) noexcept
      : memory_(&memory), decoder_(decoder), end_(end) {}
  owned_part_decoder(owned_part_decoder&& other) noexcept
      : memory_(other.memory_),
        decoder_(std::exchange(other.decoder_, nullptr)),
        end_(other.end_) {}
  owned_part_decoder& operator=(owned_part_decoder&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(decoder_, other.decoder_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~owned_part_decoder() {
    if (decoder_) end_(*memory_, decoder_);
  }

  [[nodiscard]] part_decoder* get() const noexcept { return decoder_; }

 private:
  allocator* memory_ = nullptr;
  part_decoder* decoder_ = nullptr;
  end_function end_ = nullptr;
};

// None if memory is refused.
[[nodiscard]] owned_part_decoder make_part_decoder(allocator& memory, tar_packing packing,
                                                   checksums of_gzip) noexcept;
// The most memory that unpacking takes.
[[nodiscard]] std::uint64_t part_memory_max(tar_packing packing) noexcept;

}  // namespace overture::archives_detail
