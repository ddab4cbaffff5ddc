// SPDX-License-Identifier: Zlib
//
// A queue of hints: the owner pushes and pops at the bottom, all others take from the top (Chase
// and Lev, with sequentially consistent read-modify-writes where the published versions have
// fences). It grows; outgrown arrays stay readable until the pool ends.
//
// Of some jobs the owner says that they came from outside (arrivals). Those it takes from the top
// as well, in the order they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "jobs/queues/group_set.hpp"
#include "jobs/queues/job_hint.hpp"
#include "jobs/queues/sizes.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/detail/compiler.hpp"

namespace overture::jobs_detail {

class job_deque {
 public:
  static constexpr std::uint64_t first_capacity = sizes::deque_slots;

  // For jobs of this kind; see job_record.
  explicit job_deque(std::uint32_t kind = job_record::usual) noexcept : kind_(kind) {}
  ~job_deque();
  job_deque(const job_deque&) = delete;
  job_deque& operator=(const job_deque&) = delete;

  // Before anything is pushed. False if memory is refused.
  [[nodiscard]] bool initialise(allocator& memory) noexcept;

  // -- the owner --

  // Makes room for more hints. False if memory is refused.
  [[nodiscard]] bool make_room(std::uint64_t count = 1) noexcept;
  // After make_room(): adds hints at the bottom, the oldest first. All become visible at once.
  void push_all(std::span<job_record* const> records) noexcept;
  void push(job_record& record) noexcept {
    job_record* const one = &record;
    push_all({&one, 1});
  }
  // As push(), but without any order between this and what the owner looks at next: a thread that
  // is about to sleep may miss it for a moment. For what the owner takes back itself.
  void push_fork(fork_half& half) noexcept;
  // Takes the newest hint; none if there is none.
  [[nodiscard]] job_hint pop() noexcept;
  // The newest hint, left where it is.
  [[nodiscard]] job_hint peek() const noexcept;
  // False if there is nothing that it may pop().
  [[nodiscard]] bool has_own() const noexcept { return own_bottom_ > own_arrivals_; }
  // All that is there now came from outside. Use claim_arrival() for it from here on. No fork may
  // be among it.
  void mark_arrivals() noexcept {
    own_arrivals_ = own_bottom_;
    arrivals_end_.store(own_bottom_, std::memory_order_release);
  }
  // The oldest arrival, claimed; null if there is none. Hints left over are removed in batches, but
  // all of them once it has seen every arrival.
  [[nodiscard]] job_record* claim_arrival() noexcept;
  // As claim_arrival(), but only up to the first record of another group.
  [[nodiscard]] job_record* claim_arrival_of(const job_group* group) noexcept;
  // Removes hints that are no longer needed. No fork may be there. Hides the others for a moment.
  void remove_dead(parking& sleepers) noexcept;
  // The owner has claimed a job out of the middle, whose hint stays.
  void left_one_inside() noexcept { ++left_inside_; }
  // remove_dead() if so many such hints are left that it pays.
  void tidy(parking& sleepers) noexcept;
  [[nodiscard]] std::uint64_t own_bottom() const noexcept { return own_bottom_; }

  // -- any thread --

