// The version of this copy of Overture.
#pragma once

#define OVERTURE_VERSION_MAJOR 0
#define OVERTURE_VERSION_MINOR 1
#define OVERTURE_VERSION_PATCH 0

namespace overture {

inline constexpr const char* version = "0.1.0";

static_assert(sizeof(void*) == 8, "Overture requires a 64-bit target");

}  // namespace overture
