// SPDX-License-Identifier: Zlib
#include "overture/jobs/single_threaded.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/vec.hpp"
#include "jobs/pool/running_job.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/event_count.hpp"
#include "overture/trace/timeline.hpp"
#include "sync/mutex.hpp"
#include "sync/object_use.hpp"

namespace overture {
using namespace base_detail;

namespace {

using namespace jobs_detail;

struct queued_job {
  job work;
  job_group* group = nullptr;
  job_options options = {};
};

// Jobs of one priority in the order they came.
class job_list {
 public:
  explicit job_list(allocator& memory) noexcept : entries_(memory, memory_tag::jobs) {}

  // False if there is no room; then the work stays with the caller.
  [[nodiscard]] bool add(job& work, job_group* group, const job_options& options) noexcept {
    if (entries_.size() == entries_.capacity() && !entries_.reserve(entries_.size() * 2 + 8)) {
      return false;
    }
    (void)entries_.push_back({std::move(work), group, options});
    return true;
  }
  // The first job of the group (null: of any) from a random place on; the oldest if `random` is 0.
  [[nodiscard]] bool take(queued_job& to, const job_group* group, std::uint64_t random) noexcept {
    const std::size_t count = entries_.size() - begin_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = begin_ + (random + i) % count;
      if (group != nullptr && entries_[at].group != group) continue;
      to = std::move(entries_[at]);
      if (random != 0) {
        std::swap(entries_[at], entries_[begin_]);  // the order is random anyway
      } else {
        std::move_backward(&entries_[begin_], &entries_[at], &entries_[at] + 1);
      }
      if (++begin_ == entries_.size()) {
        entries_.clear();
        begin_ = 0;
      }
      return true;
    }
    return false;
  }

 private:
  vec<queued_job> entries_;
  std::size_t begin_ = 0;  // those before it have been taken
};

}  // namespace

struct single_threaded::state {
  state(const single_threaded_config& wanted, allocator& from) noexcept
      : config(wanted),
        memory(from),
        reports(wanted.hooks),
        own_thread(&this_thread_jobs()),
        random(wanted.seed),
        jobs{job_list(from), job_list(from), job_list(from)} {}

  [[nodiscard]] bool is_own_thread() const noexcept { return own_thread == &this_thread_jobs(); }

  // Its own thread. Always 0 for seed 0 (splitmix64).
  [[nodiscard]] std::uint64_t next_random() noexcept {
    if (config.seed == 0) return 0;
    std::uint64_t mixed = random += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
  }
  [[nodiscard]] bool take(queued_job& next, const job_group* group) noexcept {
    const sync_detail::scoped_lock hold(lock);
    const std::uint64_t number = next_random();
    for (job_list& each : jobs) {
      if (each.take(next, group, number)) return true;
    }
    return false;
  }
  void run(queued_job& next, bool may_run = true, bool submitted_now = false) {
    {
      // Its captures are destroyed inside, too: they must not wait for its own group.
      const on_stack frame(reports, next.options.name, next.group,
                           submitted_now ? &next.work : nullptr);
      call(next, may_run);
      next.work = job();  // what it captured ends before its group does
    }
    if (next.group != nullptr && next.group->end_job()) changed.notify_all();
  }
  void call(queued_job& next, bool may_run) {
    const bool dropped =
        (!may_run && !next.options.always) || is_cancelled(next.options.token, next.group);
    if (dropped) return;
    started.fetch_add(1, std::memory_order_relaxed);
    if (next.options.name != nullptr) {
      const zone shown(next.options.name, {.colour = next.options.colour});
      next.work();
    } else {
      next.work();
    }
  }
  [[nodiscard]] bool run_one(const job_group* group) {
    queued_job next;
    if (!is_own_thread() || !take(next, group)) return false;
    run(next);
    return true;
  }

  const single_threaded_config config;
  allocator& memory;
  job_reports reports;
  const jobs_of_thread* const own_thread;
  std::uint64_t random;
  atomic<std::uint64_t> started{0};
  atomic<const char*> idle_reason{nullptr};
  event_count changed;  // a job has come, or a group has ended
  sync_detail::mutex lock;
  job_list jobs[3];  // by priority, the highest first
};

single_threaded::single_threaded(const single_threaded_config& config) noexcept {
  allocator& memory = config.memory != nullptr ? *config.memory : default_allocator();
  state_ = make_object<state>(memory, memory_tag::jobs, config, memory);
}