  // Takes the oldest hint. None if there is none or another thread was faster.
  [[nodiscard]] job_hint steal() noexcept;
  // Takes several of the oldest arrivals, in their order. Returns how many.
  [[nodiscard]] std::size_t steal_arrivals(std::span<job_record*> into) noexcept;
  // Takes the oldest hint if it is a fork at position `start` or above and still_wanted() is true
  // while it is there.
  template <class Wanted>
  [[nodiscard]] fork_half* steal_fork(const atomic<std::uint64_t>& start,
                                      Wanted still_wanted) noexcept {
    // Wanted before the start is read, or the start might be that of what came before.
    if (!still_wanted()) return nullptr;
    std::uint64_t top = top_.load(std::memory_order_seq_cst);
    if (bottom_.load(std::memory_order_seq_cst) <= top ||
        top < start.load(std::memory_order_acquire)) {
      return nullptr;
    }
    // As long as the top does not move, what is there stays.
    const job_hint seen =
        array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed);
    if (!seen.is_half() || !still_wanted()) return nullptr;
    return move_top(top, top + 1) ? seen.half() : nullptr;
  }
  // A job of the group, claimed; null if there is none. Removes hints at the top that are no longer
  // needed, and looks at no more than `most` others. Adds the number of dead hints that it has met.
  [[nodiscard]] job_record* take_of(const job_group* group, std::uint64_t most,
                                    std::uint64_t* dead = nullptr) noexcept;
  // As take_of(), but leaves the hint where it is. `newest_first` is the owner's order.
  [[nodiscard]] job_record* claim_of(const job_group* group, bool newest_first,
                                     std::uint64_t most = UINT64_MAX,
                                     std::uint64_t* dead = nullptr) noexcept;
  // As claim_of() with the oldest first, but looks at no hint before position `next`, which it
  // moves past those that it has looked at.
  [[nodiscard]] job_record* claim_next_of(const job_group* group, std::uint64_t& next,
                                          std::uint64_t most) noexcept;
  // So many that remove_dead() pays.
  [[nodiscard]] bool has_many_dead(std::uint64_t dead) const noexcept {
    return dead > dead_max && dead > size() / 2;
  }

  [[nodiscard]] std::uint32_t kind() const noexcept { return kind_; }
  [[nodiscard]] bool empty() const noexcept {
    const std::uint64_t top = top_.load(std::memory_order_seq_cst);
    return bottom_.load(std::memory_order_seq_cst) <= top;
  }
  // These are out of date by the time they return.
  [[nodiscard]] std::uint64_t size() const noexcept {
    const std::uint64_t top = oldest();
    const std::uint64_t end = bottom();
    return end > top ? end - top : 0;
  }
  // The position of the oldest hint, and the one after the newest.
  [[nodiscard]] std::uint64_t oldest() const noexcept {
    return top_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bottom() const noexcept {
    return bottom_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t dead_max = 32;

  struct array {
    std::uint64_t capacity;
    array* outgrown;
    [[nodiscard]] atomic<job_hint>* slots() noexcept {
      return reinterpret_cast<atomic<job_hint>*>(this + 1);
    }
    [[nodiscard]] atomic<job_hint>& slot(std::uint64_t position) noexcept {
      return slots()[position & (capacity - 1)];
    }
  };

  // claim(record) says what became of the claim; the walk ends unless the job is gone.
  enum class claim_result : std::uint8_t { claimed, gone, not_wanted };
  template <class Claim>
  [[nodiscard]] job_record* walk_arrivals(Claim claim) noexcept;
  [[nodiscard]] array* make_array(std::uint64_t capacity) noexcept;
  [[nodiscard]] bool move_top(std::uint64_t seen, std::uint64_t to) noexcept {
    return top_.compare_exchange_strong(seen, to, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  const std::uint32_t kind_;
  alignas(detail::line_bytes) atomic<std::uint64_t> top_{0};
  alignas(detail::line_bytes) atomic<std::uint64_t> bottom_{0};
  // Nothing below is ever popped, so thieves may take several from there by one exchange.
  atomic<std::uint64_t> arrivals_end_{0};
  atomic<array*> array_{nullptr};
  // The owner's, on a line of its own. Others look at the ends of its queue all the time, and what
  // it has written there itself it would have to fetch back from them.
  alignas(detail::line_bytes) std::uint64_t own_bottom_ = 0;
  std::uint64_t own_arrivals_ = 0;
  array* own_array_ = nullptr;
  std::uint64_t top_seen_ = 0;
  std::uint64_t left_inside_ = 0;  // since the last tidy()
  std::uint64_t walked_to_ = 0;    // arrivals before that are claimed, or gone
  allocator* memory_ = nullptr;
};

}  // namespace overture::jobs_detail
