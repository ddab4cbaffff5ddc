// SPDX-License-Identifier: Zlib
//
// Which frames of a song a decoder of packets gives, where packets are missing or after a seek.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sounds/codecs/samples.hpp"

namespace overture::sounds_detail {

class ogg_timing {
 public:
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  // The next frame to hand out is `frame`, and the decoder gives `first` next.
  void begin(std::uint64_t frame, std::int64_t first) noexcept {
    const std::int64_t ahead = first - static_cast<std::int64_t>(frame);
    position_ = frame;
    silence_ = ahead > 0 ? static_cast<std::uint64_t>(ahead) : 0;
    skip_ = ahead < 0 ? static_cast<std::uint64_t>(-ahead) : 0;
  }
  // Packets were missing, and the decoder gives `first` next. What is too far ahead to be true is
  // taken for the next frame. Returns whether frames are missing.
  bool go_on(std::int64_t first, std::uint64_t gap_max) noexcept {
    const std::int64_t ahead = first - static_cast<std::int64_t>(position_);
    const bool is_believed = ahead <= static_cast<std::int64_t>(gap_max);
    begin(position_, is_believed ? first : static_cast<std::int64_t>(position_));
    return ahead > 0;
  }
  [[nodiscard]] bool is_silent() const noexcept { return silence_ != 0; }
  // Writes silence, and returns how much.
  [[nodiscard]] std::size_t write_silence(const frame_room& room) noexcept {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(silence_, room.frames));
    room.write_silence(count);
    silence_ -= count;
    position_ += count;
    return count;
  }
  // Of so many frames from the decoder, how many to leave out.
  [[nodiscard]] std::size_t leave_out(std::size_t frames) noexcept {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, frames));
    skip_ -= count;
    return count;
  }
  void hand_out(std::size_t frames) noexcept { position_ += frames; }

  // The end of the song, if it is known: nothing after it is handed out.
  void set_end(std::int64_t frames) noexcept {
    end_ = frames > 0 ? static_cast<std::uint64_t>(frames) : 0;
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  // Of so many frames, how many there are up to the end.
  [[nodiscard]] std::size_t limited(std::size_t frames) const noexcept {
    if (end_ == 0) return frames;
    const std::uint64_t left = end_ - std::min(end_, position_);
    return static_cast<std::size_t>(std::min<std::uint64_t>(frames, left));
  }
  // The last packets of a damaged song are lost: it is as long as it was. False if there is nothing
  // to fill up.
  [[nodiscard]] bool fill_up(std::uint64_t gap_max) noexcept {
    if (end_ != 0) (void)go_on(static_cast<std::int64_t>(end_), gap_max);
    return is_silent();
  }

 private:
  std::uint64_t position_ = 0;
  std::uint64_t silence_ = 0;
  std::uint64_t skip_ = 0;
  std::uint64_t end_ = 0;  // 0: not known
};

}  // namespace overture::sounds_detail
