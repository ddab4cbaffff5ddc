// SPDX-License-Identifier: Zlib
//
// What the plug-ins of the tests can do.
#pragma once

#include <atomic>
#include <cstdint>

#include "overture/io/read_queue.hpp"
#include "overture/jobs/job_system.hpp"

namespace overture::test {

struct plug_in_calls {
  // A slot of its copy for the calling thread.
  std::uint32_t (*thread_slot)() noexcept;
  // Awaits the door in a coroutine on that system, and then counts `passed` up.
  errc (*await)(barricade& door, job_system& jobs, std::atomic<int>& passed) noexcept;
  // Awaits a door of its own on a pool of its own, reads a file, and so on; false if anything
  // fails.
  bool (*works)() noexcept;
  job_system& (*pool)() noexcept;
  read_queue& (*queue)() noexcept;
};

}  // namespace overture::test
