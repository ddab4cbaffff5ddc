// The back end over io_uring: one thread that keeps many reads in flight.
#pragma once

#include "io/read_core.hpp"

namespace overture::io_detail {

// Serves the queue through a ring of its own until it is stopped. `ready(context, verdict)` is
// called once, at first: true if the kernel lets us have a ring. If it does not, nothing else
// happens: io_uring is refused by containers, sandboxes and old kernels, and who reads must go on
// all the same. On the thread that is to serve.
void serve_with_uring(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                      void* context) noexcept;

}  // namespace overture::io_detail
