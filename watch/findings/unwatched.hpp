// SPDX-License-Identifier: Zlib
//
// Where the main thread was while it called nothing that is watched.
#pragma once

#include <cstdint>

#include "watch/model/load_view.hpp"

namespace overture::watch {

// Parts of a load; what the last one has is known by nothing.
struct unwatched_time {
  std::uint64_t allocating_ns = 0;  // a guess
  std::uint64_t sampled_ns = 0;     // its code, by samples
  std::uint64_t waited_ns = 0;      // without a core, for something that was not seen
  std::uint64_t memory_ns = 0;      // in the kernel, which gave it memory
  std::uint64_t other_ns = 0;
};
[[nodiscard]] unwatched_time unwatched_of(const load_view& view, const thread_use& main);

// A time without calls and without samples.
struct silent_time {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  const watched_event* before = nullptr;  // what ended then; null: nothing did
  const watched_event* after = nullptr;

  [[nodiscard]] std::uint64_t ns() const { return end_ns - begin_ns; }
};
[[nodiscard]] std::vector<silent_time> silent_times(const watched_thread& thread,
                                                    std::uint64_t begin_ns, std::uint64_t end_ns);

}  // namespace overture::watch
