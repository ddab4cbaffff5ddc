// SPDX-License-Identifier: Zlib
//
// The version of this copy of Overture. Refuses a compiler that is not set to C++20, so headers at
// the bottom of the others include it.
#pragma once

#include <cstdint>

// MSVC names C++98 in __cplusplus unless it gets /Zc:__cplusplus.
#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "Overture needs C++20: compile with -std=c++20 (MSVC: /std:c++20)"
#endif

#define OVERTURE_VERSION_MAJOR 0
#define OVERTURE_VERSION_MINOR 1
#define OVERTURE_VERSION_PATCH 0

namespace overture {

inline constexpr const char* version = "0.1.0";

// Not inline: a copy of another version in the same process has its own.
constexpr std::uint32_t version_number =
    OVERTURE_VERSION_MAJOR * 1'000'000 + OVERTURE_VERSION_MINOR * 1'000 + OVERTURE_VERSION_PATCH;

// The reason of errc::unsupported for an object of another version.
inline constexpr const char* other_version = "made by another version of Overture";

static_assert(sizeof(void*) == 8, "Overture requires a 64-bit target");

}  // namespace overture
