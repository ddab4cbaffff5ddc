#include "overture/thread_pool.hpp"

#include "base/vec.hpp"
#include "jobs/pool_state.hpp"
#include "overture/wait_observer.hpp"
#include "sync/ladder.hpp"

namespace overture {
namespace {

thread_pool_config within_limits(thread_pool_config config) noexcept {
  if (config.workers > limits::pool_workers_max) config.workers = limits::pool_workers_max;
  return config;
}

void run_here(job& work) noexcept {
  work();
  work = job();  // what it captured ends before its group does
}

// A thread inside wait(): helps with its group's jobs, or sleeps until there is one or none left.
class waiting_thread {
 public:
  waiting_thread(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept
      : pool_(pool), self_(pool.this_worker()), group_(group), deadline_ns_(deadline_ns) {}
  ~waiting_thread() {
    if (jobs_run_ == 0) return;
    pool_.jobs_run_by_others.fetch_add(jobs_run_, std::memory_order_relaxed);
  }
  waiting_thread(const waiting_thread&) = delete;
  waiting_thread& operator=(const waiting_thread&) = delete;

  // Runs one job of the group, if one lies anywhere.
  [[nodiscard]] bool help() noexcept {
    job_record* const found = pool_.find_of(self_, &group_);
    if (found != nullptr) {
      run(*found);
    } else if (woken_) {
      pool_.wakes_futile_of_others.fetch_add(1, std::memory_order_relaxed);
    }
    woken_ = false;
    return found != nullptr;
  }

  // Until there may be a job of the group, or none is pending any more, or time is up.
  void sleep() noexcept {
    parking& sleepers = pool_.sleepers;
    const unsigned seat = self_ != nullptr ? self_->number : sleepers.take_seat();
    if (seat == parking::no_seat) return yield_thread();
    sleepers.announce_waiter(seat, &group_);
    job_record* const found = pool_.find_of(self_, &group_);
    if (found != nullptr || group_.pending() == 0) {
      woken_ = sleepers.withdraw_waiter(seat);
    } else {
      const char* const reason = pool_.idle_reason.load(std::memory_order_relaxed);
      woken_ = sleepers.sleep_waiter(seat, deadline_ns_,
                                     reason != nullptr ? reason : wait_reasons::group);
    }
    if (self_ == nullptr) sleepers.leave_seat(seat);
    if (found == nullptr) return;
    pass_wake_on();
    run(*found);
  }

  // For a thread that leaves before its group has ended: a job it was woken for needs another one.
  void pass_wake_on() noexcept {
    if (std::exchange(woken_, false)) pool_.sleepers.work_added(&group_);
  }

 private:
  void run(job_record& record) noexcept {
    pool_.run(self_, record);
    if (self_ == nullptr) ++jobs_run_;
  }

  pool_state& pool_;
  pool_worker* const self_;
  job_group& group_;
  const std::uint64_t deadline_ns_;
  std::uint64_t jobs_run_ = 0;
  bool woken_ = false;
};

}  // namespace

thread_pool::thread_pool(const thread_pool_config& config) noexcept {
  allocator& memory = config.memory != nullptr ? *config.memory : default_allocator();
  state_ = make_object<pool_state>(memory, memory_tag::jobs, within_limits(config), memory);
  if (state_ == nullptr) return;
  state_->start_workers();
  if (config.workers > limits::pool_workers_max && state_->status) {
    state_->status = fail(errc::limit, "more workers than limits::pool_workers_max");
  }
}

thread_pool::~thread_pool() {
  if (state_ == nullptr) return;
  state_->stop_workers();
  state_->drain();
  destroy_object(state_->memory, memory_tag::jobs, state_);
}

result<void> thread_pool::status() const noexcept {
  if (state_ == nullptr) return fail(errc::out_of_memory, "no memory for a thread pool");
  return state_->status;
}

unsigned thread_pool::workers() const noexcept {
  return state_ != nullptr ? state_->workers_started : 0;
}

thread_pool_stats thread_pool::stats() const noexcept {
  thread_pool_stats sum;
  if (state_ == nullptr) return sum;
  for (unsigned i = 0; i < state_->workers_made; ++i) {
    const pool_worker& worker = state_->workers[i];
    sum.jobs_run += worker.jobs_run.read();
    sum.jobs_stolen += worker.jobs_stolen.read();
    sum.parks += worker.parks.read();
    sum.wakes_futile += worker.wakes_futile.read();
  }
  sum.jobs_run += state_->jobs_run_by_others.load(std::memory_order_relaxed);
  sum.wakes_futile += state_->wakes_futile_of_others.load(std::memory_order_relaxed);
  sum.wakes = state_->sleepers.wakes();
  sum.parked_now = state_->sleepers.parked_workers();
  return sum;
}

void thread_pool::set_idle_reason(const char* reason) noexcept {
  if (state_ != nullptr) state_->idle_reason.store(reason, std::memory_order_relaxed);
}

void thread_pool::submit(job work, job_group* group) {
  if (group != nullptr) group->begin_job();
  pool_worker* const self = state_ != nullptr ? state_->this_worker() : nullptr;
  job_record* const record = state_ != nullptr ? state_->take_record(self) : nullptr;
  if (record != nullptr) {
    state_->push(self, *record, std::move(work), group);
    return;
  }
  run_here(work);
  if (group != nullptr && group->end_job() && state_ != nullptr) {
    state_->sleepers.wake_waiters(group);
  }
}

void thread_pool::wait(job_group& group) {
  (void)wait_until(group, 0);
}

bool thread_pool::wait_until(job_group& group, std::uint64_t deadline_ns) {
  if (group.pending() == 0) return true;
  if (state_ != nullptr) return state_->wait(group, deadline_ns);
  // Without memory jobs run where they are submitted: on another thread, if one is pending now.
  while (group.pending() != 0) {
    if (deadline_ns != 0 && now_ns() >= deadline_ns) return false;
    yield_thread();
  }
  return true;
}

void pool_state::run(pool_worker* self, job_record& record) noexcept {
  job_group* const group = record.group.load(std::memory_order_relaxed);
  run_here(record.work);
  if (record.end()) free_record(self, record);
  if (self != nullptr) self->jobs_run.add(1);
  // Whoever waits may destroy the group as soon as it is counted down: an address from here on.
  if (group != nullptr && group->end_job()) sleepers.wake_waiters(group);
}

bool pool_state::wait(job_group& group, std::uint64_t deadline_ns) noexcept {
  waiting_thread waiter{*this, group, deadline_ns};
  while (group.pending() != 0) {
    // Help first, look at the clock then: calls that allow no time at all still get on.
    const bool helped = waiter.help();
    if (deadline_ns != 0 && now_ns() >= deadline_ns) {
      waiter.pass_wake_on();
      return group.pending() == 0;
    }
    if (helped) continue;
    if (climb_ladder([&group]() noexcept { return group.pending() == 0; })) break;
    waiter.sleep();
  }
  return true;
}

}  // namespace overture
