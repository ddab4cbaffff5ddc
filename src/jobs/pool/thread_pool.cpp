// SPDX-License-Identifier: Zlib
#include "overture/jobs/thread_pool.hpp"

#include <algorithm>

#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "jobs/pool/forks.hpp"
#include "jobs/pool/pool_state.hpp"
#include "jobs/pool/waiter.hpp"
#include "overture/base/contracts.hpp"
#include "overture/jobs/job_batch.hpp"
#include "sync/object_use.hpp"

namespace overture {
using namespace base_detail;

namespace {

using namespace jobs_detail;

thread_pool_config within_limits(thread_pool_config config) noexcept {
  unsigned left = limits::pool_workers_max;
  for (unsigned* const each : {&config.workers, &config.spare_workers, &config.guests}) {
    *each = std::min(*each, left);
    left -= *each;
  }
  return config;
}

}  // namespace

thread_pool::thread_pool(const thread_pool_config& config) noexcept {
  allocator& memory = config.memory != nullptr ? *config.memory : default_allocator();
  state_ = make_object<pool_state>(memory, memory_tag::jobs, within_limits(config), memory);
  if (state_ == nullptr) return;
  if (!state_->sleepers.has_seats()) {
    destroy_object(memory, memory_tag::jobs, std::exchange(state_, nullptr));
    return;
  }
  state_->start_workers();
  if (config.workers > limits::pool_workers_max && state_->status) {
    state_->status = fail(errc::limit, limit_text::workers);
  }
}

thread_pool::~thread_pool() {
  if constexpr (detail::contracts) sync_detail::expects_unused(this);
  if (state_ == nullptr) return;
  state_->stop();
  destroy_object(state_->memory, memory_tag::jobs, state_);
}

result<void> thread_pool::status() const noexcept {
  if (!is_of_this_version()) return fail(errc::unsupported, other_version);
  if (state_ == nullptr) return fail(errc::out_of_memory, "out of memory for the thread pool");
  return state_->status;
}

unsigned thread_pool::workers() const noexcept {
  return state_ != nullptr ? std::min(state_->workers_started, state_->slots.workers()) : 0;
}

wake_profile thread_pool::profile() const noexcept {
  if (state_ == nullptr) return {};
  wake_profile read = state_->sleepers.profile();
  const thread_pool_stats seen = stats();
  read.futile = seen.wakes_futile;
  read.spun_ns = seen.spun_ns;
  return read;
}

thread_pool_stats thread_pool::stats() const noexcept {
  thread_pool_stats sum;
  if (state_ == nullptr) return sum;
  for (const pool_slot& each : state_->slots) {
    sum.jobs_run += each.jobs_run.read();
    sum.jobs_stolen += each.jobs_stolen.read();
    sum.parks += each.parks.read();
    sum.wakes_futile += each.wakes_futile.read();
    sum.spun_ns += each.spun_ns.read();
  }
  state_->runner.add_counts(sum);
  sum.wakes_futile += state_->futile_wakes_of_waiters.load(std::memory_order_relaxed);
  sum.wakes = state_->sleepers.profile().wakes();
  sum.parked_now = state_->sleepers.parked_workers();
  return sum;
}

void thread_pool::set_idle_reason(const char* reason) noexcept {
  if (state_ != nullptr) state_->idle_reasons.set(reason);
}

void thread_pool::expect_work(std::uint64_t at_ns) noexcept {
  if (state_ != nullptr) state_->idle.expected_ns.store(at_ns, std::memory_order_relaxed);
}

void thread_pool::set_wake_policy(wake_policy policy) noexcept {
  if (state_ == nullptr) return;
  state_->idle.policy.set_base(policy);
  if (policy != wake_policy::park) state_->sleepers.wake_worker(parking::no_seat, true);
}

wake_policy thread_pool::current_wake_policy() const noexcept {
  return state_ != nullptr ? state_->idle.policy.now() : wake_policy::park;
}

wake_zone::wake_zone(thread_pool& pool, wake_policy policy) noexcept
    : pool_(pool), policy_(policy), before_(pool.profile()) {
  if (pool_.state_ == nullptr) return;
  pool_.state_->idle.policy.enter(policy_);
  if (policy_ == wake_policy::park) return;
  pool_.state_->sleepers.wake_worker(parking::no_seat, true);
}

wake_zone::~wake_zone() {
  if (pool_.state_ != nullptr) pool_.state_->idle.policy.leave(policy_);
}

wake_profile wake_zone::profile() const noexcept {
  return pool_.profile() - before_;
}

void thread_pool::body_threw(const char* what) noexcept {
  if (state_ != nullptr) report_throw(state_->runner.reports, nullptr, what);
}

// -- submitting --

void thread_pool::submit(job work, job_group* group, const job_options& options) noexcept {
  if (state_ == nullptr) return run_without_memory(std::move(work), group, options);
  auto* const gathered = static_cast<cork*>(this_thread_jobs().cork);
  if (gathered != nullptr && gathered->gathers(*this, options)) {
    return gathered->add(std::move(work), group, options);
  }
  state_->submit({&work, 1}, group, options, true);
}

void thread_pool::submit_all(std::span<job> work, job_group* group,
                             const job_options& options) noexcept {
  if (state_ == nullptr) return job_system::submit_all(work, group, options);
  state_->submit(work, group, options, true);
}

void thread_pool::submit_main(job work, job_group* group, const job_options& options) noexcept {
  if (state_ == nullptr) return run_without_memory(std::move(work), group, options);
  if (state_->intake.add_main(work, group, options)) return;
  // Better on the wrong thread than never.
  state_->runner.run_now(std::move(work), group, options, true);
}

std::size_t thread_pool::pump(std::uint64_t budget_ns) noexcept {
  if (state_ == nullptr) return 0;
  if constexpr (detail::contracts) {
    detail::expects(state_->is_main_thread(),
                    "thread_pool::pump() was called on another thread than the one that made the "
                    "pool: submit_main() jobs run only there");
  }
  flush_corks();
  const std::uint64_t start_ns = now_ns();
  std::size_t count = 0;
  while (auto* const next = state_->queues.take_main()) {
    state_->runner.run(state_->slots.of_this_thread(), *next);
    ++count;
    if (now_ns() - start_ns >= budget_ns) break;
  }
  return count;
}

// -- waiting --

void thread_pool::wait(job_group& group) noexcept {
  (void)wait_until(group, 0);
}

bool thread_pool::wait_until(job_group& group, std::uint64_t deadline_ns) noexcept {
  if (group.pending() == 0) return true;
  flush_corks();
  return state_ != nullptr ? waiter::wait(*state_, group, deadline_ns)
                           : wait_without_memory(group, deadline_ns);
}

namespace {

bool run_found(pool_state& pool, const found_work& found) noexcept {
  pool_slot* const self = pool.slots.of_this_thread();
  if (found.half != nullptr) pool.runner.run_half(self, *found.half);
  if (found.record != nullptr) pool.runner.run(self, *found.record);
  return static_cast<bool>(found);
}

}  // namespace

bool thread_pool::try_help() noexcept {
  if (state_ == nullptr) return false;
  flush_corks();
  return run_found(*state_, state_->queues.take_any());
}

// Threads that help are a crowd in the parking, which looks again after each job that was added or
// has run.
bool thread_pool::help_until(function_ref<bool() noexcept> done,
                             std::uint64_t deadline_ns) noexcept {
  if (state_ == nullptr || !runs_in_waits()) return false;
  parking& sleepers = state_->sleepers;
  while (!done()) {
    // Help first, then look at the clock: calls that allow no time still make progress.
    const bool helped = try_help();
    if (deadline_ns != 0 && now_ns() >= deadline_ns) return done();
    if (helped) continue;
    const event_count::key_type key = sleepers.join_crowd();
    const bool ended = done();
    const found_work found = ended ? found_work{} : state_->queues.take_any();
    if (ended || found) {
      sleepers.leave_crowd();
      (void)run_found(*state_, found);
    } else {
      sleepers.sleep_in_crowd(key, deadline_ns);
    }
  }
  return true;
}

// -- forks --

void thread_pool::fork(fork_half& half) noexcept {
  if (state_ != nullptr) jobs_detail::fork(*state_, half);
}

void thread_pool::join(fork_half& half) noexcept {
  if (half.slot == nullptr) return half.run(half);
  jobs_detail::join(*state_, half);
}

}  // namespace overture
