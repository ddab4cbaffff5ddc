// SPDX-License-Identifier: Zlib
//
// playback: what the thread that plays a song, the one that decodes it and those that seek in it
// share.
//
// A seek makes a new generation and wakes the decoder. Each piece of the ring says which seek it
// follows: the reader drops those of an earlier one, so it never plays a frame from before a seek
// that it has seen. All of this is atomic words and the ring; no thread waits for another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "sounds/ring/frame_ring.hpp"

namespace overture::sounds_detail {

// A generation above a frame, in one word, which one store changes.
struct song_place {
  static constexpr unsigned frame_bits = 40;  // 265 days at 48 kHz
  static constexpr std::uint64_t frame_max = (std::uint64_t{1} << frame_bits) - 1;
  static constexpr std::uint32_t generation_max = (1u << (64 - frame_bits)) - 1;

  std::uint32_t generation = 1;
  std::uint64_t frame = 0;

  [[nodiscard]] static constexpr song_place of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> frame_bits), word & frame_max};
  }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{generation} << frame_bits | std::min(frame, frame_max);
  }
};

class playback {
 public:
  explicit playback(frame_ring& ring) noexcept : ring_(ring) {}
  playback(const playback&) = delete;
  playback& operator=(const playback&) = delete;

  // --- Any thread ---

  void seek(std::uint64_t frame) noexcept {
    std::uint64_t old = wanted_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      const std::uint32_t generation = song_place::of(old).generation;
      // 0 is none.
      next =
          song_place{generation == song_place::generation_max ? 1 : generation + 1, frame}.word();
    } while (!wanted_.compare_exchange_weak(old, next, std::memory_order_acq_rel,
                                            std::memory_order_relaxed));
  }
  // The latest seek; generation 1 and frame 0 before the first.
  [[nodiscard]] song_place wanted() const noexcept {
    return song_place::of(wanted_.load(std::memory_order_acquire));
  }
  // The next frame to be read.
  [[nodiscard]] std::uint64_t position() const noexcept {
    const song_place played = song_place::of(played_.load(std::memory_order_acquire));
    const song_place wants = wanted();
    return played.generation == wants.generation ? played.frame : wants.frame;
  }
  // Whether everything up to the end has been read.
  [[nodiscard]] bool ended() const noexcept {
    return ended_.load(std::memory_order_acquire) == wanted().generation;
  }
  [[nodiscard]] std::uint64_t loops() const noexcept {
    return loops_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t underruns() const noexcept {
    return underruns_.load(std::memory_order_relaxed);
  }
  // Whether the decoder has something to do.
  [[nodiscard]] bool wants_frames() const noexcept {
    return finished_.load(std::memory_order_acquire) != wanted().generation && !ring_.is_full();
  }

  // --- The thread that decodes ---

  // Nothing comes after what is in the ring until the next seek.
  void finish(std::uint32_t generation) noexcept {
    finished_.store(generation, std::memory_order_release);
  }

  // --- The thread that plays ---

  // Calls take(bytes, count) for the frames that are there, at most `frames` together. Sets
  // `freed` if there is room for another piece. Returns how many frames there were.
  template <class Take>
  [[nodiscard]] std::size_t read(std::size_t frames, std::size_t frame_bytes, bool& freed,
                                 Take&& take) noexcept {
    std::uint32_t generation = wanted().generation;
    std::size_t done = 0;
    for (const piece_info* front = nullptr; (front = ring_.front()) != nullptr;) {
      if (front->generation != generation) {
        // The piece may be of a seek that has come since.
        generation = wanted().generation;
        if (front->generation != generation) {
          drop_front(freed);
          continue;
        }
      }
      const std::size_t count = std::min<std::size_t>(front->frames - used_, frames - done);
      if (count != 0) {
        take(ring_.front_frames() + used_ * frame_bytes, count);
        loops_.store(front->loops, std::memory_order_relaxed);
      }
      used_ += count;
      done += count;
      begun_ = generation;
      played_.store(song_place{generation, front->first + used_}.word(), std::memory_order_release);
      if (used_ != front->frames) break;
      if (front->last) ended_.store(generation, std::memory_order_release);
      drop_front(freed);
    }
    // Before the first frame after a seek the decoder is not late.
    if (done < frames && begun_ == generation &&
        ended_.load(std::memory_order_relaxed) != generation) {
      underruns_.store(underruns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    return done;
  }

 private:
  void drop_front(bool& freed) noexcept {
    ring_.end_front();
    used_ = 0;
    freed = true;
  }

  frame_ring& ring_;
  alignas(64) atomic<std::uint64_t> wanted_{song_place{}.word()};
  atomic<std::uint32_t> finished_{0};  // the generation whose end is in the ring
  // Written by the thread that plays.
  alignas(64) atomic<std::uint64_t> played_{song_place{}.word()};
  atomic<std::uint64_t> loops_{0};
  atomic<std::uint64_t> underruns_{0};
  atomic<std::uint32_t> ended_{0};
  std::uint32_t begun_ = 0;  // the generation that was read last
  std::size_t used_ = 0;     // frames of the front piece that were read
};

}  // namespace overture::sounds_detail
