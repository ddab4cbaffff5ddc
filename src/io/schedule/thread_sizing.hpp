// SPDX-License-Identifier: Zlib
//
// How many threads may read at a time: counts those that do, and sizes their number by the disk's
// throughput (thread_count.hpp).
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/schedule/thread_count.hpp"

namespace overture::io_detail {

class thread_sizing {
 public:
  // rules.most = 0: any number of threads may read.
  explicit thread_sizing(const thread_rules& rules) noexcept : rules_(rules) {
    search_.count = search_.best = rules.fewest;
  }

  [[nodiscard]] bool is_sized() const noexcept { return rules_.most != 0; }
  [[nodiscard]] unsigned count() const noexcept { return search_.count; }
  [[nodiscard]] bool may_begin() const noexcept { return !is_sized() || reading_ < search_.count; }
  void begin() noexcept { ++reading_; }
  void end() noexcept { --reading_; }

  struct sample {
    std::uint64_t now_ns = 0;
    std::uint64_t bytes = 0;  // of all reads so far
    std::uint64_t reads = 0;  // that were begun so far
    std::uint64_t usual_read_ns = 0;
  };
  // Call at the beginning of a read that has waited. Every so often this ends a period, and its
  // result decides the number.
  void note(const sample& now) noexcept {
    constexpr std::uint64_t reads_each = 16;
    constexpr std::uint64_t period_ns_min = 2'000'000;
    constexpr std::uint64_t work_of_read = 32'768;
    if (now.now_ns - begin_.now_ns < period_ns_min ||
        now.reads - begin_.reads < reads_each * search_.count) {
      return;
    }
    search_ = next_thread_count(
        rules_, search_,
        {.work = now.bytes - begin_.bytes + (now.reads - begin_.reads) * work_of_read,
         .time_ns = now.now_ns - begin_.now_ns,
         .usual_read_ns = now.usual_read_ns,
         .kept_busy = begin_.now_ns != 0});
    begin_ = now;
  }

 private:
  const thread_rules rules_;
  thread_search search_;
  unsigned reading_ = 0;
  sample begin_;  // of the period
};

}  // namespace overture::io_detail
