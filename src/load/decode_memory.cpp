#include "load/decode_memory.hpp"

namespace overture {
namespace {

// Below the budget any size is admitted, as for files; and one decode always, or files that hold
// the budget could wait for each other.
bool admit(load_state& load, std::uint64_t bytes) noexcept {
  const std::uint64_t budget = load.options.budget_bytes;
  if (load.large_decodes.fetch_add(1, std::memory_order_seq_cst) == 0) {
    load.note_in_flight(load.in_flight_bytes.fetch_add(bytes, std::memory_order_seq_cst) + bytes);
    return true;
  }
  std::uint64_t now = load.in_flight_bytes.load(std::memory_order_seq_cst);
  do {
    if (now >= budget) {
      // Should all others have ended meanwhile, it is the caller who looks for what may go on.
      load.large_decodes.fetch_sub(1, std::memory_order_seq_cst);
      return false;
    }
  } while (
      !load.in_flight_bytes.compare_exchange_weak(now, now + bytes, std::memory_order_seq_cst));
  load.note_in_flight(now + bytes);
  return true;
}

}  // namespace

bool decode_is_admissible(load_state& load) noexcept {
  return load.large_decodes.load(std::memory_order_seq_cst) == 0 ||
         load.in_flight_bytes.load(std::memory_order_seq_cst) < load.options.budget_bytes;
}

void* decode_memory::allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept {
  if (bytes >= large_bytes_ && !asked_.exchange(true, std::memory_order_relaxed)) {
    if (!admit(load_, bytes)) {
      refused_.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    admitted_bytes_.store(bytes, std::memory_order_relaxed);
  }
  return load_.memory.allocate(bytes, alignment, tag);
}

void decode_memory::deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                               memory_tag tag) noexcept {
  load_.memory.deallocate(memory, bytes, alignment, tag);
}

}  // namespace overture
