#include "base/thread_slot.hpp"

#include <bit>
#include <utility>

#include "base/shared_state.hpp"
#include "overture/base/limits.hpp"

namespace overture {
using base_detail::shared;

namespace {

constexpr std::uint32_t word_count = limits::thread_slots_max / 64;

std::uint32_t take_slot() noexcept {
  for (std::uint32_t word = 0; word < word_count; ++word) {
    atomic<std::uint64_t>& taken = shared().thread_slots[word];
    std::uint64_t bits = taken.load(std::memory_order_relaxed);
    while (~bits != 0) {
      const auto bit = static_cast<std::uint32_t>(std::countr_one(bits));
      const std::uint32_t slot = word * 64 + bit;
      if (slot == base_detail::shared_thread_slot) return base_detail::shared_thread_slot;
      if (taken.compare_exchange_weak(bits, bits | std::uint64_t{1} << bit,
                                      std::memory_order_acquire, std::memory_order_relaxed)) {
        return slot;
      }
    }
  }
  return base_detail::shared_thread_slot;
}

constexpr std::uint32_t no_slot = UINT32_MAX;

// Not in the holder: destructors that run after the holder's may still ask for the slot.
constinit thread_local std::uint32_t slot_of_thread = no_slot;

struct slot_holder {
  slot_holder() noexcept { slot_of_thread = take_slot(); }
  // From here on another thread may take the slot.
  ~slot_holder() {
    const std::uint32_t slot = std::exchange(slot_of_thread, base_detail::shared_thread_slot);
    if (slot == base_detail::shared_thread_slot) return;
    shared().thread_slots[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64),
                                               std::memory_order_release);
  }
};

[[gnu::noinline]] std::uint32_t first_slot() noexcept {
  thread_local const slot_holder holder;
  (void)holder;
  return slot_of_thread;
}

}  // namespace

std::uint32_t base_detail::thread_slot() noexcept {
  const std::uint32_t slot = slot_of_thread;
  return slot != no_slot ? slot : first_slot();
}

}  // namespace overture
