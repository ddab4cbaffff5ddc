// decode_memory: the allocator that a decoder gets. It refuses large blocks while the load's budget
// is full.
//
// The size of an asset is known only when its decoder has read the header and allocates. If the
// budget is full at that moment, the allocation fails and so does the decoder, and the file is
// decoded again when there is room. Only reading the header is done twice.
#pragma once

#include "load/load_state.hpp"

namespace overture::load_detail {

// Whether a large allocation would succeed now.
[[nodiscard]] bool decode_is_admissible(load_state& load) noexcept;

class decode_memory final : public allocator {
 public:
  // Blocks below `large_bytes` are never refused; the loader counts them after decoding.
  decode_memory(load_state& load, std::uint64_t large_bytes) noexcept
      : load_(load), large_bytes_(large_bytes) {}

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override;
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override;

  // True if the budget was too full for the decoder.
  [[nodiscard]] bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
  // Bytes already reserved in the budget. If not 0, the file counts in load_state::large_decodes.
  [[nodiscard]] std::uint64_t admitted_bytes() const noexcept {
    return admitted_bytes_.load(std::memory_order_relaxed);
  }

 private:
  load_state& load_;
  std::uint64_t large_bytes_;
  // Atomic because a decoder may allocate on several threads.
  atomic<bool> asked_{false};
  atomic<bool> refused_{false};
  atomic<std::uint64_t> admitted_bytes_{0};
};

}  // namespace overture::load_detail
