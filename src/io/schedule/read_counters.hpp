// SPDX-License-Identifier: Zlib
//
// What a queue counts of its requests: how many are outstanding, how long reads take, and the sums
// that stats() shows.
//
// One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "io/schedule/read_operation.hpp"
#include "overture/io/read_queue.hpp"

namespace overture::io_detail {

class read_counters {
 public:
  void note_submitted(std::size_t count) noexcept {
    outstanding_ += count;
    sums_.requests += count;
    sums_.in_flight_max = std::max(sums_.in_flight_max, outstanding_);
  }
  void note_cancelled(std::size_t count) noexcept { sums_.cancelled += count; }
  void note_unpacked(std::size_t count, std::uint64_t unpack_ns) noexcept {
    sums_.unpacked += count;
    sums_.unpack_ns += unpack_ns;
  }
  // Requests that have completed.
  void add(const read_tally& tally) noexcept {
    sums_.bytes += tally.bytes;
    if (tally.failed != 0) sums_.failed += tally.failed;  // rare, and on another cache line
    if (tally.viewed != 0) sums_.viewed += tally.viewed;
    if (tally.thrown != 0) sums_.thrown += tally.thrown;
    sums_.queue_ns += tally.queue_ns;
    sums_.service_ns += tally.service_ns;
    outstanding_ -= tally.completed;
  }

  // --- Reads ---
  void note_begun(std::size_t members) noexcept {
    ++sums_.reads;
    if (members > 1) sums_.merged += members;
  }
  void note_recalled(std::size_t members) noexcept {
    --sums_.reads;
    if (members > 1) sums_.merged -= members;
  }
  void note_shared() noexcept { ++sums_.shared; }
  void note_unshared() noexcept { --sums_.shared; }
  void note_ended(const read_tally& tally) noexcept {
    if (tally.viewed != 0) sums_.reads -= tally.viewed;
    if (tally.completed == 0) return;
    const std::uint64_t service_ns = tally.service_ns / tally.completed;
    usual_read_ns_ = usual_read_ns_ - usual_read_ns_ / 8 + service_ns / 8;
  }
  [[nodiscard]] std::uint64_t reads() const noexcept { return sums_.reads; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return sums_.bytes; }
  // How long reads took lately; 0 = not known yet.
  [[nodiscard]] std::uint64_t usual_read_ns() const noexcept { return usual_read_ns_; }

  // --- Outstanding: submitted and not completed, and what else drain() is to wait for ---
  [[nodiscard]] std::uint64_t outstanding() const noexcept { return outstanding_; }
  void add_outstanding() noexcept { ++outstanding_; }
  void remove_outstanding() noexcept { --outstanding_; }

  // The first call counts.
  void mark_first_frame() noexcept {
    if (!has_frame_) sums_.before_first_frame = sums_.requests;
    has_frame_ = true;
  }
  // The rest of the fields is others'.
  [[nodiscard]] read_queue_stats sums() const noexcept {
    read_queue_stats now = sums_;
    if (!has_frame_) now.before_first_frame = sums_.requests;
    return now;
  }

 private:
  std::uint64_t outstanding_ = 0;
  std::uint64_t usual_read_ns_ = 0;
  read_queue_stats sums_;
  bool has_frame_ = false;
};

}  // namespace overture::io_detail
