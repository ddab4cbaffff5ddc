// SPDX-License-Identifier: Zlib
//
// The one name for atomics in Overture, public headers included.
//
// In a shipped program it is std::atomic. Test binaries that count shared writes or explore
// interleavings put their own overture/base/atomic.hpp first on the include path and compile the
// same sources with it.
#pragma once

#include <atomic>

namespace overture {

template <class T>
using atomic = std::atomic<T>;

}  // namespace overture
