// SPDX-License-Identifier: Zlib
//
// Music that is streamed, for C: overture/c/sounds.h.
#include "overture/c/sounds.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "c/apart.hpp"
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
                 const given_allocator& given) noexcept
      : files(from), thread(by), pool(with), memory(given) {}

  use_of<overture_files> files;
  use_of<overture_sound_thread> thread;
  use_of<overture_pool> pool;
  given_allocator memory;
  std::optional<sound_stream> stream;  // open
};

namespace {

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
  return apart::told(to, code_of(why.code), {text, length}, why.os_error);
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
  return sound->stream->read(std::span(to, frames * sound->stream->channels()));
}

}  // namespace

overture_code overture_sound_thread_make(overture_sound_thread** thread, overture_error* error) {
  if (thread == nullptr) return apart::invalid(error, "there is no place for the thread");
  *thread = nullptr;
  overture_sound_thread* const made = make<overture_sound_thread>();
  if (made == nullptr) return apart::told(error, OVERTURE_OUT_OF_MEMORY, no_memory);
  if (const result<void> runs = made->sounds.status(); !runs) {
    destroy(made);
    return sound_failed(error, runs.error(), {}, nullptr);
  }
  *thread = made;
  return apart::fine(error);
}

overture_code overture_sound_thread_free(overture_sound_thread* thread, overture_error* error) {
  if (thread == nullptr) return apart::fine(error);
  if (thread->users.any()) {
    return apart::told(error, OVERTURE_BUSY, "sounds still use the thread");
  }
  destroy(thread);
  return apart::fine(error);
}

overture_code overture_sound_open(overture_files* files, const char* path,
                                  const overture_sound_config* config, overture_sound** sound,
                                  overture_error* error) {
  if (sound == nullptr) return apart::invalid(error, "there is no place for the sound");
  *sound = nullptr;
  if (files == nullptr) return apart::invalid(error, "the files are NULL");
  overture_sound_config wanted;
  if (const overture_code flaw = apart::read_options(config, wanted, error)) return flaw;
  if (wanted.repeat < OVERTURE_REPEAT_TAGS || wanted.repeat > OVERTURE_REPEAT_ALWAYS) {
    return apart::invalid(error, "an unknown OVERTURE_REPEAT_...");
  }
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) {
    return sound_failed(error, normal.error(), path == nullptr ? "" : path, nullptr);
  }
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return apart::invalid(error, flaw);
  auto* const made = make<overture_sound>(files, wanted.thread, wanted.pool, memory);
  if (made == nullptr) return apart::told(error, OVERTURE_OUT_OF_MEMORY, no_memory);
  result<sound_stream> opened =
      sound_stream::open(files->tree, *normal, with_memory(stream_config_of(wanted), made->memory));
  if (!opened) {
    destroy(made);
    return sound_failed(error, opened.error(), normal->text, &files->tree);
  }
  made->stream.emplace(*std::move(opened));
  *sound = made;
  return apart::fine(error);
}

void overture_sound_free(overture_sound* sound) {
  if (sound != nullptr) destroy(sound);
}

uint32_t overture_sound_channels(const overture_sound* sound) {
  return sound == nullptr ? 0 : sound->stream->channels();
}
uint32_t overture_sound_rate(const overture_sound* sound) {
  return sound == nullptr ? 0 : sound->stream->sample_rate();
}
const char* overture_sound_format(const overture_sound* sound) {
  return sound == nullptr ? "" : sound->stream->format();
}

size_t overture_sound_read(overture_sound* sound, float* to, size_t frames) {
  return read_sound(sound, to, frames);
}
size_t overture_sound_read_integers(overture_sound* sound, int16_t* to, size_t frames) {
  return read_sound(sound, to, frames);
}

void overture_sound_seek(overture_sound* sound, uint64_t frame) {
  if (sound != nullptr) sound->stream->seek(frame);
}

bool overture_sound_decode(overture_sound* sound, size_t pieces) {
  return sound != nullptr && sound->stream->decode(pieces);
}

overture_code overture_sound_get_state(const overture_sound* sound, overture_sound_state* state,
                                       overture_error* error) {
  if (sound == nullptr) return apart::invalid(error, "the sound is NULL");
  const sound_stream& stream = *sound->stream;
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
  return apart::write_result(state, now, error);
}
