// SPDX-License-Identifier: Zlib
//
// Contracts: a build that checks what these headers ask of a host, to find mistakes in a game.
//
//   cmake --preset dev                       # or any build with -DOVERTURE_CONTRACTS=ON
//
//   set_contract_handler([](const char* sentence) noexcept { my_log(sentence); my_breakpoint(); });
//
// Each check that fails calls the handler with one sentence, which says what is wrong and what to
// do. By default the sentence goes to stderr and the process aborts, with the caller still on the
// stack. docs/guide/contracts.md lists the checks.
//
// The option belongs to the library and does not depend on NDEBUG. Programs get it with the
// library, from the CMake targets or from pkg-config. Without it there are no checks and no code
// for them.
//
// Cost: with the option a compare or two in each checked call, and a lock where objects that others
// use are made and destroyed. No object of the host has another size.
//
// Code in headers depends on the setting only as a template argument, as with exceptions.hpp: where
// sources with and without it meet in one program, no function of one stands in for the other's.
#pragma once

#include "overture/base/api.hpp"

namespace overture {

// Must not throw. If it returns, the call goes on as it would without checks.
using contract_handler = void (*)(const char* sentence) noexcept;

// Replaces the handler of this copy of Overture, and returns the one before; null: the default. Any
// thread.
OVERTURE_API contract_handler set_contract_handler(contract_handler handler) noexcept;

namespace detail {

#if defined(OVERTURE_CONTRACTS)
constexpr bool contracts = true;
#else
constexpr bool contracts = false;
#endif

OVERTURE_API void contract_broken(const char* sentence) noexcept;

// Call it inside `if constexpr (contracts)`, so that the condition costs nothing either.
inline void expects(bool kept, const char* sentence) noexcept {
  if (!kept) [[unlikely]] {
    contract_broken(sentence);
  }
}

}  // namespace detail
}  // namespace overture
