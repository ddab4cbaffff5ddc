// SPDX-License-Identifier: Zlib
//
// Tracks of an exported timeline for what is on no thread: as few as possible without overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/vec.hpp"
#include "overture/base/error.hpp"

namespace overture::trace_detail {

// Assigns each request the lowest track that is free when it begins. Takes requests by begin time.
class request_tracks {
 public:
  explicit request_tracks(allocator& memory) noexcept
      : busy_(memory, memory_tag::trace), idle_(memory, memory_tag::trace) {}

  [[nodiscard]] result<std::uint32_t> take(std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
    while (!busy_.empty() && busy_[0].end_ns <= begin_ns) {
      if (!idle_.push_back(busy_[0].index)) return out_of_memory();
      std::push_heap(idle_.begin(), idle_.end(), std::greater<>());
      std::pop_heap(busy_.begin(), busy_.end(), ends_later);
      busy_.pop_back();
    }
    std::uint32_t index = count_;
    if (idle_.empty()) {
      ++count_;
    } else {
      std::pop_heap(idle_.begin(), idle_.end(), std::greater<>());
      index = idle_.back();
      idle_.pop_back();
    }
    if (!busy_.push_back({end_ns, index})) return out_of_memory();
    std::push_heap(busy_.begin(), busy_.end(), ends_later);
    return index;
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  struct busy_track {
    std::uint64_t end_ns;
    std::uint32_t index;
  };
  static bool ends_later(const busy_track& a, const busy_track& b) noexcept {
    return a.end_ns > b.end_ns;
  }
  static tl::unexpected<error> out_of_memory() {
    return fail(errc::out_of_memory, "out of memory for the timeline's requests");
  }

  base_detail::vec<busy_track> busy_;     // a heap, earliest end on top
  base_detail::vec<std::uint32_t> idle_;  // a heap, lowest index on top
  std::uint32_t count_ = 0;
};

}  // namespace overture::trace_detail
