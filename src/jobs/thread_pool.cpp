#include "overture/thread_pool.hpp"

#include <new>

#include "base/vec.hpp"
#include "jobs/pool_state.hpp"
#include "overture/job_batch.hpp"

namespace overture {
namespace {

thread_pool_config within_limits(thread_pool_config config) noexcept {
  constexpr auto places_max = static_cast<unsigned>(limits::pool_workers_max);
  if (config.workers > places_max) config.workers = places_max;
  unsigned left = places_max - config.workers;
  if (config.spare_workers > left) config.spare_workers = left;
  left -= config.spare_workers;
  if (config.guests > left) config.guests = left;
  return config;
}

// The pool and the seats behind it, in one piece of memory.
struct pool_memory {
  explicit pool_memory(const thread_pool_config& config) noexcept
      : seats(config.workers + config.spare_workers + config.guests + limits::pool_helpers_max) {}
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(pool_state) + seats * sizeof(parking::seat_type);
  }
  std::size_t seats;
};

pool_state* make_pool(const thread_pool_config& config, allocator& memory) noexcept {
  static_assert(sizeof(pool_state) % alignof(parking::seat_type) == 0);
  static_assert(alignof(pool_state) >= alignof(parking::seat_type));
  const pool_memory needed(config);
  void* const place = memory.allocate(needed.bytes(), alignof(pool_state), memory_tag::jobs);
  if (place == nullptr) return nullptr;
  void* const behind = static_cast<std::byte*>(place) + sizeof(pool_state);
  auto* const seats = static_cast<parking::seat_type*>(behind);
  for (std::size_t i = 0; i < needed.seats; ++i) {
    ::new (static_cast<void*>(seats + i)) parking::seat_type;
  }
  return ::new (place) pool_state(config, memory, seats);
}

void destroy_pool(pool_state& pool) noexcept {
  allocator& memory = pool.memory;
  const std::size_t bytes = pool_memory(pool.config).bytes();
  pool.~pool_state();
  memory.deallocate(&pool, bytes, alignof(pool_state), memory_tag::jobs);
}

}  // namespace

thread_pool::thread_pool(const thread_pool_config& config) noexcept {
  allocator& memory = config.memory != nullptr ? *config.memory : default_allocator();
  state_ = make_pool(within_limits(config), memory);
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
  destroy_pool(*state_);
}

result<void> thread_pool::status() const noexcept {
  if (state_ == nullptr) return fail(errc::out_of_memory, "no memory for a thread pool");
  return state_->status;
}

unsigned thread_pool::workers() const noexcept {
  if (state_ == nullptr) return 0;
  const unsigned wanted = state_->workers_made - state_->spares_made;
  return state_->workers_started < wanted ? state_->workers_started : wanted;
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
  for (unsigned i = 0; i < state_->places_made; ++i) {
    const pool_place& place = state_->places[i];
    sum.jobs_run += place.jobs_run.read();
    sum.jobs_stolen += place.jobs_stolen.read();
    sum.parks += place.parks.read();
    sum.wakes_futile += place.wakes_futile.read();
    sum.spun_ns += place.spun_ns.read();
  }
  for (const auto& each : state_->jobs_run_by_others) {
    sum.jobs_run += each.of_first.read() + each.of_others.load(std::memory_order_relaxed);
  }
  sum.wakes_futile += state_->wakes_futile_of_others.load(std::memory_order_relaxed);
  sum.jobs_dropped = state_->jobs_dropped.load(std::memory_order_relaxed);
  sum.jobs_thrown = state_->reports.thrown.load(std::memory_order_relaxed);
  sum.wakes = state_->sleepers.profile().wakes();
  sum.parked_now = state_->sleepers.parked_workers();
  return sum;
}

void thread_pool::set_idle_reason(const char* reason) noexcept {
  if (state_ != nullptr) state_->idle_reason.store(reason, std::memory_order_relaxed);
}

