#include "load/decode_memory.hpp"

namespace overture::load_detail {
namespace {

// Below the budget any size is admitted, as for files. One large decode is always admitted:
// otherwise files that hold the budget could wait for each other for ever.
bool admit(load_state& load, std::uint64_t bytes) noexcept {
  const std::uint64_t budget = load.options.budget_bytes;
  if (load.large_decodes.fetch_add(1, std::memory_order_seq_cst) == 0) {
    load.update_in_flight_peak(load.in_flight_bytes.fetch_add(bytes, std::memory_order_seq_cst) +
                               bytes);
    return true;
  }
  std::uint64_t now = load.in_flight_bytes.load(std::memory_order_seq_cst);
  do {
    if (now >= budget) {
      // If all others end meanwhile, the caller's next can_begin() notices.
      load.large_decodes.fetch_sub(1, std::memory_order_seq_cst);
      return false;
    }
  } while (
      !load.in_flight_bytes.compare_exchange_weak(now, now + bytes, std::memory_order_seq_cst));
  load.update_in_flight_peak(now + bytes);
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

}  // namespace overture::load_detail
