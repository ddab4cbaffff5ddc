// SPDX-License-Identifier: Zlib
//
// A pthread key tells when a thread ends. A thread_local with a destructor would not do: glibc
// allocates to register it, and aborts the process if that fails. The first 32 keys need no memory;
// a later one may, and without it the thread uses the shared slot.
#include "base/threads/thread_slot.hpp"

#include <pthread.h>

#include "base/threads/shared_state.hpp"

namespace overture {
namespace {

static_assert(base_detail::thread_slot_set::shared == base_detail::shared_thread_slot);

constexpr std::uint32_t no_slot = UINT32_MAX;

// Beside the key's value: what runs after at_end_of_thread() may still ask for the slot.
constinit thread_local std::uint32_t slot_of_thread = no_slot;

// Slots plus one are kept, because a thread begins with null.
void* to_value(std::uint32_t slot) noexcept {
  return reinterpret_cast<void*>(std::uintptr_t{slot} + 1);
}
std::uint32_t to_slot(void* value) noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(value) - 1);
}

// From here on another thread may take the slot.
void at_end_of_thread(void* value) {
  slot_of_thread = base_detail::shared_thread_slot;
  base_detail::shared().thread_slots.give_back(to_slot(value));
}

class slot_key {
 public:
  slot_key() noexcept : made_(pthread_key_create(&key_, at_end_of_thread) == 0) {}
  // No thread that ends later calls the code of a plug-in that has been unloaded.
  ~slot_key() {
    if (made_.exchange(false)) (void)pthread_key_delete(key_);
  }
  slot_key(const slot_key&) = delete;
  slot_key& operator=(const slot_key&) = delete;

  [[nodiscard]] bool set(std::uint32_t slot) const noexcept {
    return made_.load() && pthread_setspecific(key_, to_value(slot)) == 0;
  }

 private:
  pthread_key_t key_{};
  atomic<bool> made_;
};

// A thread without a value keeps the shared slot: what it does under a slot it ends under it.
[[gnu::noinline]] std::uint32_t first_slot() noexcept {
  static const slot_key key;
  std::uint32_t slot = base_detail::shared().thread_slots.take();
  if (slot != base_detail::shared_thread_slot && !key.set(slot)) {
    base_detail::shared().thread_slots.give_back(slot);
    slot = base_detail::shared_thread_slot;
  }
  slot_of_thread = slot;
  return slot;
}

}  // namespace

std::uint32_t base_detail::thread_slot() noexcept {
  const std::uint32_t slot = slot_of_thread;
  return slot != no_slot ? slot : first_slot();
}

}  // namespace overture
