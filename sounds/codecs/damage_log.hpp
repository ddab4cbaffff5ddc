// SPDX-License-Identifier: Zlib
//
// Notes what is damaged in a song. One thread notes, any thread may look.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "overture/sounds/sound_stream.hpp"

namespace overture::sounds_detail {

class damage_log {
 public:
  // Where the file is, for the errors: known before anything is noted.
  void set_file(path_id path, source_id source, std::uint64_t offset, bool is_loose) noexcept {
    path_ = path;
    source_ = source;
    offset_ = offset;
    is_loose_ = is_loose;
  }
  // The same for an error of opening.
  [[nodiscard]] error about_the_file(error why, std::uint64_t byte) const noexcept {
    if (why.path == path_id{}) why.path = path_;
    if (why.source == source_id{}) {
      why.source = source_;
      // Of an archive's file only its beginning is known.
      why.offset = is_loose_ ? byte : offset_;
    }
    return why;
  }

  // The frame that is decoded next.
  void go_to(std::uint64_t frame) noexcept { frame_ = frame; }

  void note(const error& why, std::uint64_t byte) noexcept {
    const std::uint64_t before = damages_.load(std::memory_order_relaxed);
    if (before == 0) {
      first_ = about_the_file(why, byte);
      first_frame_ = frame_;
      first_byte_ = byte;
    }
    damages_.store(before + 1, std::memory_order_release);
  }
  void note(errc code, const char* reason, std::uint64_t byte) noexcept {
    note(error{.code = code, .reason = reason}, byte);
  }
  void stop() noexcept { stopped_.store(true, std::memory_order_release); }

  [[nodiscard]] sound_status status() const noexcept {
    sound_status now;
    now.stopped = stopped_.load(std::memory_order_acquire);
    now.damages = damages_.load(std::memory_order_acquire);
    if (now.damages == 0) return now;
    now.first = first_;
    now.frame = first_frame_;
    now.byte = first_byte_;
    return now;
  }

 private:
  path_id path_ = {};
  source_id source_ = {};
  std::uint64_t offset_ = 0;
  bool is_loose_ = true;
  std::uint64_t frame_ = 0;
  // Written once, before `damages_` becomes 1.
  error first_ = {};
  std::uint64_t first_frame_ = 0;
  std::uint64_t first_byte_ = 0;
  atomic<std::uint64_t> damages_{0};
  atomic<bool> stopped_{false};
};

}  // namespace overture::sounds_detail
