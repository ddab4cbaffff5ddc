// SPDX-License-Identifier: Zlib
//
// Unpacks a block of a 7z archive through any chain of coders: a tree of steps, whose leaves are
// packed streams. Most blocks need no chain: LZMA with a filter in front is one step (lzma_chain).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archives/seven_zip/byte_source.hpp"
#include "archives/seven_zip/lzma_chain.hpp"
#include "archives/seven_zip/seven_zip_aes.hpp"

namespace overture::archives_detail {

enum class step_kind : std::uint8_t { lzma, bzip2, deflate, zstd, swap2, swap4, bcj2, aes };

struct unpack_step {
  static constexpr std::size_t inputs_max = 4;
  static constexpr std::uint8_t no_step = UINT8_MAX;

  step_kind kind = step_kind::lzma;
  std::uint8_t inputs = 1;
  std::array<std::uint8_t, inputs_max> step{};    // which step makes each input; or no_step:
  std::array<std::uint8_t, inputs_max> stream{};  // which packed stream it is
  packed_block lzma;  // for `lzma`: the method or the filter; `bytes`: how many come out
  aes_parameters aes;
};

inline constexpr std::size_t unpack_steps_max = 10;

// Where a packed stream lies in the archive.
struct packed_range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// The steps of a block; the last makes its bytes.
struct unpack_chain {
  std::span<const unpack_step> steps;
  std::uint8_t last = 0;
};

// Whether the last step needs each step once, and none needs itself.
[[nodiscard]] bool is_tree(const unpack_chain& chain) noexcept;

// The most memory that unpacking takes beside the block.
[[nodiscard]] std::uint64_t chain_bytes(const unpack_chain& chain) noexcept;

// Unpacks to fill `to` exactly. If it fails, the first `made` bytes are right. The chain is a tree,
// and has no step of AES that was not keyed. Errors: corrupt, unsupported, out_of_memory, those of
// the streams.
[[nodiscard]] result<void> unpack(const unpack_chain& chain, std::span<byte_source* const> streams,
                                  std::span<const aes_key> keys, std::span<std::byte> to,
                                  std::size_t& made, allocator& memory) noexcept;

}  // namespace overture::archives_detail
