// SPDX-License-Identifier: Zlib
//
// Forks: the second half of a parallel call lies on the caller's stack, its address on the caller's
// deque. The caller takes it back in join() unless another thread has taken it; then it helps with
// what that thread forks from it, and with nothing else, until the half is done.
#pragma once

#include "jobs/pool/pool_state.hpp"

namespace overture::jobs_detail {

// thread_pool::fork() and join().
void fork(pool_state& pool, fork_half& half) noexcept;
void join(pool_state& pool, fork_half& half) noexcept;

}  // namespace overture::jobs_detail
