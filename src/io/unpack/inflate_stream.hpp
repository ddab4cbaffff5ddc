// SPDX-License-Identifier: Zlib
//
// Unpacks a raw DEFLATE stream piece by piece, from any position.
//
// On the way forward it records restart points: the start of a block and the 32 KiB before it,
// which are all that the rest of the stream can refer to. Going back restarts at the last such
// point before the position, not at the beginning. A stream of one enormous block has none.
//
// Source of the method: Mark Adler's zran.c, an example of zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vec.hpp"
#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"

namespace overture::io_detail {

class inflate_stream {
 public:
  // Reads all of `to` from the packed bytes at `offset`.
  using fetch = function_ref<result<void>(std::uint64_t offset, std::span<std::byte> to)>;

  // At most `points_max` restart points, spread over the stream.
  inflate_stream(allocator& memory, std::uint64_t packed_bytes, std::uint64_t bytes,
                 unsigned points_max) noexcept;
  ~inflate_stream();
  inflate_stream(const inflate_stream&) = delete;
  inflate_stream& operator=(const inflate_stream&) = delete;

  // Error: out_of_memory.
  [[nodiscard]] result<void> begin() noexcept;
  // Fills `to` with what is unpacked from `offset` on, which must lie within the stream. Errors:
  // corrupt, and those of `packed`.
  [[nodiscard]] result<void> read(std::uint64_t offset, std::span<std::byte> to,
                                  fetch packed) noexcept;

  // How much of the content, from its beginning, has passed through, and its CRC-32.
  [[nodiscard]] std::uint64_t seen_bytes() const noexcept { return seen_; }
  [[nodiscard]] std::uint32_t seen_crc32() const noexcept { return crc32_; }
  // Bytes unpacked in total, including those skipped and those unpacked again.
  [[nodiscard]] std::uint64_t unpacked_bytes() const noexcept { return unpacked_; }

 private:
  struct tables;
  struct restart_point {
    std::uint64_t out;  // unpacked bytes before it
    std::uint64_t in;   // packed bytes before it, those of a shared byte included
    unsigned bits;      // of the byte before `in` that belong to it
    std::byte* window;  // the unpacked bytes before it
    unsigned window_bytes;
  };

  static constexpr std::size_t input_bytes = 32u << 10;
  static constexpr std::size_t window_bytes_max = 32u << 10;
  static constexpr std::uint64_t interval_min = 256u << 10;

  result<void> go_to(std::uint64_t offset, fetch packed) noexcept;
  result<void> restart(const restart_point* from, fetch packed) noexcept;
  result<void> produce(std::span<std::byte> to, fetch packed) noexcept;
  result<void> refill(fetch packed) noexcept;
  result<void> check_end(fetch packed) noexcept;
  void account(std::span<const std::byte> made) noexcept;
  void note_point() noexcept;
  [[nodiscard]] const restart_point* last_point_before(std::uint64_t offset) const noexcept;

  allocator& memory_;
  std::uint64_t packed_bytes_;
  std::uint64_t bytes_;
  std::uint64_t interval_;
  tables* tables_ = nullptr;
  std::uint64_t fetched_ = 0;  // packed bytes given to zlib
  std::uint64_t at_ = 0;       // unpacked bytes got from it
  std::uint64_t seen_ = 0;
  std::uint32_t crc32_ = 0;
  std::uint64_t unpacked_ = 0;
  bool ended_ = false;
  bool broken_ = false;  // failed halfway: only restart() helps
  base_detail::vec<restart_point> points_;
};

}  // namespace overture::io_detail
