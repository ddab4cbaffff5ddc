// SPDX-License-Identifier: Zlib
//
// On fibre-local storage: its callback runs when a thread ends, however it was started, and gets
// the slot as its argument. A thread_local with a destructor would not do: with the thread-local
// variables of mingw's GCC such a destructor may find that the others are gone.
#include "base/system/paths_windows.hpp"

#include "base/threads/shared_state.hpp"
#include "base/threads/thread_slot.hpp"

namespace overture {
namespace {

using namespace base_detail;

static_assert(thread_slot_set::shared == shared_thread_slot);

// Slots plus one are kept, because a thread begins with null.
void* to_value(std::uint32_t slot) noexcept {
  return reinterpret_cast<void*>(std::uintptr_t{slot} + 1);
}
std::uint32_t to_slot(void* value) noexcept {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(value) - 1);
}

struct slot_keys {
  DWORD slot = FLS_OUT_OF_INDEXES;
  DWORD ended = TLS_OUT_OF_INDEXES;  // set once a thread has given up its slot
  slot_keys() noexcept;
};

slot_keys& keys() noexcept {
  static slot_keys made;
  return made;
}

void WINAPI at_end_of_thread(void* value) {
  (void)TlsSetValue(keys().ended, to_value(0));
  shared().thread_slots.give_back(to_slot(value));
}

slot_keys::slot_keys() noexcept {
  ended = TlsAlloc();
  if (ended == TLS_OUT_OF_INDEXES) return;
  slot = FlsAlloc(at_end_of_thread);
  // A plug-in with this code must not be unloaded while a thread is to call it.
  HMODULE self = nullptr;
  (void)GetModuleHandleExW(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      reinterpret_cast<const wchar_t*>(reinterpret_cast<std::uintptr_t>(&at_end_of_thread)), &self);
}

[[gnu::noinline]] std::uint32_t first_slot(const slot_keys& with) noexcept {
  if (with.slot == FLS_OUT_OF_INDEXES || TlsGetValue(with.ended)) return shared_thread_slot;
  const std::uint32_t slot = shared().thread_slots.take();
  if (FlsSetValue(with.slot, to_value(slot))) return slot;
  shared().thread_slots.give_back(slot);
  return shared_thread_slot;
}

}  // namespace

std::uint32_t base_detail::thread_slot() noexcept {
  const slot_keys& with = keys();
  void* const value = with.slot == FLS_OUT_OF_INDEXES ? nullptr : FlsGetValue(with.slot);
  return value ? to_slot(value) : first_slot(with);
}

}  // namespace overture