void thread_pool::expect_work(std::uint64_t at_ns) noexcept {
  if (state_ != nullptr) state_->idle.expected_ns.store(at_ns, std::memory_order_relaxed);
}

void thread_pool::set_wake_policy(wake_policy policy) noexcept {
  if (state_ == nullptr) return;
  state_->idle.policy.set_base(policy);
  if (policy != wake_policy::park) state_->wake_for_policy();
}

wake_policy thread_pool::current_wake_policy() const noexcept {
  return state_ != nullptr ? state_->idle.policy.now() : wake_policy::park;
}

wake_zone::wake_zone(thread_pool& pool, wake_policy policy) noexcept
    : pool_(pool), policy_(policy), before_(pool.profile()) {
  if (pool_.state_ == nullptr) return;
  pool_.state_->idle.policy.enter(policy_);
  if (policy_ != wake_policy::park) pool_.state_->wake_for_policy();
}

wake_zone::~wake_zone() {
  if (pool_.state_ != nullptr) pool_.state_->idle.policy.leave(policy_);
}

wake_profile wake_zone::profile() const noexcept {
  return pool_.profile() - before_;
}

void thread_pool::body_threw(const char* what) noexcept {
  if (state_ != nullptr) tell_of_throw(state_->reports, nullptr, what);
}

// -- submitting --

void thread_pool::submit(job work, job_group* group, const job_options& options) {
  if (state_ == nullptr) return run_without_memory(std::move(work), group, options);
  pool_place* const self = state_->this_place();
  auto* const gathered = static_cast<cork*>(this_thread_jobs().cork);
  if (gathered != nullptr && gathered->gathers(*this, options)) {
    if (group != nullptr) group->begin_job();
    return gathered->add(std::move(work), group, options);
  }
  if (self == nullptr && options.priority == job_priority::normal) {
    if (state_->push_from_outside({&work, 1}, group, options)) return;
  }
  job_record* const record = state_->take_record(self);
  if (record == nullptr) return state_->run_now(std::move(work), group, options);
  state_->push(self, *record, std::move(work), group, options);
}

void thread_pool::submit_all(std::span<job> work, job_group* group, const job_options& options) {
  if (state_ == nullptr) return job_system::submit_all(work, group, options);
  state_->push_all(work, group, options);
}

void thread_pool::submit_main(job work, job_group* group, const job_options& options) {
  if (state_ == nullptr) return run_without_memory(std::move(work), group, options);
  job_record* record = state_->take_record(state_->this_place());
  if (record == nullptr) record = state_->slab.take_spare();
  // Nowhere to keep it: better on the wrong thread than never.
  if (record == nullptr) return state_->run_now(std::move(work), group, options);
  if (group != nullptr) group->begin_job();
  record->arm(std::move(work), group, options, state_->main_jobs.linked_here());
  state_->publish(state_->main_jobs, {record, record, 1}, group);
}

std::size_t thread_pool::pump(std::uint64_t budget_ns) {
  if (state_ == nullptr) return 0;
  cork::flush_this_thread();
  const std::uint64_t start_ns = now_ns();
  std::size_t count = 0;
  while (job_record* const next = state_->take_one(state_->main_jobs)) {
    state_->run(state_->this_place(), *next);
    ++count;
    if (now_ns() - start_ns >= budget_ns) break;
  }
  return count;
}

// -- waiting --

void thread_pool::wait(job_group& group) {
  (void)wait_until(group, 0);
}

bool thread_pool::wait_until(job_group& group, std::uint64_t deadline_ns) {
  if (group.pending() == 0) return true;
  cork::flush_this_thread();
  return state_ != nullptr ? state_->wait(group, deadline_ns)
                           : wait_without_memory(group, deadline_ns);
}

bool thread_pool::try_help() {
  if (state_ == nullptr) return false;
  cork::flush_this_thread();
  return state_->help_anybody(state_->this_place());
}

}  // namespace overture
