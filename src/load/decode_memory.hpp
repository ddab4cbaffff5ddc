// SPDX-License-Identifier: Zlib
//
// decode_memory: the allocator that a decoder gets. It refuses large blocks for which the ledger
// has no room.
//
// A load takes room for decoder::memory_needed() before it decodes. Decoders that do not override
// that, and files that lie, take more: room for it is taken when they allocate. If there is none,
// the allocation fails and so does the decoder, and the file is decoded again when there is room.
#pragma once

#include "load/load_state.hpp"
#include "sync/mutex.hpp"

namespace overture::load_detail {

class decode_memory final : public allocator {
 public:
  // Room for `granted` bytes was taken. Blocks below `large_bytes` are never refused; the loader
  // counts them after decoding.
  decode_memory(load_state& load, load_item& item, std::uint64_t granted,
                std::uint64_t large_bytes) noexcept
      : load_(load), item_(item), large_bytes_(large_bytes), granted_(granted) {}

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override;
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override;

  // How much the decoder has wanted if there was no room for it, otherwise 0.
  [[nodiscard]] std::uint64_t refused_bytes() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }
  // The room that is taken now.
  [[nodiscard]] std::uint64_t granted_bytes() const noexcept {
    return granted_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] bool grant(std::uint64_t bytes) noexcept;

  load_state& load_;
  load_item& item_;
  std::uint64_t large_bytes_;
  sync_detail::mutex lock_;  // a decoder may allocate on several threads
  atomic<std::uint64_t> large_in_use_{0};
  atomic<std::uint64_t> granted_;
  atomic<std::uint64_t> refused_{0};
};

}  // namespace overture::load_detail
