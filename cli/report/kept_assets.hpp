// SPDX-License-Identifier: Zlib
//
// kept_assets: the sink of `overture load --keep`. Keeps what was loaded, as a game would.
//
//   kept_assets kept(files.entry_count(), memory);
//   load_scope scope{files, reads, jobs, {.sink = &kept, .memory = &kept.memory()}};
//   ... the scope ends ...
//   kept.total();
//
// Decoded assets are kept as they are; for files that no decoder accepted, a copy of the bytes is
// kept, because a game that loads such a file has a use for it. Every file has a slot of its own,
// so threads need no lock. The memory counts as the host's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "overture/base/allocator.hpp"
#include "overture/load/load_scope.hpp"

namespace overture::cli {

inline constexpr std::size_t asset_kind_count = 7;

struct kept_kind {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct kept_total {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::array<kept_kind, asset_kind_count> kinds;  // by asset_kind; none stands for undecoded files
};

// "kept 812 MiB: 1,203 images, 402 sounds, 12 undecoded files"
[[nodiscard]] std::string kept_line(const kept_total& kept);

class kept_assets final : public asset_sink {
 public:
  kept_assets(std::size_t entries, allocator& memory) : memory_(memory), slots_(entries) {}

  result<void> finalize(entry_index entry, decoded_asset& asset,
                        std::span<const std::byte> bytes) override;

  // For load_options::memory: what is decoded counts as the host's.
  [[nodiscard]] allocator& memory() noexcept { return memory_; }
  // Call when the load is done.
  [[nodiscard]] kept_total total() const;
  // Frees everything.
  void clear();

 private:
  class host_memory final : public allocator {
   public:
    explicit host_memory(allocator& upstream) : upstream_(upstream) {}
    void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override;
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                    memory_tag tag) noexcept override;

   private:
    allocator& upstream_;
  };
  struct slot {
    decoded_asset asset;
    bool kept = false;
  };

  host_memory memory_;
  std::vector<slot> slots_;  // by entry_index
};

}  // namespace overture::cli
