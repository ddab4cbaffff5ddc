// SPDX-License-Identifier: Zlib
//
// A sound_stream through SDL 2's audio: as the only thing that plays, or in a mixer of your own.
//
//   SDL_InitSubSystem(SDL_INIT_AUDIO);
//   overture::sdl::audio_device speaker = overture::sdl::play(*music);   // it plays from now on
//   if (!speaker) return report(SDL_GetError());
//
//   // In a callback of your own, whose device has AUDIO_F32SYS:
//   std::span<float> mixed(reinterpret_cast<float*>(to), bytes_wanted / sizeof(float));
//   std::ranges::fill(mixed, 0.0f);
//   overture::sdl::mix(*music, mixed, 0.7f);                             // adds it, at 70 %
//
// Only this header: include it where SDL is, and link SDL and overture::sounds yourself. play()
// opens the device with the song's rate and channels, and SDL converts to what the device has. A
// mixer must have these too: mix() converts nothing.
//
// Cost: read() copies the frames, mix() adds them. Neither locks or allocates.
//
// Lifetime and threads: the callback runs on SDL's thread and uses the stream until the device is
// closed, so end the audio_device before the stream. Seeking and asking work meanwhile.
#pragma once

#include <SDL_audio.h>
#include <SDL_error.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/sounds/sound_stream.hpp"

namespace overture::sdl {

// An SDL_AudioCallback whose user data is a sound_stream, for a device of AUDIO_F32SYS.
inline void SDLCALL read(void* stream, Uint8* to, int bytes) noexcept {
  const auto samples = static_cast<std::size_t>(bytes) / sizeof(float);
  (void)static_cast<sound_stream*>(stream)->read(std::span(reinterpret_cast<float*>(to), samples));
}

// Adds the next frames to `to`, times `gain`. Returns how many there were; the rest of `to` stays
// as it is. As sound_stream::read().
inline std::size_t mix(sound_stream& stream, std::span<float> to, float gain = 1.0f) noexcept {
  std::array<float, 1024> block;
  const std::size_t channels = stream.channels();
  const std::size_t at_once = block.size() / channels * channels;
  std::size_t done = 0;
  while (to.size() >= channels) {
    const std::span<float> part =
        std::span(block).first(std::min(at_once, to.size() / channels * channels));
    const std::size_t got = stream.read(part);
    for (std::size_t i = 0; i < got * channels; ++i) to[i] += gain * part[i];
    done += got;
    if (got * channels < part.size()) break;
    to = to.subspan(part.size());
  }
  return done;
}

// An open device, or none. Closing it waits for a callback that runs.
class audio_device {
 public:
  audio_device() noexcept = default;
  explicit audio_device(SDL_AudioDeviceID id) noexcept : id_(id) {}
  audio_device(audio_device&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  audio_device& operator=(audio_device&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  audio_device(const audio_device&) = delete;
  audio_device& operator=(const audio_device&) = delete;
  ~audio_device() {
    if (id_ != 0) SDL_CloseAudioDevice(id_);
  }

  [[nodiscard]] explicit operator bool() const noexcept { return id_ != 0; }
  // For SDL's functions, such as SDL_PauseAudioDevice().
  [[nodiscard]] SDL_AudioDeviceID id() const noexcept { return id_; }

 private:
  SDL_AudioDeviceID id_ = 0;
};

// What a device needs to play the stream: its rate, its channels, floats, and read().
[[nodiscard]] inline SDL_AudioSpec spec_of(sound_stream& stream,
                                           Uint16 buffer_frames = 1024) noexcept {
  SDL_AudioSpec spec = {};
  spec.freq = static_cast<int>(stream.sample_rate());
  spec.format = AUDIO_F32SYS;
  spec.channels = static_cast<Uint8>(stream.channels());
  spec.samples = buffer_frames;
  spec.callback = read;
  spec.userdata = &stream;
  return spec;
}

// Opens the default device and plays the stream through it. No device if SDL has none: see
// SDL_GetError(). The stream must stay where it is: do not move it meanwhile.
[[nodiscard]] inline audio_device play(sound_stream& stream, Uint16 buffer_frames = 1024) noexcept {
  const SDL_AudioSpec wanted = spec_of(stream, buffer_frames);
  audio_device device(SDL_OpenAudioDevice(nullptr, 0, &wanted, nullptr, 0));
  if (device) SDL_PauseAudioDevice(device.id(), 0);
  return device;
}

}  // namespace overture::sdl
