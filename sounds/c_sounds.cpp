// SPDX-License-Identifier: Zlib
//
// Music that is streamed, for C: overture/c/sounds.h.
#include "overture/c/sounds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "c/handles.hpp"
#include "overture/sounds/sound_stream.hpp"

using namespace overture;
using namespace overture::c;

struct overture_sound_thread {
  sound_thread sounds;
  user_count users;
};

struct overture_sound {
  overture_sound(overture_files* from, overture_sound_thread* by, overture_pool* with,
                 sound_stream opened) noexcept
      : files(from), thread(by), pool(with), stream(std::move(opened)) {}

  use_of<overture_files> files;
  use_of<overture_sound_thread> thread;
  use_of<overture_pool> pool;
  sound_stream stream;
};

namespace {

// As the functions of overture::c do, which a shared library hides.
overture_code sound_told(overture_error* to, overture_code code, std::string_view text,
                         int os_error = 0) noexcept {
  constexpr std::size_t text_at = offsetof(overture_error, text);
  if (to == nullptr || to->size <= text_at || to->size > structure_bytes_max) return code;
  to->code = code;
  to->os_error = os_error;
  const std::size_t room = std::min(to->size - text_at, sizeof to->text) - 1;
  to->text[text.copy(to->text, room)] = '\0';
  return code;
}
overture_code sound_fine(overture_error* to) noexcept {
  return sound_told(to, OVERTURE_OK, "");
}
overture_code sound_invalid(overture_error* to, const char* text) noexcept {
  return sound_told(to, OVERTURE_INVALID, text);
}

// A sentence with the path, and with the file and mount where they are known.
overture_code sound_failed(overture_error* to, const error& why, std::string_view path,
                           const file_system* files) noexcept {
  char text[sizeof(overture_error::text)] = {};
  std::size_t length = 0;
  const auto add = [&](std::string_view more) {
    length += more.copy(text + length, sizeof text - 1 - length);
  };
  if (files != nullptr && why.source != source_id{}) {
    length = files->explain(why, text);
  } else {
    if (!path.empty()) add(path), add(": ");
    add(why.reason);
  }
  return sound_told(to, code_of(why.code), {text, length}, why.os_error);
}

template <class T>
const char* wrong_structure(const T* given) noexcept {
  if (given->size < sizeof(T) || given->size > structure_bytes_max) return wrong_size(given->size);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->size; ++i) {
    if (bytes[i] != 0) return "an option that this version does not know";
  }
  return nullptr;
}

sound_stream_config stream_config_of(const overture_sound_config& wanted) noexcept {
  sound_stream_config config;
  if (wanted.thread != nullptr) config.thread = &wanted.thread->sounds;
  if (wanted.pool != nullptr) config.jobs = &wanted.pool->jobs;
  if (wanted.integers) config.samples = sound_samples::int16;
  config.repeat = static_cast<sound_repeat>(wanted.repeat);
  if (wanted.ring_frames != 0) config.ring_frames = wanted.ring_frames;
  config.loop_begin = wanted.loop_begin;
  config.loop_end = wanted.loop_end;
  if (wanted.memory_bytes_max != 0) config.memory_bytes_max = wanted.memory_bytes_max;
  return config;
}

template <class Sample>
std::size_t read_sound(overture_sound* sound, Sample* to, std::size_t frames) noexcept {
  if (sound == nullptr || to == nullptr) return 0;
  return sound->stream.read(std::span(to, frames * sound->stream.channels()));
}

}  // namespace

overture_code overture_sound_thread_make(overture_sound_thread** thread, overture_error* error) {
  if (thread == nullptr) return sound_invalid(error, "there is no place for the thread");
  *thread = nullptr;
  overture_sound_thread* const made = make<overture_sound_thread>();
  if (made == nullptr) return sound_told(error, OVERTURE_OUT_OF_MEMORY, no_memory);
  if (const result<void> runs = made->sounds.status(); !runs) {
    destroy(made);
    return sound_failed(error, runs.error(), {}, nullptr);
  }
  *thread = made;
  return sound_fine(error);
}

