// SPDX-License-Identifier: Zlib
//
// Calls that are measured and written down when they have ended.
#pragma once

#include <cstdint>
#include <cstdio>

#include "watch/recorder/next_function.hpp"
#include "watch/recorder/open_files.hpp"
#include "watch/recorder/recording.hpp"

namespace overture::watch {

// Calls, and hands what it has answered and the event, which lacks its kind, to `note`, which must
// leave errno as it is.
template <class Call, class Note>
auto measured(std::uintptr_t caller, Call call, Note note) {
  if (!recorded_thread()) return call();
  plain_event event{.begin_ns = clock_ns(), .caller = caller};
  const auto answer = call();
  event.took_ns = clock_ns() - event.begin_ns;
  event.took_ns -= event.took_ns < clock_cost_ns ? event.took_ns : clock_cost_ns;
  note(answer, event);
  return answer;
}

// A call that wakes who waits for something, `sleepers` as far as it is known.
template <class Call>
auto wakes(const volatile void* address, std::uint32_t sleepers, std::uintptr_t caller, Call call) {
  return measured(caller, call, [&](auto, plain_event& event) {
    event.kind = event_kind::release;
    event.id = sleepers;
    event.value = reinterpret_cast<std::uintptr_t>(address);
    record(event);
  });
}

inline void fails_if(plain_event& event, bool has_failed) noexcept {
  if (!has_failed) return;
  event.flags |= plain_event::failed;
  event.detail = static_cast<std::uint16_t>(errno);
}

// Bytes that were read or written at a place of a file; more than one event has room for become
// several.
void record_bytes(plain_event event, std::uint64_t place, std::uint64_t bytes) noexcept;
// Likewise where a FILE is.
void note_bytes(event_kind kind, plain_event event, std::FILE* file, std::uint64_t bytes) noexcept;

}  // namespace overture::watch
