// What a decoder works in: the host's memory, as far as the budget of the load goes.
//
// How large a file gets is known only when its decoder has looked at it and asks for the memory. If
// the budget is full by then, the decoder gets none and fails; the file is decoded once more when
// there is room. What is done twice is to look at a header.
#pragma once

#include "load/load_state.hpp"

namespace overture {

// Whether a decoder that asks for much memory would get it.
[[nodiscard]] bool decode_is_admissible(load_state& load) noexcept;

class decode_memory final : public allocator {
 public:
  // Less than `large_bytes` is given at once: the lane counts it when the file is decoded.
  decode_memory(load_state& load, std::uint64_t large_bytes) noexcept
      : load_(load), large_bytes_(large_bytes) {}

  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override;
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override;

  // The decoder was given nothing because the budget is full.
  [[nodiscard]] bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
  // What is in the budget for it already, and counts in load_state::large_decodes, unless 0.
  [[nodiscard]] std::uint64_t admitted_bytes() const noexcept {
    return admitted_bytes_.load(std::memory_order_relaxed);
  }

 private:
  load_state& load_;
  std::uint64_t large_bytes_;
  // Pieces of a decoder's work on other threads may ask too.
  atomic<bool> asked_{false};
  atomic<bool> refused_{false};
  atomic<std::uint64_t> admitted_bytes_{0};
};

}  // namespace overture
