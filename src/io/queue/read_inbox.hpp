// SPDX-License-Identifier: Zlib
//
// What submit() leaves for the next thread that takes the queue's lock.
//
// Reading threads write the queue's cache lines all the time, so submit() does not touch them: it
// notes the batch's address and time on lines of its own and marks one word. The holder of the
// queue's lock takes the batches in order.
//
// Why no batch is forgotten: a thread that finds nothing offers itself by a compare-exchange on the
// word, which fails if a batch has come since it looked. put() exchanges that word: either it comes
// before the offer and is seen, or it finds the offer, takes it, and wakes the thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "sync/mutex.hpp"

namespace overture {
struct read_request;
}

namespace overture::io_detail {

// Room for `capacity` batches, which divides what a number can count to.
template <std::uint32_t capacity>
class basic_read_inbox {
 public:
  // The sleepers that put() may have to wake.
  static constexpr std::uint32_t reader = 1;
  static constexpr std::uint32_t host = 2;

  struct batch {
    read_request* first = nullptr;
    std::size_t count = 0;
    std::uint64_t queued_ns = 0;
  };

  // Any thread. `calls`: the sleepers that the caller must wake now. False: there was no room, and
  // nothing was done.
  [[nodiscard]] bool put(std::span<read_request> requests, std::uint64_t queued_ns,
                         std::uint32_t& calls) noexcept {
    const sync_detail::scoped_lock hold(putting_);
    if (next_ - known_taken_ == capacity) {
      known_taken_ = taken_.load(std::memory_order_acquire);
      if (next_ - known_taken_ == capacity) return false;
    }
    batches_[next_ % capacity] = {requests.data(), requests.size(), queued_ns};
    ++next_;
    calls = word_.exchange(next_ << offer_bits, std::memory_order_acq_rel) & offers;
    if ((calls & reader) != 0) {
      calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    return true;
  }
  // How often that was a reader. Any thread.
  [[nodiscard]] std::uint64_t calls() const noexcept {
    return calls_.load(std::memory_order_relaxed);
  }
  // Whether there may be something to take. Any thread.
  [[nodiscard]] bool has_any() const noexcept {
    return !holds_none(word_.load(std::memory_order_relaxed));
  }

  // The receiving side. One thread at a time: read_core holds its lock around every call.
  class receiver {
   public:
    explicit receiver(basic_read_inbox& inbox) noexcept : inbox_(inbox) {}

    [[nodiscard]] bool take(batch& next) noexcept {
      if (inbox_.holds_none(inbox_.word_.load(std::memory_order_acquire))) return false;
      const std::uint32_t taken = inbox_.taken_.load(std::memory_order_relaxed);
      next = inbox_.batches_[taken % capacity];
      inbox_.taken_.store(taken + 1, std::memory_order_release);
      return true;
    }
    // The next put() calls `sleeper`. False: something has been put since take() found nothing.
    [[nodiscard]] bool offer(std::uint32_t sleeper) noexcept {
      std::uint32_t word = inbox_.word_.load(std::memory_order_relaxed);
      do {
        if (!inbox_.holds_none(word)) return false;
      } while (!inbox_.word_.compare_exchange_weak(word, word | sleeper, std::memory_order_acq_rel,
                                                   std::memory_order_relaxed));
      return true;
    }
    [[nodiscard]] bool is_offered(std::uint32_t sleeper) const noexcept {
      return (inbox_.word_.load(std::memory_order_relaxed) & sleeper) != 0;
    }
    // Takes the offer back. False: a put() was quicker and wakes the thread; its batch can be
    // taken.
    bool withdraw(std::uint32_t sleeper) noexcept {
      return is_offered(sleeper) &&
             (inbox_.word_.fetch_and(~sleeper, std::memory_order_acq_rel) & sleeper) != 0;
    }

   private:
    basic_read_inbox& inbox_;
  };

 private:
  static constexpr std::uint32_t offer_bits = 2;
  static constexpr std::uint32_t offers = (1u << offer_bits) - 1;

  [[nodiscard]] bool holds_none(std::uint32_t word) const noexcept {
    const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
    return (word & ~offers) == taken << offer_bits;
  }

  // Written by put().
  alignas(detail::line_bytes) sync_detail::mutex putting_;
  std::uint32_t next_ GUARDED_BY(putting_) = 0;  // numbers of batches
  std::uint32_t known_taken_ GUARDED_BY(putting_) = 0;
  atomic<std::uint64_t> calls_{0};
  batch batches_[capacity];  // handed over by the word
  // The number of the next one, and offers.
  alignas(detail::line_bytes) atomic<std::uint32_t> word_{0};
  // Written by the receiver.
  alignas(detail::line_bytes) atomic<std::uint32_t> taken_{0};
};

using read_inbox = basic_read_inbox<64>;

}  // namespace overture::io_detail
