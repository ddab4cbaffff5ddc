// Running jobs, waiting for them, and forks.
#include <utility>

#include "jobs/pool_state.hpp"
#include "overture/job_batch.hpp"
#include "overture/spin.hpp"
#include "overture/wait_observer.hpp"
#include "sync/ladder.hpp"

namespace overture {
namespace {

constexpr int pauses_between_looks = 16;
// A job that runs inside a submit may submit another one, and so on: a chain of any length. Beyond
// this depth it gets off the stack.
constexpr unsigned jobs_in_submit_max = 32;

void call(job_record& record) {
  const char* const name = record.name();
  if (name == nullptr) return record.work();
  const zone shown(name, {.colour = record.colour()});
  record.work();
}

// A thread inside wait(): helps with its group's jobs, or sleeps until there is one or none left.
class waiting_thread {
 public:
  waiting_thread(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept
      : pool_(pool),
        borrowed_(pool.this_place() == nullptr ? pool.borrow_lane() : nullptr),
        self_(borrowed_ != nullptr ? borrowed_ : pool.this_place()),
        group_(group),
        deadline_ns_(deadline_ns) {
    if (borrowed_ != nullptr) pool.enter_place(*borrowed_);
  }
  ~waiting_thread() {
    if (borrowed_ != nullptr) pool_.return_place(*borrowed_);
  }
  waiting_thread(const waiting_thread&) = delete;
  waiting_thread& operator=(const waiting_thread&) = delete;

  // Runs one job of the group, or what one of them has forked, if there is one.
  [[nodiscard]] bool help() noexcept {
    const found_work found = find(sizes::glance);
    if (found) {
      woken_ = false;
      run(found);
    } else {
      tell_group();
      if (woken_) pool_.wakes_futile_of_others.fetch_add(1, std::memory_order_relaxed);
    }
    return static_cast<bool>(found);
  }

  // Until there may be a job of the group, or none is pending any more, or time is up.
  void sleep() noexcept {
    pool_state::let_go_of_corks();
    parking& sleepers = pool_.sleepers;
    const unsigned seat = self_ != nullptr ? self_->number : sleepers.take_seat();
    if (seat == parking::no_seat) return yield_thread();
    sleepers.announce_waiter(seat, &group_);
    const found_work found = find();
    if (found || group_.pending() == 0) {
      woken_ = sleepers.withdraw_waiter(seat);
    } else {
      const char* const reason = pool_.idle_reason.load(std::memory_order_relaxed);
      woken_ = sleepers.sleep_waiter(seat, deadline_ns_,
                                     reason != nullptr ? reason : wait_reasons::group);
    }
    if (self_ == nullptr) sleepers.leave_seat(seat);
    if (!found) return;
    pass_wake_on();
    run(found);
  }

  // For a thread that leaves before its group has ended.
  void leave() noexcept {
    tell_group();
    pass_wake_on();
  }

 private:
  [[nodiscard]] found_work find(std::uint64_t most = UINT64_MAX) noexcept {
    found_work found{pool_.find_of(self_, &group_, most), nullptr};
    if (!found) found.half = pool_.find_fork_of(self_, &group_);
    return found;
  }

  void run(const found_work& found) noexcept {
    if (found.half != nullptr) return pool_.run_half(self_, *found.half);
    pool_.run_alone(self_, *found.record);
    if (++ended_ == told_at_once) tell_group();
  }
  // As run_next(): once for several.
  void tell_group() noexcept {
    const std::uint32_t count = std::exchange(ended_, 0);
    if (count != 0 && group_.end_job(count)) pool_.sleepers.wake_waiters(&group_);
  }
  // A job it was woken for needs another thread.
  void pass_wake_on() noexcept {
    if (std::exchange(woken_, false)) pool_.sleepers.work_added(&group_);
  }

  static constexpr std::uint32_t told_at_once = 32;

  pool_state& pool_;
  pool_place* const borrowed_;
  pool_place* const self_;
  job_group& group_;
  const std::uint64_t deadline_ns_;
  bool woken_ = false;
  std::uint32_t ended_ = 0;  // jobs of the group that it has not been told of
};

}  // namespace

// -- running --

void pool_state::run(pool_place* self, job_record& record) noexcept {
  job_group* const group = record.group.load(std::memory_order_relaxed);
  run_alone(self, record);
  // Whoever waits may destroy the group as soon as it is counted down: an address from here on.
  if (group != nullptr && group->end_job()) sleepers.wake_waiters(group);
}

void pool_state::run_alone(pool_place* self, job_record& record) noexcept {
  const job_group* const group = record.group.load(std::memory_order_relaxed);
  const bool dropped = (cancels() && !record.runs_always()) ||
                       (record.token != nullptr && record.token->is_cancelled()) ||
                       (group != nullptr && group->is_cancelled());
  if (!dropped) {
    const on_stack frame(reports, record.name(), group);
    if (self != nullptr) {
      // Never nothing: what it forks lies on the place from here on.
      const void* const work = group != nullptr ? static_cast<const void*>(group) : &record;
      const pool_place::window window(*self, work);
      call(record);
    } else {
      call(record);
    }
  }
  record.work = job();  // what it captured ends before its group does
  if (record.end()) free_record(self, record);
  if (dropped) {
    jobs_dropped.fetch_add(1, std::memory_order_relaxed);
  } else if (self != nullptr) {
    self->jobs_run.add(1);
  } else {
    count_run_by_other();
  }
}

// A group cannot end while a job of it runs or is about to, so jobs of one group in a row are
// counted together: the group's line moves between the cores once for all of them.
void pool_state::run_next(pool_place& self, job_record& record) noexcept {
  job_group* const group = record.group.load(std::memory_order_relaxed);
  if (self.ended_group != group) {
    tell_group(self);
    self.ended_group = group;
  }
  run_alone(&self, record);
  ++self.ended_count;
}

void pool_state::tell_group(pool_place& self) noexcept {
  job_group* const group = std::exchange(self.ended_group, nullptr);
  const std::uint32_t count = std::exchange(self.ended_count, 0);
  if (group != nullptr && group->end_job(count)) sleepers.wake_waiters(group);
}

void pool_state::run_now(job&& work, job_group* group, const job_options& options,
                         bool submitted_now) noexcept {
  unsigned& depth = this_thread_jobs().jobs_in_submit;
  if (depth >= jobs_in_submit_max) {
    job_record* const spare = slab.take_spare();
    if (spare != nullptr) return push(this_place(), *spare, std::move(work), group, options);
  }
  const bool dropped = (cancels() && !options.always) ||
                       (options.token != nullptr && options.token->is_cancelled()) ||
                       (group != nullptr && group->is_cancelled());
  // Counted like any other: it may end a count that stood for it, while somebody waits.
  if (group != nullptr) group->begin_job();
  {
    const on_stack frame(reports, options.name, group, submitted_now ? &work : nullptr);
    ++depth;
    if (!dropped) work();
    work = job();
    --depth;
  }
  if (dropped) {
    jobs_dropped.fetch_add(1, std::memory_order_relaxed);
  } else {
    count_run_by_other();
  }
  if (group != nullptr && group->end_job()) sleepers.wake_waiters(group);
}

void pool_state::run_half(pool_place* self, fork_half& half) noexcept {
  // What it forks needs a place to lie; without one it just runs.
  pool_place* const place = self != nullptr ? self : borrow_place();
  {
    const on_stack frame(reports, static_cast<running_job*>(half.below));
    if (place != nullptr) {
      half.thief.store(place, std::memory_order_release);
      const pool_place::window window(*place, &half);
      half.run(half);
    } else {
      half.run(half);
    }
  }
  if (self == nullptr && place != nullptr) return_place(*place);
  // The thread that forked it may go on, and its stack be gone, as soon as this is written.
  const void* const key = &half;
  half.state.store(fork_half::done, std::memory_order_seq_cst);
  sleepers.wake_waiters(key);
}

// -- waiting --

bool pool_state::wait(job_group& group, std::uint64_t deadline_ns) noexcept {
  if (refuse_wait(reports, group)) return false;
  waiting_thread waiter{*this, group, deadline_ns};
  while (group.pending() != 0) {
    // Help first, look at the clock then: calls that allow no time at all still get on.
    const bool helped = waiter.help();
    if (deadline_ns != 0 && now_ns() >= deadline_ns) {
      waiter.leave();
      return group.pending() == 0;
    }
    if (helped) continue;
    if (climb_ladder([&group]() noexcept { return group.pending() == 0; })) break;
    waiter.sleep();
  }
  return true;
}

void pool_state::let_go_of_corks() noexcept {
  cork::flush_this_thread();
}

bool pool_state::help_anybody(pool_place* self) noexcept {
  found_work found{take_one(urgent), nullptr};
  if (!found) found.record = take_one(jobs);
  for (unsigned i = 0; !found && i < places_made; ++i) {
    while (const job_hint hint = places[i].deque.steal()) {
      if (!hint.is_half() && !hint.record()->claim()) continue;
      found = {hint.record(), hint.half()};
      break;
    }
  }
  if (!found) found.record = take_one(background);
  if (!found) return false;
  if (found.half != nullptr) {
    run_half(self, *found.half);
  } else {
    run(self, *found.record);
  }
  return true;
}

fork_half* pool_state::find_fork_of(const pool_place* self, const void* work) noexcept {
  for (unsigned i = 0; i < places_made; ++i) {
    pool_place& other = places[i];
    const auto runs_it = [&other, work]() noexcept {
      return other.runs.load(std::memory_order_acquire) == work;
    };
    if (&other == self || !runs_it()) continue;
    if (fork_half* const found = other.deque.steal_fork(other.forks_start, runs_it)) return found;
  }
  return nullptr;
}

// -- forks --

void thread_pool::fork(fork_half& half) noexcept {
  pool_place* self = state_ != nullptr ? state_->this_place() : nullptr;
  if (self == nullptr && state_ != nullptr) {
    self = state_->borrow_place();
    half.place_borrowed = self != nullptr;
  }
  if (self == nullptr) return;
  if (!self->deque.make_room()) {
    if (half.place_borrowed) state_->return_place(*self);
    return;
  }
  half.place = self;
  half.below = this_thread_jobs().innermost;
  if (half.place_borrowed) self->forks_open = 1;
  self->deque.push_fork(half);
  state_->sleepers.fork_added(self->runs.load(std::memory_order_relaxed));
}

void thread_pool::join(fork_half& half) noexcept {
  if (half.place == nullptr) return half.run(half);
  auto& self = *static_cast<pool_place*>(half.place);
  if (state_->take_back(self, half)) {
    half.run(half);
  } else if (half.state.load(std::memory_order_acquire) != fork_half::done) {
    state_->join_stolen(self, half);
  }
  if (!half.place_borrowed) return;
  self.forks_open = 0;
  state_->return_place(self);
}

bool pool_state::take_back(pool_place& self, fork_half& half) noexcept {
  // Where it lay no job from outside lies above it.
  while (self.deque.has_own()) {
    const job_hint newest = self.deque.pop();
    if (!newest) return false;
    if (newest.half() == &half) return true;
    // A job that the first half has submitted and not waited for: anybody's but this wait's.
    job_record* const foreign = newest.record();
    if (foreign == nullptr || !foreign->claim()) continue;
    job_group* const group = foreign->group.load(std::memory_order_relaxed);
    foreign->arm_again(group, jobs.linked_here());
    publish(jobs, {foreign, foreign, 1}, group);
  }
  return false;
}

void pool_state::join_stolen(pool_place& self, fork_half& half) noexcept {
  const auto is_done = [&half]() noexcept {
    return half.state.load(std::memory_order_seq_cst) == fork_half::done;
  };
  const auto find = [&half]() noexcept -> fork_half* {
    auto* const thief = static_cast<pool_place*>(half.thief.load(std::memory_order_acquire));
    if (thief == nullptr) return nullptr;
    return thief->deque.steal_fork(thief->forks_start, [thief, &half]() noexcept {
      return thief->runs.load(std::memory_order_acquire) == &half;
    });
  };
  while (!is_done()) {
    const std::uint64_t start_ns = now_ns();
    fork_half* found = find();
    while (found == nullptr && !is_done() && now_ns() - start_ns < config.tuning.spin_ns) {
      for (int i = 0; i < pauses_between_looks; ++i) spin_hint();
      found = find();
    }
    if (found == nullptr && !climb_ladder(is_done)) {
      let_go_of_corks();
      sleepers.announce_waiter(self.number, &half);
      found = find();
      if (found != nullptr || is_done()) {
        (void)sleepers.withdraw_waiter(self.number);
      } else {
        (void)sleepers.sleep_waiter(self.number, 0, wait_reasons::group);
      }
    }
    if (found == nullptr) continue;
    self.jobs_stolen.add(1);
    run_half(&self, *found);
  }
}

pool_place* pool_state::borrow_place() noexcept {
  for (unsigned i = workers_made; i < places_made; ++i) {
    pool_place& guest = places[i];
    if (guest.borrowed.load(std::memory_order_relaxed) ||
        guest.borrowed.exchange(true, std::memory_order_acquire)) {
      continue;
    }
    enter_place(guest);
    return &guest;
  }
  return nullptr;
}

void pool_state::enter_place(pool_place& guest) noexcept {
  guest.lender = std::exchange(this_thread_jobs().place, &guest);
}

void pool_state::return_place(pool_place& place) noexcept {
  // It may be long until this thread submits again.
  if (slab.is_at_limit()) place.spare_records.give_all_back(slab);
  this_thread_jobs().place = std::exchange(place.lender, nullptr);
  place.borrowed.store(false, std::memory_order_release);
}

}  // namespace overture
