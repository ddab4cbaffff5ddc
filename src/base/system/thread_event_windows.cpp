// SPDX-License-Identifier: Zlib
#include "base/system/thread_event_windows.hpp"

namespace overture {
namespace {

void WINAPI close_at_end_of_thread(void* event) {
  (void)CloseHandle(event);
}

DWORD make_key() noexcept {
  // A plug-in with this code must not be unloaded while a thread is to call it.
  HMODULE self = nullptr;
  (void)GetModuleHandleExW(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
      reinterpret_cast<const wchar_t*>(reinterpret_cast<std::uintptr_t>(&close_at_end_of_thread)),
      &self);
  return FlsAlloc(close_at_end_of_thread);
}

}  // namespace

HANDLE base_detail::thread_event() noexcept {
  static const DWORD key = make_key();
  if (key == FLS_OUT_OF_INDEXES) return nullptr;
  if (void* const known = FlsGetValue(key)) return known;
  const HANDLE made = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (made && !FlsSetValue(key, made)) {
    (void)CloseHandle(made);
    return nullptr;
  }
  return made;
}

}  // namespace overture
