// SPDX-License-Identifier: Zlib
//
// The vector instructions of the processor, if compiler.hpp says that it has some.
#pragma once

#include "overture/base/detail/compiler.hpp"

#if defined(OVERTURE_SSE2)
#include <emmintrin.h>
#elif defined(OVERTURE_NEON)
#include <arm_neon.h>
#endif
