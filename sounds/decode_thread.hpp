// SPDX-License-Identifier: Zlib
//
// The thread of a sound_thread, as its streams see it.
#pragma once

#include <cstddef>

#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/event_count.hpp"
#include "sounds/ring/stream_slots.hpp"

namespace overture::sounds_detail {

struct decode_thread {
  static constexpr std::size_t streams_max = 64;
  using slots_type = stream_slots<streams_max>;

  decode_thread(allocator& from, thread_factory& with) noexcept : memory(from), threads(with) {}

  void wake() noexcept { changed.notify_one(); }
  // Decodes until it is told to stop.
  void run() noexcept;

  allocator& memory;
  thread_factory& threads;
  thread_handle thread;
  slots_type slots;
  event_count changed;
  atomic<bool> stops{false};
};

}  // namespace overture::sounds_detail
