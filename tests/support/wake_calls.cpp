// SPDX-License-Identifier: Zlib
#include "support/wake_calls.hpp"

#include "sync/wait.hpp"

namespace overture::test {
namespace {

atomic<std::uint64_t> calls{0};

}  // namespace

std::uint64_t wake_calls() noexcept {
  return calls.load(std::memory_order_relaxed);
}

}  // namespace overture::test

// The Itanium-mangled names of overture::sync_detail::LAYER::FUNCTION(const void*).
#define OVERTURE_COUNTED(layer, function, symbol)                                            \
  void real_##layer##_##function(const void* address) noexcept __asm__("__real_" symbol);    \
  void counted_##layer##_##function(const void* address) noexcept __asm__("__wrap_" symbol); \
  void counted_##layer##_##function(const void* address) noexcept {                          \
    overture::test::calls.fetch_add(1, std::memory_order_relaxed);                           \
    real_##layer##_##function(address);                                                      \
  }

OVERTURE_COUNTED(native, one, "_ZN8overture11sync_detail11native_wait16address_wake_oneEPKv")
OVERTURE_COUNTED(native, all, "_ZN8overture11sync_detail11native_wait16address_wake_allEPKv")
OVERTURE_COUNTED(native, relayed,
                 "_ZN8overture11sync_detail11native_wait20address_wake_relayedEPKv")
OVERTURE_COUNTED(generic, one, "_ZN8overture11sync_detail12generic_wait16address_wake_oneEPKv")
OVERTURE_COUNTED(generic, all, "_ZN8overture11sync_detail12generic_wait16address_wake_allEPKv")
OVERTURE_COUNTED(generic, relayed,
                 "_ZN8overture11sync_detail12generic_wait20address_wake_relayedEPKv")
