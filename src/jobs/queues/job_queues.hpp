// SPDX-License-Identifier: Zlib
//
// Where the jobs of a pool lie, and how a thread takes one.
//
//   normal jobs   the deque of the submitting worker, or of the submitting thread's guest slot;
//                 `overflow` if that slot is taken
//   others        `urgent`, `background` (high and low priority), `of_main` (submit_main())
//
// A worker takes up to 32 jobs at once from a guest's deque into its own, where others may steal
// them. Every function that returns a record has claimed it for the caller.
#pragma once

#include <cstdint>
#include <span>

#include "jobs/queues/job_place.hpp"
#include "jobs/queues/pool_slots.hpp"
#include "jobs/queues/shared_queue.hpp"
#include "jobs/queues/submitter_rotation.hpp"
#include "overture/base/detail/compiler.hpp"

namespace overture::jobs_detail {

// What a thread has found to do: a job, a fork, or nothing.
struct found_work {
  job_record* record = nullptr;
  fork_half* half = nullptr;

  [[nodiscard]] explicit operator bool() const noexcept {
    return record != nullptr || half != nullptr;
  }
};

// What a thread that waits looks for.
struct group_search {
  const job_group* group = nullptr;
  bool is_main_thread = false;
  // What lies before it in that queue need not be looked at again.
  job_place from;
};

class job_queues {
 public:
  static constexpr std::uint64_t everything = UINT64_MAX;

  job_queues(allocator& memory, pool_slots& slots, parking& sleepers) noexcept
      : slots_(slots),
        sleepers_(sleepers),
        urgent_(job_record::urgent, memory, sleepers),
        overflow_(job_record::usual, memory, sleepers),
        background_(job_record::background, memory, sleepers),
        of_main_(job_record::of_main, memory, sleepers) {}

  // -- adding --

  [[nodiscard]] shared_queue& of(job_priority priority) noexcept;
  [[nodiscard]] shared_queue& of_main() noexcept { return of_main_; }
  // Numbers of queues in a job_place, of those where nothing is taken at the end: what is queued
  // later has a higher position. Each shared queue is the only one of its kind.
  [[nodiscard]] static std::uint32_t number_of_shared(const job_deque& deque) noexcept {
    return 1 + deque.kind();
  }
  [[nodiscard]] static std::uint32_t number_of_guest(const pool_slot& guest) noexcept {
    return first_slot + guest.number;
  }
  // After adding jobs of the group to one of these: wakes a thread that may take one.
  void added_to(const shared_queue& queue, const job_group* group) noexcept;

  // -- for a worker --

  [[nodiscard]] job_record* take_urgent() noexcept { return urgent_.take(); }
  [[nodiscard]] static job_record* take_own(pool_slot& self) noexcept;
  // From the deque of another slot, the first by `rotation`, or `any` if that has no preference.
  [[nodiscard]] found_work steal(pool_slot& self, submitter_rotation& rotation,
                                 unsigned any) noexcept;
  [[nodiscard]] job_record* take_overflow() noexcept { return overflow_.take(); }
  // Null as well while as many workers have background jobs as may. Call background_ended() after
  // the job.
  [[nodiscard]] job_record* take_background() noexcept;
  void background_ended() noexcept { background_now_.fetch_sub(1, std::memory_order_seq_cst); }
  // Of `workers`, all but one may have background jobs, but at least one.
  void set_workers(unsigned workers) noexcept {
    if (workers > 1) background_max_.store(workers - 1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool work_visible() const noexcept;
  // Of host threads alone: looking at the deques of workers would slow them down.
  [[nodiscard]] bool host_work_visible() const noexcept;

  // -- for a thread that waits, or helps --

  // A job of the group. Unless `most` is `everything`, it looks where the group began, and at no
  // more than `most` jobs of each queue.
  [[nodiscard]] job_record* find_of(pool_slot* self, group_search& wanted,
                                    std::uint64_t most) noexcept;
  // After a wait. While the jobs of its group are queued, the hints of earlier ones may lead to
  // them.
  void tidy_own(pool_slot& self) noexcept;
  // A fork made by a slot while it runs `work`.
  [[nodiscard]] fork_half* find_fork_of(const pool_slot* self, const void* work) noexcept;
  [[nodiscard]] job_record* take_main() noexcept { return of_main_.take(); }
  // Anything but jobs of the main thread.
  [[nodiscard]] found_work take_any() noexcept;

 private:
  [[nodiscard]] bool background_has_room() const noexcept {
    return background_now_.load(std::memory_order_seq_cst) <
           background_max_.load(std::memory_order_relaxed);
  }
  void take_more(pool_slot& self, job_deque& from, std::uint64_t most) noexcept;
  [[nodiscard]] shared_queue& with_kind(std::uint32_t kind) noexcept;
  [[nodiscard]] job_record* take_where_it_began(pool_slot* self, group_search& wanted,
                                                std::uint64_t most) noexcept;
  [[nodiscard]] static job_record* claim_at_end_of_own(pool_slot& self,
                                                       const job_group* group) noexcept;

  static constexpr std::uint32_t first_slot = 2 + job_record::kinds;

  pool_slots& slots_;
  parking& sleepers_;
  shared_queue urgent_;
  shared_queue overflow_;
  shared_queue background_;
  shared_queue of_main_;
  alignas(detail::line_bytes) atomic<std::uint32_t> background_now_{0};
  atomic<std::uint32_t> background_max_{1};
};

}  // namespace overture::jobs_detail
