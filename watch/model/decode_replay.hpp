// SPDX-License-Identifier: Zlib
//
// The decodes that a load waited for while no other thread decoded, and how long they would take on
// several threads.
//
//   const lone_decodes alone = lone_decodes_of(view);
//   time_on_threads(alone.job_ns, 4);
#pragma once

#include <cstdint>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

// By one thread: the main thread, or one that worked while that slept.
struct lone_decodes {
  std::uint32_t thread = 0;  // in process.threads
  // Work that no two threads can share: a whole image, or all calls of a stream. Where it is not
  // known where a stream ends, several are one; many short calls are a few jobs.
  std::vector<std::uint64_t> job_ns = {};
  std::uint64_t ns = 0;     // their sum
  std::uint64_t count = 0;  // of images, streams and short calls
  std::uint64_t longest_ns = 0;
};
// Of the thread that has most.
[[nodiscard]] lone_decodes lone_decodes_of(const load_view& view);

// Each thread takes the next decode when it has finished one.
[[nodiscard]] std::uint64_t time_on_threads(const std::vector<std::uint64_t>& job_ns,
                                            unsigned threads);

}  // namespace overture::watch
