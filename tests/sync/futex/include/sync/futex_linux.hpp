// SPDX-License-Identifier: Zlib
//
// Replaces the library's header of this name: a futex that misbehaves in all permitted ways.
#pragma once

#include <cstdint>

namespace overture::sync_detail {

// Defined in futex_test.cpp.
long futex_call(const void* address, int operation, std::uint32_t value,
                const void* fourth = nullptr, const void* second_address = nullptr,
                std::uint32_t bits = 0) noexcept;

}  // namespace overture::sync_detail
