// The inside of thread_pool: its queues, its places, and the way of a job through them.
//
//   submit:  slab -> the place's own deque            (from a worker)
//            slab -> a guest's deque, the lane        (from any other thread)
//            slab -> jobs                             (if the lane is taken)
//            slab -> urgent, background               (of high and low priority)
//   search:  urgent -> own deque -> jobs -> other places' deques -> background
//   run:     claim, call, destroy, give the record back, count the group down
//   fork:    the caller's stack -> the place's own deque -> back, or to a thief
//
// A worker takes a few at once from `jobs` or a lane into its own deque, where the others may steal
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/thread_slot.hpp"
#include "base/vec.hpp"
#include "jobs/idle/idle.hpp"
#include "jobs/injector.hpp"
#include "jobs/parking.hpp"
#include "jobs/pool_place.hpp"
#include "jobs/running_job.hpp"
#include "jobs/this_thread.hpp"
#include "overture/thread_pool.hpp"
#include "overture/timeline.hpp"

namespace overture {

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

// What a worker has come to.
struct found_work {
  job_record* record = nullptr;
  fork_half* half = nullptr;

  [[nodiscard]] explicit operator bool() const noexcept {
    return record != nullptr || half != nullptr;
  }
};

struct pool_state {
  // `seats` are for all places and helpers.
  pool_state(const thread_pool_config& wanted, allocator& from, parking::seat_type* seats) noexcept;
  ~pool_state();
  pool_state(const pool_state&) = delete;
  pool_state& operator=(const pool_state&) = delete;

  // -- pool_state.cpp: starting, stopping, and the life of a worker --
  void start_workers() noexcept;
  void stop_workers() noexcept;
  // Runs or drops everything that is queued. Only where no worker runs.
  void drain() noexcept;
  static void worker_main(void* argument) noexcept;
  void work(pool_place& self) noexcept;
  // The next work for a worker that has none left. None when the pool stops.
  found_work search(pool_place& self) noexcept;
  // One look at everything that this worker may take.
  [[nodiscard]] found_work look(pool_place& self) noexcept;
  // Between two looks. True if there may be work.
  [[nodiscard]] bool pause() const noexcept;
  void sleep(pool_place& self, std::uint64_t deadline_ns) noexcept;
  void wake_for_policy() noexcept;

  // Jobs that have not begun are dropped: the pool ends, and was told so.
  [[nodiscard]] bool cancels() const noexcept {
    return config.queued == at_end::cancel && stopping.load(std::memory_order_relaxed);
  }

  // -- blocking_scope.cpp: spare workers --
  void worker_blocks() noexcept;
  void worker_goes_on() noexcept;
  // False for spare workers that stand in for nobody.
  [[nodiscard]] bool is_needed(const pool_place& self) const noexcept;
  void work_in_turns(pool_place& self) noexcept;