single_threaded::~single_threaded() {
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  if (state_ == nullptr) return;
  queued_job next;
  while (state_->take(next, nullptr)) state_->run(next, state_->config.queued == at_end::run);
  destroy_object(state_->memory, memory_tag::jobs, state_);
}

void single_threaded::submit(job work, job_group* group, const job_options& options) noexcept {
  if (state_ == nullptr) return run_without_memory(std::move(work), group, options);
  if (group != nullptr) group->begin_job();
  bool queued = false;
  {
    const sync_detail::scoped_lock hold(state_->lock);
    job_list& fitting = state_->jobs[static_cast<std::size_t>(options.priority)];
    queued = fitting.add(work, group, options);
  }
  if (queued) return state_->changed.notify_all();
  queued_job now{std::move(work), group, options};
  state_->run(now, true, true);
  state_->changed.notify_all();
}

void single_threaded::wait(job_group& group) noexcept {
  (void)wait_until(group, 0);
}

bool single_threaded::wait_until(job_group& group, std::uint64_t deadline_ns) noexcept {
  if (group.pending() == 0) return true;
  if (state_ == nullptr) return wait_without_memory(group, deadline_ns);
  if (refuse_wait(state_->reports, group)) return false;
  while (group.pending() != 0) {
    const bool helped = state_->run_one(&group);
    if (group.pending() == 0) break;
    const std::uint64_t now = deadline_ns != 0 ? now_ns() : 0;
    if (deadline_ns != 0 && now >= deadline_ns) return false;
    if (helped) continue;
    const auto key = state_->changed.prepare_wait();
    queued_job next;
    const bool found = state_->is_own_thread() && state_->take(next, &group);
    if (found || group.pending() == 0) {
      state_->changed.cancel_wait();
      if (found) state_->run(next);
      continue;
    }
    const char* const reason = state_->idle_reason.load(std::memory_order_relaxed);
    const wait_options shown{.reason = reason != nullptr ? reason : wait_reasons::group};
    if (deadline_ns == 0) {
      state_->changed.wait(key, shown);
    } else {
      (void)state_->changed.wait_for(key, std::chrono::nanoseconds(deadline_ns - now), shown);
    }
  }
  return true;
}

bool single_threaded::try_help() noexcept {
  return state_ != nullptr && state_->run_one(nullptr);
}

bool single_threaded::help_until(function_ref<bool() noexcept> done,
                                 std::uint64_t deadline_ns) noexcept {
  if (state_ == nullptr || !state_->is_own_thread()) return false;
  while (!done()) {
    // Help first, then look at the clock: calls that allow no time still make progress.
    const bool helped = try_help();
    const std::uint64_t now = deadline_ns != 0 ? now_ns() : 0;
    if (deadline_ns != 0 && now >= deadline_ns) return done();
    if (helped) continue;
    const auto key = state_->changed.prepare_wait();
    const bool ended = done();
    if (ended || try_help()) {
      state_->changed.cancel_wait();
      continue;
    }
    const wait_options shown{.reason = wait_reasons::future};
    if (deadline_ns == 0) {
      state_->changed.wait(key, shown);
    } else {
      (void)state_->changed.wait_for(key, std::chrono::nanoseconds(deadline_ns - now), shown);
    }
  }
  return true;
}

void single_threaded::fork(fork_half& half) noexcept {
  half.slot = nullptr;
  if (state_ == nullptr || !state_->is_own_thread() || (state_->next_random() & 1) == 0) return;
  half.slot = &half;  // it has run
  half.run(half);
}

void single_threaded::join(fork_half& half) noexcept {
  if (half.slot == nullptr) half.run(half);
}

void single_threaded::body_threw(const char* what) noexcept {
  if (state_ != nullptr) report_throw(state_->reports, nullptr, what);
}

void single_threaded::set_idle_reason(const char* reason) noexcept {
  if (state_ != nullptr) state_->idle_reason.store(reason, std::memory_order_relaxed);
}

std::size_t single_threaded::pump(std::uint64_t budget_ns) noexcept {
  const std::uint64_t start_ns = now_ns();
  std::size_t count = 0;
  while (try_help()) {
    ++count;
    if (now_ns() - start_ns >= budget_ns) break;
  }
  return count;
}

void single_threaded::run_all() noexcept {
  while (try_help()) {
  }
}

std::uint64_t single_threaded::jobs_run() const noexcept {
  return state_ != nullptr ? state_->started.load(std::memory_order_relaxed) : 0;
}

}  // namespace overture
