#include "base/thread_slot.hpp"

#include <utility>

#include "base/slot_set.hpp"

namespace overture {
namespace {

using slots_of_threads = base_detail::slot_set<limits::thread_slots_max>;
static_assert(slots_of_threads::shared == base_detail::shared_thread_slot);

constinit slots_of_threads slots;

constexpr std::uint32_t no_slot = UINT32_MAX;

// Not in the holder: destructors that run after the holder's may still ask for the slot.
constinit thread_local std::uint32_t slot_of_thread = no_slot;

struct slot_holder {
  slot_holder() noexcept { slot_of_thread = slots.take(); }
  // From here on another thread may take the slot.
  ~slot_holder() {
    slots.give_back(std::exchange(slot_of_thread, base_detail::shared_thread_slot));
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