overture_code overture_sound_thread_free(overture_sound_thread* thread, overture_error* error) {
  if (thread == nullptr) return sound_fine(error);
  if (thread->users.any()) {
    return sound_told(error, OVERTURE_BUSY, "sounds still use the thread");
  }
  destroy(thread);
  return sound_fine(error);
}

overture_code overture_sound_open(overture_files* files, const char* path,
                                  const overture_sound_config* config, overture_sound** sound,
                                  overture_error* error) {
  if (sound == nullptr) return sound_invalid(error, "there is no place for the sound");
  *sound = nullptr;
  if (files == nullptr) return sound_invalid(error, "the files are NULL");
  overture_sound_config wanted = {};
  if (config != nullptr) {
    if (const char* const flaw = wrong_structure(config)) return sound_invalid(error, flaw);
    wanted = *config;
  }
  if (wanted.repeat < OVERTURE_REPEAT_TAGS || wanted.repeat > OVERTURE_REPEAT_ALWAYS) {
    return sound_invalid(error, "an unknown OVERTURE_REPEAT_...");
  }
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) {
    return sound_failed(error, normal.error(), path == nullptr ? "" : path, nullptr);
  }
  result<sound_stream> opened = sound_stream::open(files->tree, *normal, stream_config_of(wanted));
  if (!opened) return sound_failed(error, opened.error(), normal->text, &files->tree);
  *sound = make<overture_sound>(files, wanted.thread, wanted.pool, *std::move(opened));
  if (*sound == nullptr) return sound_told(error, OVERTURE_OUT_OF_MEMORY, no_memory);
  return sound_fine(error);
}

void overture_sound_free(overture_sound* sound) {
  if (sound != nullptr) destroy(sound);
}

uint32_t overture_sound_channels(const overture_sound* sound) {
  return sound == nullptr ? 0 : sound->stream.channels();
}
uint32_t overture_sound_rate(const overture_sound* sound) {
  return sound == nullptr ? 0 : sound->stream.sample_rate();
}
const char* overture_sound_format(const overture_sound* sound) {
  return sound == nullptr ? "" : sound->stream.format();
}

size_t overture_sound_read(overture_sound* sound, float* to, size_t frames) {
  return read_sound(sound, to, frames);
}
size_t overture_sound_read_integers(overture_sound* sound, int16_t* to, size_t frames) {
  return read_sound(sound, to, frames);
}

void overture_sound_seek(overture_sound* sound, uint64_t frame) {
  if (sound != nullptr) sound->stream.seek(frame);
}

bool overture_sound_decode(overture_sound* sound, size_t pieces) {
  return sound != nullptr && sound->stream.decode(pieces);
}

overture_code overture_sound_get_state(const overture_sound* sound, overture_sound_state* state,
                                       overture_error* error) {
  if (state == nullptr) return sound_invalid(error, "there is no structure to fill in");
  if (state->size < sizeof(overture_sound_state) || state->size > structure_bytes_max) {
    return sound_invalid(error, wrong_size(state->size));
  }
  if (sound == nullptr) return sound_invalid(error, "the sound is NULL");
  const sound_stream& stream = sound->stream;
  const sound_status status = stream.status();
  const sound_loop loop = stream.loop();
  overture_sound_state now = {};
  now.position = stream.position();
  now.length = stream.length();
  now.loops = stream.loops();
  now.underruns = stream.underruns();
  now.loop_begin = loop.begin;
  now.loop_end = loop.end;
  now.is_looping = loop.is_set;
  now.ended = stream.ended();
  now.stopped = status.stopped;
  now.damages = status.damages;
  if (status.damages != 0) {
    now.first_code = code_of(status.first.code);
    now.damaged_frame = status.frame;
    now.damaged_byte = status.byte;
    copy_text(now.damage, status.first.reason);
  }
  now.size = state->size;
  std::memset(static_cast<void*>(state), 0, state->size);
  std::memcpy(static_cast<void*>(state), &now, sizeof now);
  state->size = now.size;
  return sound_fine(error);
}
