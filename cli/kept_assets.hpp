// What `overture load --keep` does with loaded files: it has them for as long as a game would.
//
//   kept_assets kept(files.entry_count(), memory);
//   load_scope scope{files, reads, jobs, {.sink = &kept, .memory = &kept.memory()}};
//   ... the scope ends ...
//   kept.total();
//
// Decoded assets stay as they are; of files that no decoder accepted, a copy of their bytes stays,
// because a game that loads such a file has a use for it. Each file has a place of its own, made
// beforehand, so that any number of threads keep files at once without a lock. Memory of kept
// files counts as the host's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "overture/base/allocator.hpp"
#include "overture/load/load_scope.hpp"

namespace overture::cli {

inline constexpr std::size_t asset_kind_count = 6;

struct kept_kind {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct kept_total {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::array<kept_kind, asset_kind_count> kinds;  // by asset_kind; none: undecoded
};

class kept_assets final : public asset_sink {
 public:
  kept_assets(std::size_t entries, allocator& memory) : memory_(memory), places_(entries) {}

  result<void> finalize(entry_index entry, decoded_asset& asset,
                        std::span<const std::byte> bytes) override;

  // For the load: what it decodes counts as the host's.
  [[nodiscard]] allocator& memory() noexcept { return memory_; }
  // When the load is done.
  [[nodiscard]] kept_total total() const;
  // Gives everything back.
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
  struct place {
    decoded_asset asset;
    bool kept = false;
  };

  host_memory memory_;
  std::vector<place> places_;  // by entry_index
};

}  // namespace overture::cli
