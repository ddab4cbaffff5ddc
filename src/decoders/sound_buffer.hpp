// SPDX-License-Identifier: Zlib
//
// sound_buffer: collects the samples of a sound whose length is only known once it is decoded,
// because the length in the file may be missing or wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/limit_text.hpp"
#include "overture/base/limits.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::decoders_detail {

// The most bytes that a sound may decode to.
[[nodiscard]] constexpr std::uint64_t sound_bytes_max(std::uint64_t file_bytes) noexcept {
  return std::min(limits::sound_bytes_max, std::max(limits::sound_bytes_always,
                                                    file_bytes * limits::sound_bytes_per_byte_max));
}

// The room that a sound_buffer takes first.
[[nodiscard]] constexpr std::uint64_t sound_bytes_likely(std::uint64_t expected_frames,
                                                         std::uint64_t frame_bytes,
                                                         std::uint64_t file_bytes) noexcept {
  if (frame_bytes == 0) return 0;
  const std::uint64_t likely =
      std::min(file_bytes * limits::sound_bytes_per_byte_likely, sound_bytes_max(file_bytes));
  return std::min(expected_frames, likely / frame_bytes) * frame_bytes;
}

class sound_buffer {
 public:
  // `channels` is 1 to limits::sound_channels_max.
  sound_buffer(std::uint32_t channels, allocator& memory) noexcept
      : memory_(memory), channels_(channels), frame_bytes_(channels * sizeof(std::int16_t)) {}

  // Calls read(samples) until it returns 0. read() writes whole frames into the
  // std::span<std::int16_t> and returns their number, or an error. `expected_frames` is the length
  // according to the file; memory for it is taken at once if the file's size makes it plausible, so
  // that an honest file decodes in place. Errors: limit, out_of_memory, those of read().
  template <class Read>
  [[nodiscard]] result<decoded_asset> fill(std::uint64_t expected_frames, std::size_t file_bytes,
                                           std::uint32_t sample_rate, Read&& read) noexcept {
    const std::uint64_t frames_max = sound_bytes_max(file_bytes) / frame_bytes_;
    result<void> grown =
        move_to(sound_bytes_likely(expected_frames, frame_bytes_, file_bytes) / frame_bytes_);
    while (grown) {
      // A full buffer usually means the end, so probe with a side buffer before growing.
      std::int16_t beside[1024 * limits::sound_channels_max];
      const bool full = frames_ == capacity_;
      const std::span<std::int16_t> room =
          full ? std::span(beside).first(std::size_t{1024} * channels_) : free_room();
      const result<std::uint64_t> more = read(room);
      if (!more) return tl::unexpected<error>(more.error());
      if (*more == 0) return finish(sample_rate);
      if (full) {
        if (frames_ + *more > frames_max) {
          const bool huge = frames_max >= limits::sound_bytes_max / frame_bytes_;
          return fail(errc::limit, huge ? limit_text::sound_bytes : limit_text::sound_ratio);
        }
        grown = move_to(std::min(std::max(frames_ * 2, frames_ + *more), frames_max));
        if (!grown) break;
        std::memcpy(free_room().data(), beside, *more * frame_bytes_);
      }
      frames_ += *more;
    }
    return tl::unexpected<error>(grown.error());
  }

 private:
  std::span<std::int16_t> free_room() noexcept {
    return {reinterpret_cast<std::int16_t*>(kept_.bytes().data()) + frames_ * channels_,
            (capacity_ - frames_) * channels_};
  }

  // Reallocates to `frames` frames, no fewer than there are now.
  result<void> move_to(std::uint64_t frames) noexcept {
    result<decoded_asset> moved =
        decoded_asset::make(asset_kind::sound, frames * frame_bytes_, memory_);
    if (!moved) return tl::unexpected<error>(moved.error());
    if (frames_ != 0) {
      std::memcpy(moved->bytes().data(), kept_.bytes().data(), frames_ * frame_bytes_);
    }
    kept_ = std::move(*moved);
    capacity_ = frames;
    return {};
  }

  result<decoded_asset> finish(std::uint32_t sample_rate) noexcept {
    if (frames_ < capacity_) {
      const result<void> shrunk = move_to(frames_);
      if (!shrunk) return tl::unexpected<error>(shrunk.error());
    }
    kept_.sample_rate = sample_rate;
    kept_.channels = channels_;
    kept_.frames = frames_;
    return std::move(kept_);
  }

  allocator& memory_;
  std::uint32_t channels_;
  std::uint64_t frame_bytes_;
  decoded_asset kept_;
  std::uint64_t frames_ = 0;
  std::uint64_t capacity_ = 0;  // frames
};

}  // namespace overture::decoders_detail
