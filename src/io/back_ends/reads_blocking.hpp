// SPDX-License-Identifier: Zlib
//
// The back end of threads that block: each takes a few reads at once and does one after the other.
#pragma once

#include <cstddef>

#include "io/queue/read_core.hpp"

namespace overture::io_detail {

// Serves the queue on the calling thread until it is stopped.
void serve_blocking(read_core& core) noexcept;

}  // namespace overture::io_detail
