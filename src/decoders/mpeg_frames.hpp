// SPDX-License-Identifier: Zlib
//
// The frames of MP3 files, counted without decoding any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace overture::decoders_detail {

struct mpeg_frame {
  std::size_t bytes = 0;  // of the whole frame; 0 if no frame begins here
  std::uint32_t samples = 0;
  std::uint32_t channels = 0;
  std::size_t tag_at = 0;  // where an encoder would put its own header
};
// The frame of layer III that begins here. Any thread.
[[nodiscard]] mpeg_frame parse_mpeg_frame(std::span<const std::byte> at) noexcept;

// The bytes of an ID3v2 tag in front of the sound. Any thread.
[[nodiscard]] std::size_t id3_bytes(std::span<const std::byte> file) noexcept;

struct mpeg_frame_count {
  std::uint64_t samples = 0;  // of one channel, at most
  std::uint64_t frames = 0;
  std::uint64_t stated_frames = 0;  // 0 if the file does not say
  std::uint32_t channels = 0;
  bool last_is_cut = false;
};
// Walks from frame to frame, up to the first bytes that do not begin one. Any thread.
[[nodiscard]] mpeg_frame_count count_mpeg_frames(std::span<const std::byte> file) noexcept;

}  // namespace overture::decoders_detail
