// The inside of thread_pool: its queues, its workers, and the way of a job through them.
//
//   submit:  slab -> the worker's own deque            (from a worker)
//            slab -> arrivals                          (from any other thread)
//   search:  own deque -> queue -> arrivals, turned into the queue -> other workers' deques
//   run:     claim, call, destroy, give the record back, count the group down
//
// arrivals has the newest job on top, because pushing there is one exchange for any thread; queue
// has the oldest on top, so jobs from outside run in the order they came. A worker takes a few at
// once into its own deque, where the others may steal them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "jobs/job_deque.hpp"
#include "jobs/job_slab.hpp"
#include "jobs/parking.hpp"
#include "overture/thread_pool.hpp"
#include "overture/timeline.hpp"

namespace overture {

// A counter that one thread writes and others read.
class own_counter {
 public:
  void add(std::uint64_t amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  atomic<std::uint64_t> value_{0};
};

struct alignas(64) pool_worker {
  pool_state* pool = nullptr;
  unsigned number = 0;
  thread_handle thread;
  char name[24] = {};

  // Only this worker touches what follows.
  record_chain free_records;       // a stack of its own, so that submit and run share no line
  std::uint64_t arrivals_end = 0;  // below this position the deque holds jobs from outside
  std::uint32_t random = 0;        // picks the first victim

  own_counter jobs_run;
  own_counter jobs_stolen;
  own_counter parks;
  own_counter wakes_futile;

  job_deque deque;
};

// A few groups, remembered to wake their waiters.
class few_groups {
 public:
  void add(const job_group* group) noexcept {
    if (group == nullptr) return;
    for (std::size_t i = 0; i < count_ && i < most; ++i) {
      if (groups_[i] == group) return;
    }
    if (count_ < most) groups_[count_] = group;
    ++count_;
  }
  void wake_waiters(parking& sleepers) const noexcept;

 private:
  static constexpr std::size_t most = 8;
  std::array<const job_group*, most> groups_{};
  std::size_t count_ = 0;
};

struct pool_state {
  pool_state(const thread_pool_config& wanted, allocator& from) noexcept;
  ~pool_state();
  pool_state(const pool_state&) = delete;
  pool_state& operator=(const pool_state&) = delete;

  // -- pool_state.cpp: starting, stopping, and the life of a worker --
  void start_workers() noexcept;
  void stop_workers() noexcept;
  // Runs everything that is queued. Only where no worker runs.
  void drain() noexcept;
  static void worker_main(void* argument) noexcept;
  void work(pool_worker& self) noexcept;
  // The next job for a worker that has none left, claimed. Null when the pool stops.
  job_record* search(pool_worker& self) noexcept;
  void park(pool_worker& self) noexcept;

  // -- pool_queues.cpp: where jobs lie --
  job_record* take_record(pool_worker* self) noexcept;
  void free_record(pool_worker* self, job_record& record) noexcept;
  void push(pool_worker* self, job_record& record, job&& work, job_group* group) noexcept;
  // Each returns a claimed record or null.
  job_record* take_own(pool_worker& self) noexcept;
  job_record* take_arrived(pool_worker& self) noexcept;
  job_record* steal(pool_worker& self) noexcept;
  job_record* take_any() noexcept;
  job_record* find_of(pool_worker* self, const job_group* group) noexcept;
  [[nodiscard]] bool work_visible() const noexcept;

  // -- thread_pool.cpp --
  void run(pool_worker* self, job_record& record) noexcept;
  bool wait(job_group& group, std::uint64_t deadline_ns) noexcept;

  [[nodiscard]] pool_worker* this_worker() noexcept;

  allocator& memory;
  const thread_pool_config config;
  thread_factory& threads;
  result<void> status;

  pool_worker* workers = nullptr;
  unsigned workers_made = 0;     // have a deque
  unsigned workers_started = 0;  // have a thread as well
  atomic<const char*> idle_reason{nullptr};
  atomic<bool> stopping{false};
  atomic<std::uint64_t> jobs_run_by_others{0};
  atomic<std::uint64_t> wakes_futile_of_others{0};

  job_slab slab;
  record_stack arrivals;
  record_stack queue;
  parking sleepers;

 private:
  job_record* claim_in_deque(pool_worker& self, const job_group* group) noexcept;
  job_record* claim_in_stack(record_stack& stack, const job_group* group) noexcept;
  bool turn_arrivals() noexcept;
  void prune(record_stack& stack) noexcept;
  void unlink(job_record& record) noexcept;
};

}  // namespace overture
