// The one name for atomics in Overture, public headers included.
//
// In a shipped program this is std::atomic and nothing else. Test binaries that count shared
// writes, or that explore interleavings, put a folder with their own overture/base/atomic.hpp first
// on the include path and compile the very same sources over it.
#pragma once

#include <atomic>

namespace overture {

template <class T>
using atomic = std::atomic<T>;

}  // namespace overture
