// SPDX-License-Identifier: Zlib
//
// Calls that are measured and written down when they have ended.
#pragma once

#include <cstdint>

#include "watch/recorder/next_function.hpp"
#include "watch/recorder/open_files.hpp"
#include "watch/recorder/recording.hpp"

namespace overture::watch {

// Calls, keeps errno, and hands what it has answered and the event, which lacks its kind, to
// `note`.
template <class Call, class Note>
auto measured(std::uintptr_t caller, Call call, Note note) {
  if (!recorded_thread()) return call();
  plain_event event{.begin_ns = clock_ns(), .caller = caller};
  const auto answer = call();
  const kept_errno keep;
  event.took_ns = clock_ns() - event.begin_ns;
  event.took_ns -= event.took_ns < clock_cost_ns ? event.took_ns : clock_cost_ns;
  event.detail = keep.value();
  note(answer, event);
  return answer;
}

inline void fails_if(plain_event& event, bool has_failed) noexcept {
  if (has_failed) {
    event.flags |= plain_event::failed;
  } else {
    event.detail = 0;
  }
}

// Bytes that were read or written at a place of a file; more than one event has room for become
// several.
void record_bytes(plain_event event, std::uint64_t place, std::uint64_t bytes) noexcept;

}  // namespace overture::watch
