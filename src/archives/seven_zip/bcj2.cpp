// SPDX-License-Identifier: Zlib
#include "archives/seven_zip/bcj2.hpp"

#include <utility>

namespace overture::archives_detail {

namespace {

constexpr std::uint8_t call = 0xE8;
constexpr std::uint8_t jump = 0xE9;
constexpr std::uint8_t two_byte_opcode = 0x0F;  // 0F 80 .. 0F 8F are the conditional jumps

constexpr unsigned share_bits = 11;
constexpr unsigned adapt_bits = 5;
constexpr std::uint32_t range_least = 1u << 24;

bool is_branch(std::uint8_t previous, std::uint8_t opcode) noexcept {
  return opcode == call || opcode == jump ||
         (previous == two_byte_opcode && (opcode & 0xF0) == 0x80);
}

}  // namespace

bool bcj2_source::byte_reader::next(std::uint8_t& byte) noexcept {
  if (left_.empty()) {
    const result<std::span<std::byte>> more = buffer_.next();
    if (!more) failure_ = more.error();
    if (!more || more->empty()) return false;
    left_ = *more;
  }
  byte = std::to_integer<std::uint8_t>(left_[0]);
  left_ = left_.subspan(1);
  return true;
}

result<void> bcj2_source::byte_reader::why() const noexcept {
  return failure_ ? result<void>(tl::unexpected(*failure_)) : result<void>{};
}

bcj2_source::bcj2_source(std::span<byte_source* const, 4> from, std::uint64_t bytes,
                         allocator& memory) noexcept
    : code_(*from[0], memory),
      calls_(*from[1], memory),
      jumps_(*from[2], memory),
      decisions_(*from[3], memory),
      left_(bytes) {
  shares_.fill(1u << (share_bits - 1));
}

bool bcj2_source::begin() noexcept {
  for (int i = 0; i < 5; ++i) {
    std::uint8_t byte = 0;
    if (!decisions_.next(byte)) return false;
    value_ = value_ << 8 | byte;
  }
  begun_ = true;
  return true;
}

bool bcj2_source::decide(std::uint16_t& share, bool& taken) noexcept {
  if (range_ < range_least) {
    std::uint8_t byte = 0;
    if (!decisions_.next(byte)) return false;
    range_ <<= 8;
    value_ = value_ << 8 | byte;
  }
  const std::uint32_t bound = (range_ >> share_bits) * share;
  taken = value_ >= bound;
  if (taken) {
    range_ -= bound;
    value_ -= bound;
    share = static_cast<std::uint16_t>(share - (share >> adapt_bits));
  } else {
    range_ = bound;
    share = static_cast<std::uint16_t>(share + (((1u << share_bits) - share) >> adapt_bits));
  }
  return true;
}

// Targets are absolute and stored with the high byte first; code has them relative to the next
// instruction, low byte first.
bool bcj2_source::read_target(std::uint8_t opcode) noexcept {
  const std::uint32_t next_instruction = position_ + 5;
  byte_reader& from = opcode == call ? calls_ : jumps_;
  std::uint32_t absolute = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint8_t byte = 0;
    if (!from.next(byte)) return false;
    absolute = absolute << 8 | byte;
  }
  const std::uint32_t relative = absolute - next_instruction;
  for (std::size_t i = 0; i < target_.size(); ++i) {
    target_[i] = static_cast<std::uint8_t>(relative >> (8 * i));
  }
  target_left_ = target_.size();
  return true;
}

result<void> bcj2_source::truncated() const noexcept {
  for (const byte_reader* from : {&code_, &calls_, &jumps_, &decisions_}) {
    if (result<void> why = from->why(); !why) return why;
  }
  return fail(errc::corrupt, "the compressed data is truncated");
}

result<void> bcj2_source::read(std::span<std::byte> to, std::size_t& made) noexcept {
  made = 0;
  if (!begun_ && !begin()) return truncated();
  for (; made < to.size() && left_ > 0; --left_, ++position_) {
    std::uint8_t byte = 0;
    if (target_left_ > 0) {
      byte = target_[target_.size() - target_left_--];
      to[made++] = std::byte{byte};
      previous_ = byte;
      continue;
    }
    if (!code_.next(byte)) return truncated();
    to[made++] = std::byte{byte};
    const std::uint8_t previous = std::exchange(previous_, byte);
    if (!is_branch(previous, byte)) continue;
    bool taken = false;
    const std::size_t share = byte == call ? previous : byte == jump ? 256 : 257;
    if (left_ == 1) continue;  // there is nothing after it
    if (!decide(shares_[share], taken) || (taken && !read_target(byte))) return truncated();
  }
  return {};
}

}  // namespace overture::archives_detail
