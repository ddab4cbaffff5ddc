// SPDX-License-Identifier: Zlib
//
// sound_thread: the thread that decodes sound_streams ahead of the mixer.
//
//   sound_thread sounds;                           // one for the game
//   auto music = sound_stream::open(files, "music/theme.ogg"_path, {.thread = &sounds});
//
// It serves up to 64 streams, a piece at a time each, and sleeps while all rings are full. Its
// priority is a little above that of others, so that a loading screen does not make the music
// stop.
//
// Cost: a thread and its stack. Memory: some 3 KiB. A stream that is ended waits until the thread
// has finished the piece that it is at, a few milliseconds.
#pragma once

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/thread.hpp"

namespace overture {

namespace sounds_detail {
struct decode_thread;
}

struct sound_thread_config {
  thread_options thread = {.name = "sounds", .priority = thread_priority::above_normal};
  thread_factory* threads = nullptr;  // null: default_thread_factory()
  allocator* memory = nullptr;        // null: default_allocator()
};

class sound_thread {
 public:
  explicit sound_thread(const sound_thread_config& config = {}) noexcept;
  // All streams must have ended.
  ~sound_thread();
  sound_thread(const sound_thread&) = delete;
  sound_thread& operator=(const sound_thread&) = delete;

  // Whether the thread runs. Errors: out_of_memory; those of starting a thread. Opening a stream
  // with a thread that does not run fails in the same way. Any thread.
  [[nodiscard]] result<void> status() const noexcept;

 private:
  friend class sound_stream;
  sounds_detail::decode_thread* state_ = nullptr;
  error failure_ = {};
};

}  // namespace overture