  // -- pool_queues.cpp: where jobs lie --
  job_record* take_record(pool_place* self) noexcept;
  void free_record(pool_place* self, job_record& record) noexcept;
  void push(pool_place* self, job_record& record, job&& work, job_group* group,
            const job_options& options) noexcept;
  // From a thread without a place, no more than push_at_once; false if no lane was to be had. Runs
  // those that there is no record for.
  bool push_from_outside(std::span<job> work, job_group* group,
                         const job_options& options) noexcept;
  // The guest's place that this thread's submits go through, or null.
  pool_place* lane_of_thread() noexcept {
    const unsigned guests = places_made - workers_made;
    if (guests == 0) return nullptr;
    const unsigned slot = thread_slot();
    return &places[workers_made + (slot < guests ? slot : slot % guests)];  // most need no division
  }
  // Borrowed, or null if it was taken, or there was none.
  static pool_place* borrow(pool_place* lane) noexcept {
    const bool taken = lane == nullptr || lane->borrowed.load(std::memory_order_relaxed) ||
                       lane->borrowed.exchange(true, std::memory_order_acquire);
    return taken ? nullptr : lane;
  }
  pool_place* borrow_lane() noexcept { return borrow(lane_of_thread()); }
  void push_all(std::span<job> work, job_group* group, const job_options& options) noexcept;
  // Records that were armed as linked, newest first.
  void publish(injector& into, const record_chain& newest_first, const job_group* group) noexcept;
  // Each returns claimed work or none.
  job_record* take_own(pool_place& self) noexcept;
  job_record* take_arrived(pool_place& self) noexcept;
  job_record* take_one(injector& from) noexcept;
  job_record* take_background() noexcept;
  found_work steal(pool_place& self) noexcept;
  job_record* take_any() noexcept;
  // Looks at no more than `most` jobs of each other place.
  job_record* find_of(pool_place* self, const job_group* group,
                      std::uint64_t most = UINT64_MAX) noexcept;
  [[nodiscard]] bool background_has_room() const noexcept {
    return background_now.load(std::memory_order_seq_cst) <
           background_max.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool work_visible() const noexcept;
  // Of threads that are no workers, and that any worker may take.
  [[nodiscard]] bool host_work_visible() const noexcept;
  [[nodiscard]] injector& queue_of(job_priority priority) noexcept;

  // -- pool_wait.cpp: running, waiting, forking --
  void run(pool_place* self, job_record& record) noexcept;
  // As run(), for a worker that has nothing below it: tells the group later, with the next ones.
  void run_next(pool_place& self, job_record& record) noexcept;
  void tell_group(pool_place& self) noexcept;
  void run_alone(pool_place* self, job_record& record) noexcept;  // tells no group
  // A job that there is no record for, inside the call that submits it or later; or queues it, on a
  // spare record, where too many of them lie above each other.
  void run_now(job&& work, job_group* group, const job_options& options,
               bool submitted_now = true) noexcept;
  void run_half(pool_place* self, fork_half& half) noexcept;
  // A half that one of the places has forked while it runs `work`.
  fork_half* find_fork_of(const pool_place* self, const void* work) noexcept;
  bool wait(job_group& group, std::uint64_t deadline_ns) noexcept;
  // Before this thread announces that it sleeps: what its corks hold may be waited for, and may
  // run and wait right here.
  static void let_go_of_corks() noexcept;
  // Runs one queued job of any group.
  bool help_anybody(pool_place* self) noexcept;
  void join_stolen(pool_place& self, fork_half& half) noexcept;
  // True if the half is the newest and was taken back.
  bool take_back(pool_place& self, fork_half& half) noexcept;
  pool_place* borrow_place() noexcept;
  void enter_place(pool_place& guest) noexcept;  // borrowed already
  void return_place(pool_place& place) noexcept;

  void count_run_by_other() noexcept {
    const std::uint32_t slot = thread_slot();
    auto& line = jobs_run_by_others[slot % jobs_run_by_others.size()];
    // One thread has that slot, and it is the first on the line.
    if (slot < jobs_run_by_others.size()) return line.of_first.add(1);
    line.of_others.fetch_add(1, std::memory_order_relaxed);
  }
  // The calling thread's place here, or null.
  [[nodiscard]] pool_place* this_place() noexcept {
    pool_place* const place = this_thread_jobs().place;
    return place != nullptr && place->pool == this ? place : nullptr;
  }

  allocator& memory;
  const thread_pool_config config;
  job_reports reports;
  thread_factory& threads;
  result<void> status;

  pool_place* places = nullptr;  // the workers, the spare ones behind the others, then the guests
  unsigned places_wanted = 0;
  unsigned places_made = 0;      // have a deque
  unsigned workers_made = 0;     // of those
  unsigned spares_made = 0;      // among the workers
  unsigned workers_started = 0;  // have a thread as well
  // Workers that jobs of low priority may take: one less than have a thread, but at least one.
  atomic<std::uint32_t> background_max{1};
  atomic<const char*> idle_reason{nullptr};
  atomic<bool> stopping{false};
  jobs_detail::idle_shared idle;
  alignas(64) atomic<std::uint32_t> background_now{0};
  atomic<std::uint32_t> blocked_now{0};  // workers inside a blocking_scope
  // Jobs that threads without a place have run: many lines, or they would wait for each other.
  struct alignas(64) counter_line {
    own_counter of_first;
    atomic<std::uint64_t> of_others{0};
  };
  std::array<counter_line, 16> jobs_run_by_others;
  static_assert(std::tuple_size_v<decltype(jobs_run_by_others)> <= shared_thread_slot);
  alignas(64) atomic<std::uint64_t> wakes_futile_of_others{0};
  atomic<std::uint64_t> jobs_dropped{0};
  jobs_of_thread* main_thread = nullptr;

  job_slab slab;
  injector urgent{job_record::urgent};
  injector jobs{job_record::usual};
  injector background{job_record::background};
  injector main_jobs{job_record::of_main};
  parking sleepers;

 private:
  job_record* claim_in_deque(pool_place& self, const job_group* group) noexcept;
  job_record* claim_in_stack(record_stack& stack, std::uint32_t kind,
                             const job_group* group) noexcept;
  job_record* find_in(injector& where, const job_group* group) noexcept;
  bool turn_arrivals(injector& where) noexcept;
  void prune(record_stack& stack) noexcept;
  void compact(pool_place& self) noexcept;
  void take_more(pool_place& self, job_deque& from) noexcept;
  // Claims the oldest if it is one of the group, and takes those behind it along, into the empty
  // queue of `self`.
  job_record* take_of(pool_place& self, job_deque& from, const job_group* group) noexcept;
  void unlink(job_record& record) noexcept;
};

}  // namespace overture
