// SPDX-License-Identifier: Zlib
//
// Several reads that a thread of the queue takes at once, and does one after the other.
//
// Two processors that take reads in turn fetch the state of the choice from each other for every
// read. So where many short reads wait, a thread takes several at once. Only the one it is doing
// has begun; the others can be recalled at any time and are then back in the queue as if they had
// never been taken. They are recalled whenever the order may change: something more urgent comes, a
// thread has nothing to do, or requests are cancelled, closed, changed or suspended.
//
// Reads that go to the disk are bundled for another reason: the thread opens all their files before
// it reads the first, and has the system begin to fetch what they want, so that the disk works on
// several at a time for each thread. To take one back costs no more than that hint was worth.
//
// The thread claims one after the other by a read-modify-write on a word of its own; bundle_table,
// which recalls them, exchanges that word. So each is claimed or recalled, never both. The rest is
// written by the thread while it holds the queue's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "io/schedule/read_operation.hpp"
#include "io/schedule/thread_count.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/sync/countdown.hpp"

namespace overture::io_detail {

inline constexpr std::size_t bundle_reads_max = 8;

struct bundle_rules {
  std::size_t reads_max = 8;
  std::size_t share = 8;                   // of what waits for each thread, one in so many
  std::uint64_t span_ns_max = 200'000;     // all of a bundle
  std::uint64_t untried_ns = 100'000'000;  // the assumed length of a read until one has ended
  std::size_t files_ahead = 64;            // of all threads, open before they are read
  std::uint64_t memory_ns = thread_rules{}.memory_ns;
};

// What the number of reads taken depends on.
struct bundle_moment {
  std::size_t waiting = 0;          // requests
  std::size_t threads = 1;          // that read
  std::uint64_t usual_read_ns = 0;  // 0: not known yet
  bool is_exact = false;            // deadlines, or a thread that waits for the end of each read
  std::size_t fetched_ahead = 0;    // how many of its reads the disk may work on at a time
};

// How many reads a thread takes at once, at least one. Towards the end they become fewer, so that
// all threads end at about the same time.
[[nodiscard]] constexpr std::size_t bundle_size(const bundle_rules& rules,
                                                const bundle_moment& now) noexcept {
  if (now.is_exact) return 1;
  const std::uint64_t read_ns = now.usual_read_ns != 0 ? now.usual_read_ns : rules.untried_ns;
  const std::size_t in_time = rules.span_ns_max / std::max<std::uint64_t>(read_ns, 1);
  const std::size_t fair = now.waiting / (rules.share * std::max<std::size_t>(now.threads, 1));
  const std::size_t quick_or_hidden = std::max(in_time, now.fetched_ahead);
  return std::clamp<std::size_t>(std::min(quick_or_hidden, fair), 1, rules.reads_max);
}

// Counts down for several reads at once where that makes no difference: while the thread has
// claimed another read of the same countdown, it cannot reach zero.
class held_counts {
 public:
  // True: a countdown has reached zero.
  [[nodiscard]] bool add(countdown& of) noexcept {
    const bool zero = counter_ != &of && flush();
    counter_ = &of;
    ++count_;
    return zero;
  }
  [[nodiscard]] bool flush() noexcept {
    if (!counter_) return false;
    const bool zero = counter_->done(count_);
    counter_ = nullptr;
    count_ = 0;
    return zero;
  }
  [[nodiscard]] const countdown* counter() const noexcept { return counter_; }

 private:
  countdown* counter_ = nullptr;
  std::uint32_t count_ = 0;
};

class read_bundle {
 public:
  // At least one operation.
  read_bundle(read_operation* reads, std::size_t room) noexcept : reads_(reads), room_(room) {}

  [[nodiscard]] read_operation& at(std::size_t i) noexcept { return reads_[i]; }
  [[nodiscard]] std::size_t room() const noexcept { return room_; }

  // --- Of the thread ---
  [[nodiscard]] read_operation& current() noexcept { return reads_[current_]; }
  [[nodiscard]] std::size_t current_index() const noexcept { return current_; }
  // Goes on to the next read. False: there is none, or it has been recalled.
  [[nodiscard]] bool claim_next() noexcept {
    if (current_ + 1 >= taken_) return false;
    if (unclaimed_.fetch_add(1, std::memory_order_relaxed) >= recalled) return false;
    ++current_;
    return true;
  }
  // The read that claim_next() may claim; its requests must not be touched.
  [[nodiscard]] const read_operation* likely_next() const noexcept {
    return current_ + 1 < taken_ ? &reads_[current_ + 1] : nullptr;
  }
  held_counts counts;

  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
  std::size_t retired = 0;               // the first ones, reported to the queue
  std::size_t permits = 0;               // how many files it may open for itself at once
  atomic<std::uint32_t> files_ahead{0};  // open for reads that have not begun, perhaps recalled

 private:
  friend class bundle_table;
  static constexpr std::uint32_t recalled = 1u << 16;

  // The thread has taken so many, and claimed the first.
  void publish(std::size_t count) noexcept {
    taken_ = count;
    current_ = 0;
    retired = 0;
    is_open_ = count > 1;
    unclaimed_.store(1, std::memory_order_relaxed);
  }
  // The index of the first read that belongs to the caller now, up to taken(); once.
  [[nodiscard]] std::size_t recall() noexcept {
    is_open_ = false;
    return std::min<std::size_t>(unclaimed_.exchange(recalled, std::memory_order_relaxed), taken_);
  }

  read_operation* reads_;
  std::size_t room_;
  std::size_t current_ = 0;
  std::size_t taken_ = 0;
  bool is_open_ = false;  // some of it may be recalled
  read_bundle* before_ = nullptr;
  read_bundle* after_ = nullptr;
  alignas(detail::line_bytes) atomic<std::uint32_t> unclaimed_{recalled};
};

}  // namespace overture::io_detail
