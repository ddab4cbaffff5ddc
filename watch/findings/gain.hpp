// SPDX-License-Identifier: Zlib
//
// What Overture would give a load: only what can be worked out from what was seen. Each is an
// estimate that says what it rests on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

enum class gain_kind : std::uint8_t { decoding_on_threads, pack_in_order, physfs };
// "decoding-on-threads"
[[nodiscard]] const char* to_string(gain_kind kind);

struct gain {
  gain_kind kind = gain_kind::decoding_on_threads;
  std::optional<std::uint64_t> ns = {};  // that the load would be shorter; nothing: measure it
  std::string what = {};                 // a sentence
  std::string basis = {};                // likewise
};

// The largest first, and last what has to be measured; none of less than a twentieth of the load.
// `threads`: that decode at a time.
[[nodiscard]] std::vector<gain> gains_of(const load_view& view, unsigned threads);

// What a thread's reads waited for the disk.
struct disk_waits {
  std::uint64_t ns = 0;
  std::uint64_t bytes = 0;             // that it read in all, also without a wait
  std::uint64_t bytes_per_second = 0;  // of large reads of all threads; 0: there were too few
};
// Of the thread that waited longest. Nothing if most of what was read came from memory.
[[nodiscard]] disk_waits disk_waits_of(const load_view& view);

}  // namespace overture::watch
