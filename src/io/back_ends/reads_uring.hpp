// SPDX-License-Identifier: Zlib
//
// The back end over io_uring: one thread that keeps many reads in flight.
#pragma once

#include "io/queue/read_core.hpp"

namespace overture::io_detail {

// Serves the queue through a ring of its own until it is stopped, on the calling thread. Calls
// `ready(context, verdict)` once, first: true if the kernel allows a ring. If it does not
// (containers, sandboxes and old kernels refuse io_uring) nothing else happens, and the caller
// reads in another way.
void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept;

}  // namespace overture::io_detail
