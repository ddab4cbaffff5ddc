// SPDX-License-Identifier: Zlib
//
// How long a piece of work will take, as far as that is known before it begins: for a thread that
// has little time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/io/unpack.hpp"

namespace overture::load_detail {

// Reading from the page cache, unpacking and the checksum, on a core that is neither fast nor slow.
// `block_bytes`: of a solid block that is unpacked for it.
[[nodiscard]] constexpr std::uint64_t unpack_ns(compression method, std::uint64_t bytes,
                                                std::uint64_t block_bytes) noexcept {
  return bytes * (method == compression::none ? 1 : 4) + block_bytes * 25;
}

// Decoding, by what decoders took so far. The work counts in bytes: of the file or, where its
// decoder states how much memory it needs, an eighth of that, whichever is more.
class decode_times {
 public:
  [[nodiscard]] static constexpr std::uint64_t work(std::uint64_t file_bytes,
                                                    std::uint64_t memory_needed) noexcept {
    return std::max(file_bytes, memory_needed / 8);
  }
  // `decoder`: its number in load_options::decoders. Files below `counted_min` tell nothing.
  void add(std::size_t decoder, std::uint64_t work, std::uint64_t ns) noexcept {
    if (decoder >= decoders_max || work < counted_min) return;
    atomic<std::uint64_t>& kept = ns_per_kib_[decoder];
    const std::uint64_t now = ns / (work >> 10);
    const std::uint64_t before = kept.load(std::memory_order_relaxed);
    kept.store(before == 0 ? now : (3 * before + now) / 4, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t expected_ns(std::size_t decoder, std::uint64_t work) const noexcept {
    const std::uint64_t known =
        decoder < decoders_max ? ns_per_kib_[decoder].load(std::memory_order_relaxed) : 0;
    return (work >> 10) * (known == 0 ? usual_ns_per_kib : known);
  }
  static constexpr std::uint64_t counted_min = 16u << 10;
  static constexpr std::uint64_t usual_ns_per_kib = 40'000;  // a PNG

 private:
  static constexpr std::size_t decoders_max = 64;
  atomic<std::uint64_t> ns_per_kib_[decoders_max]{};  // 0: not known
};

}  // namespace overture::load_detail
