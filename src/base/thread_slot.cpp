#include "base/thread_slot.hpp"

#include <bit>

#include "overture/atomic.hpp"
#include "overture/limits.hpp"

namespace overture {
namespace {

constexpr std::uint32_t word_count = limits::thread_slots_max / 64;
constexpr std::uint32_t shared_slot = limits::thread_slots_max - 1;

atomic<std::uint64_t> taken[word_count];

std::uint32_t take_slot() noexcept {
  for (std::uint32_t word = 0; word < word_count; ++word) {
    std::uint64_t bits = taken[word].load(std::memory_order_relaxed);
    while (~bits != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_one(bits));
      const std::uint32_t slot = word * 64 + bit;
      if (slot == shared_slot) return shared_slot;
      if (taken[word].compare_exchange_weak(bits, bits | std::uint64_t{1} << bit,
                                            std::memory_order_acquire, std::memory_order_relaxed)) {
        return slot;
      }
    }
  }
  return shared_slot;
}

struct slot_holder {
  std::uint32_t slot = take_slot();
  ~slot_holder() {
    if (slot == shared_slot) return;
    taken[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64), std::memory_order_release);
  }
};

}  // namespace

std::uint32_t thread_slot() noexcept {
  thread_local const slot_holder holder;
  return holder.slot;
}

}  // namespace overture
