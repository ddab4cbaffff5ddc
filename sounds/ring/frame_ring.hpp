// SPDX-License-Identifier: Zlib
//
// frame_ring: frames on their way from the one thread that decodes to the one that plays.
//
// Frames lie in pieces of one size, each with what the reader must know of it. The writer fills a
// piece and hands it over by one store; the reader hands it back by another. Neither waits, locks
// or allocates, and there is no read-modify-write. The memory is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/atomic.hpp"

namespace overture::sounds_detail {

struct piece_info {
  std::uint64_t first = 0;       // the frame of the song that the piece begins with
  std::uint64_t loops = 0;       // how often the song had gone back before
  std::uint32_t frames = 0;      // how many there are; 0 only in a last piece
  std::uint32_t generation = 0;  // which seek they follow
  bool last = false;             // nothing comes after it until the next seek
};

class frame_ring {
 public:
  // `frames` has room for infos.size() pieces of piece_bytes each.
  frame_ring(std::span<std::byte> frames, std::span<piece_info> infos,
             std::size_t piece_bytes) noexcept
      : frames_(frames.data()), infos_(infos), piece_bytes_(piece_bytes) {}
  frame_ring(const frame_ring&) = delete;
  frame_ring& operator=(const frame_ring&) = delete;

  // The writer: where the next piece goes; null if the ring is full. end_piece() hands it over.
  [[nodiscard]] std::byte* begin_piece() noexcept {
    const std::uint64_t written = written_.load(std::memory_order_relaxed);
    if (written - taken_.load(std::memory_order_acquire) == infos_.size()) return nullptr;
    return frames_of(written);
  }
  void end_piece(const piece_info& info) noexcept {
    const std::uint64_t written = written_.load(std::memory_order_relaxed);
    infos_[written % infos_.size()] = info;
    written_.store(written + 1, std::memory_order_release);
  }

  // The reader: the oldest piece; null if there is none. It stays until end_front().
  [[nodiscard]] const piece_info* front() const noexcept {
    const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    if (written_.load(std::memory_order_acquire) == taken) return nullptr;
    return &infos_[taken % infos_.size()];
  }
  [[nodiscard]] const std::byte* front_frames() const noexcept {
    return frames_of(taken_.load(std::memory_order_relaxed));
  }
  void end_front() noexcept {
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Any thread; may have changed when it returns.
  [[nodiscard]] bool is_full() const noexcept { return pieces() == infos_.size(); }
  [[nodiscard]] std::size_t pieces() const noexcept {
    // In this order: what has been taken had been written.
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);
    const std::uint64_t written = written_.load(std::memory_order_acquire);
    const std::uint64_t pieces = written - taken;
    return static_cast<std::size_t>(pieces < infos_.size() ? pieces : infos_.size());
  }

 private:
  [[nodiscard]] std::byte* frames_of(std::uint64_t piece) const noexcept {
    return frames_ + piece % infos_.size() * piece_bytes_;
  }

  std::byte* frames_;
  std::span<piece_info> infos_;
  std::size_t piece_bytes_;
  // On lines of their own: two processors write them.
  alignas(64) atomic<std::uint64_t> written_{0};
  alignas(64) atomic<std::uint64_t> taken_{0};
};

}  // namespace overture::sounds_detail
