// SPDX-License-Identifier: Zlib
#include "base/thread_slot.hpp"

#include <utility>

#include "base/shared_state.hpp"

namespace overture {
namespace {

static_assert(base_detail::thread_slot_set::shared == base_detail::shared_thread_slot);

constexpr std::uint32_t no_slot = UINT32_MAX;

// Not in the holder: destructors that run after the holder's may still ask for the slot.
constinit thread_local std::uint32_t slot_of_thread = no_slot;

struct slot_holder {
  slot_holder() noexcept { slot_of_thread = base_detail::shared().thread_slots.take(); }
  // From here on another thread may take the slot.
  ~slot_holder() {
    base_detail::shared().thread_slots.give_back(
        std::exchange(slot_of_thread, base_detail::shared_thread_slot));
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
