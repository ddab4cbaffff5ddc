// SPDX-License-Identifier: Zlib
//
// BCJ2, 7-Zip's filter for x86 code: the targets of calls and jumps are absolute, and come in two
// streams of their own; a fourth says, by a range coder, which were taken out.
//
// Source: the description of BCJ2 and the range coder in the LZMA SDK (I. Pavlov, public domain).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "archives/seven_zip/byte_source.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"

namespace overture::archives_detail {

class bcj2_source final : public byte_source {
 public:
  // `from`: code, targets of calls, targets of jumps, the decisions; used until the end. `bytes`:
  // how many come out.
  bcj2_source(std::span<byte_source* const, 4> from, std::uint64_t bytes,
              allocator& memory) noexcept;
  result<void> read(std::span<std::byte> to, std::size_t& made) noexcept override;

 private:
  // One byte after the other of a source.
  class byte_reader {
   public:
    byte_reader(byte_source& from, allocator& memory) noexcept : buffer_(from, memory, 16u << 10) {}
    // False at the end, or with `failure` set.
    [[nodiscard]] bool next(std::uint8_t& byte) noexcept;
    [[nodiscard]] result<void> why() const noexcept;

   private:
    source_buffer buffer_;
    std::span<std::byte> left_;
    std::optional<error> failure_;
  };

  [[nodiscard]] bool begin() noexcept;
  // Whether the branch after `opcode` was taken out. False from the function: no decisions are
  // left.
  [[nodiscard]] bool decide(std::uint16_t& share, bool& taken) noexcept;
  [[nodiscard]] bool read_target(std::uint8_t opcode) noexcept;
  [[nodiscard]] result<void> truncated() const noexcept;

  byte_reader code_;
  byte_reader calls_;
  byte_reader jumps_;
  byte_reader decisions_;
  std::uint64_t left_;          // bytes to come
  std::uint32_t position_ = 0;  // of the opcode, or the next byte
  std::uint8_t previous_ = 0;   // the byte in front of it
  std::array<std::uint8_t, 4> target_{};
  std::size_t target_left_ = 0;  // bytes of it that are not out yet
  bool begun_ = false;
  std::uint32_t range_ = UINT32_MAX;
  std::uint32_t value_ = 0;
  // The chance that a branch was not taken out, in 2048ths: of calls by the byte in front of them,
  // of near jumps, and of conditional ones.
  std::array<std::uint16_t, 258> shares_;
};

}  // namespace overture::archives_detail
