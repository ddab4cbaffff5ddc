// A worker's own queue of hints: the owner pushes and pops at the bottom, everybody else takes
// from the top (Chase and Lev, with sequentially consistent read-modify-writes where the published
// versions have fences). It grows; outgrown arrays stay readable until the pool ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "jobs/queues/job_hint.hpp"
#include "jobs/queues/sizes.hpp"
#include "overture/allocator.hpp"

namespace overture::jobs_detail {

class job_deque {
 public:
  static constexpr std::uint64_t first_capacity = sizes::deque_slots;

  job_deque() = default;
  ~job_deque();
  job_deque(const job_deque&) = delete;
  job_deque& operator=(const job_deque&) = delete;

  // Before use. False if memory is refused.
  [[nodiscard]] bool initialise(allocator& memory) noexcept;

  // The owner: makes room for more hints. False if memory is refused.
  [[nodiscard]] bool make_room(std::uint64_t count = 1) noexcept;
  // The owner, behind make_room(): adds a hint at the bottom.
  void push(job_record& record) noexcept;
  // As push(), for several, the oldest first: all become visible at once.
  void push_all(std::span<job_record* const> records) noexcept;
  // As push(), but without any order between this and what the owner looks at next: a thread that
  // is about to sleep may not see it for a moment. For what the owner takes back itself.
  void push_fork(fork_half& half) noexcept;
  // The owner: takes the newest hint, none if there is none.
  [[nodiscard]] job_hint pop() noexcept;
  // The owner: the newest hint, left where it is.
  [[nodiscard]] job_hint peek() const noexcept;
  // The owner: all that lies there now came from outside, and starts in the order it came. The
  // owner, too, takes it from the top from here on, with claim_arrival() or claim_arrival_of(). No
  // fork may lie there.
  void mark_arrivals() noexcept {
    own_arrivals_ = own_bottom_;
    arrivals_end_.store(own_bottom_, std::memory_order_release);
  }
  // The owner: false if it has nothing that it may pop().
  [[nodiscard]] bool has_own() const noexcept { return own_bottom_ > own_arrivals_; }
  // The owner: the oldest record that came from outside, claimed; null if there is none. Hints that
  // it leaves behind go in bunches, but all of them as soon as none is left that it has not seen.
  [[nodiscard]] job_record* claim_arrival() noexcept;
  // As claim_arrival(), but none behind a record of another group.
  [[nodiscard]] job_record* claim_arrival_of(const job_group* group) noexcept;
  // Any thread: takes the oldest hint. None if there is none or another thread was faster.
  [[nodiscard]] job_hint steal() noexcept;
  // As steal(), but leaves forks where they are.
  [[nodiscard]] job_record* steal_record() noexcept;
  // As steal_record(), but leaves records of other groups too, and throws those away that nobody
  // needs any more. What it takes may still be claimed elsewhere.
  [[nodiscard]] job_record* steal_of(const job_group* group) noexcept;
  // Any thread: takes several of the oldest that came from outside, in their order, as many as
  // `into` has room for at most. Returns how many.
  [[nodiscard]] std::size_t steal_arrivals(std::span<job_record*> into) noexcept;
  // As steal_arrivals(), but up to the first one of another group, and throws those away that
  // nobody needs any more.
  [[nodiscard]] std::size_t steal_arrivals_of(const job_group* group,
                                              std::span<job_record*> into) noexcept;
  // Any thread: takes the oldest hint if it is a fork that lies at `start` or above, and
  // still_wanted() is true while it lies there.
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
    // As long as nobody moves the top, what lies there stays.
    const job_hint seen =
        array_.load(std::memory_order_acquire)->slot(top).load(std::memory_order_relaxed);
    if (!seen.is_half() || !still_wanted()) return nullptr;
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed)
               ? seen.half()
               : nullptr;
  }

  [[nodiscard]] bool empty() const noexcept {
    const std::uint64_t top = top_.load(std::memory_order_seq_cst);
    return bottom_.load(std::memory_order_seq_cst) <= top;
  }
  // Any thread; old by the time it returns.
  [[nodiscard]] std::uint64_t size() const noexcept {
    const std::uint64_t top = top_.load(std::memory_order_relaxed);
    const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    return bottom > top ? bottom - top : 0;
  }
  // The position of the oldest hint, and that behind the newest one; any thread, but old by the
  // time they return. The owner has own_bottom().
  [[nodiscard]] std::uint64_t oldest() const noexcept {
    return top_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t bottom() const noexcept {
    return bottom_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t own_bottom() const noexcept { return own_bottom_; }

  // Any thread: a claimed record of the group, or null. The hint stays behind. `newest_first` is
  // the owner's order, the other one everybody else's. Looks at no more than `most` hints.
  // Counts the hints that it met and nobody needs, if asked.
  [[nodiscard]] job_record* claim_of(const job_group* group, bool newest_first,
                                     std::uint64_t most = UINT64_MAX,
                                     std::uint64_t* dead = nullptr) noexcept;

 private:
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

  // keep(record) says what becomes of a hint of those to be taken.
  enum class sort : std::uint8_t { taken, dropped, last };
  template <class Keep>
  [[nodiscard]] std::size_t steal_several(std::span<job_record*> into, Keep keep) noexcept;
  // claim(record) says what became of the claim, and ends the walk unless the job is gone.
  enum class claim_result : std::uint8_t { claimed, gone, not_wanted };
  template <class Claim>
  [[nodiscard]] job_record* walk_arrivals(Claim claim) noexcept;
  [[nodiscard]] array* make_array(std::uint64_t capacity) noexcept;

  alignas(64) atomic<std::uint64_t> top_{0};
  alignas(64) atomic<std::uint64_t> bottom_{0};
  // Nothing below is ever popped, so thieves may take several from there by one exchange.
  atomic<std::uint64_t> arrivals_end_{0};
  atomic<array*> array_{nullptr};
  // Of the owner, on a line of its own. Others look at the ends of its queue all the time, and what
  // it has written there itself it would have to fetch back from them.
  alignas(64) std::uint64_t own_bottom_ = 0;
  std::uint64_t own_arrivals_ = 0;
  array* own_array_ = nullptr;
  std::uint64_t top_seen_ = 0;
  std::uint64_t walked_to_ = 0;  // what came from outside before that it has claimed, or left
  allocator* memory_ = nullptr;
};

}  // namespace overture::jobs_detail
