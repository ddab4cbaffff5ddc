// SPDX-License-Identifier: Zlib
#include "jobs/pool/worker.hpp"

#include <optional>

#include "base/guarded_call.hpp"
#include "base/threads/processor.hpp"
#include "jobs/pool/pool_state.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture::jobs_detail {
using namespace base_detail;

namespace {

constexpr int pauses_between_looks = 16;
constexpr int pauses_between_host_checks = 4;

void call_hook(pool_state& pool, void (*hook)(void* context, unsigned worker),
               unsigned number) noexcept {
  guarded_call(
      [&] { hook(pool.config.hooks.context, number); },
      [&](const char* what) noexcept { report_throw(pool.runner.reports, nullptr, what); });
}

}  // namespace

worker::worker(pool_state& pool, pool_slot& slot) noexcept
    : pool_(pool), slot_(slot), ended_(pool.runner), random_(slot.number) {}

void worker::main(void* pool_slot_of_worker) noexcept {
  pool_slot& slot = *static_cast<pool_slot*>(pool_slot_of_worker);
  pool_state& pool = *slot.pool;
  const job_hooks& hooks = pool.config.hooks;
  timeline* const record = pool.config.record;
  const bool recorded = record != nullptr && record->attach_thread(slot.name).has_value();
  if (hooks.worker_begins != nullptr) call_hook(pool, hooks.worker_begins, slot.number);
  this_thread_jobs().slot = &slot;
  sharpen_timers();
  worker self(pool, slot);
  do {
    if (pool.spares.is_needed(slot)) {
      self.work();
    } else {
      slot.rest.park({.reason = wait_reasons::no_job, .spin = spin_policy::none()});
    }
  } while (!pool.runner.is_stopping());
  this_thread_jobs().slot = nullptr;
  if (hooks.worker_ends != nullptr) call_hook(pool, hooks.worker_ends, slot.number);
  if (recorded) record->detach_thread();
}

bool worker::must_leave() const noexcept {
  return pool_.runner.is_stopping() || !pool_.spares.is_needed(slot_);
}

void worker::work() noexcept {
  while (pool_.spares.is_needed(slot_)) {
    found_work found{pool_.queues.take_urgent(), nullptr};
    if (!found) found.record = job_queues::take_own(slot_);
    if (!found) {
      ended_.count_down();
      found = search();
    }
    if (!found) break;
    run(found);
  }
  ended_.count_down();
}

void worker::run(const found_work& found) noexcept {
  if (found.half != nullptr) return pool_.runner.run_half(&slot_, *found.half);
  const bool is_background = found.record->is_of(job_record::background);
  ended_.begin(found.record->group.load(std::memory_order_relaxed));
  pool_.runner.run_uncounted(&slot_, *found.record);
  ended_.add();
  if (is_background) pool_.queues.background_ended();
}

found_work worker::search() noexcept {
  parking& sleepers = pool_.sleepers;
  sleepers.begin_search();
  idle_event event{idle_event::starts};
  bool was_woken = false;
  std::optional<idle_wait> waits;
  for (;;) {
    const found_work found = look();
    if (found || must_leave()) {
      const bool more = sleepers.end_search() && pool_.queues.work_visible();
      event.what = more ? idle_event::ends_with_more : idle_event::ends;
      if (next(idle_, pool_.idle, event).what == idle_step::wake_next) sleepers.wake_worker();
      waits.reset();
      this_thread_jobs().wake_depth = 0;
      return found;
    }
    if (!waits) waits.emplace(&pool_.idle_reasons, wait_reasons::no_job);
    if (pause()) continue;  // a job has come: start it before reading the clock
    event.at_ns = now_ns();
    const idle_step step = next(idle_, pool_.idle, event);
    event.what = idle_event::found_nothing;
    if (step.what == idle_step::yield) yield_thread();
    if (step.what != idle_step::sleep) continue;
    slot_.spun_ns.add(event.at_ns - idle_.since_ns);
    if (was_woken) {
      slot_.wakes_futile.add(1);
      mark("futile wake");
    }
    sleep(step.until_ns);
    was_woken = true;
    event = {idle_event::woken, now_ns(), sleepers.signalled_ns(slot_.number)};
    if (next(idle_, pool_.idle, event).what == idle_step::wake_next) {
      sleepers.wake_worker(parking::no_seat, true);
    }
    event.what = idle_event::found_nothing;
  }
}

found_work worker::look() noexcept {
  found_work found{pool_.queues.take_urgent(), nullptr};
  if (!found) found.record = pool_.queues.take_overflow();
  if (found) return found;
  random_ = random_ * 1664525u + 1013904223u;
  found = pool_.queues.steal(slot_, rotation_, random_ >> 16);
  if (!found) found.record = pool_.queues.take_background();
  return found;
}

bool worker::pause() const noexcept {
  for (int i = pauses_between_looks; i != 0; --i) {
    spin_hint();
    if (i % pauses_between_host_checks == 0 && pool_.queues.host_work_visible()) return true;
  }
  return false;
}

void worker::sleep(std::uint64_t until_ns) noexcept {
  // Sleeping workers must not hoard free records: the pool would stay full.
  if (pool_.slab.is_at_limit()) slot_.spare_records.give_all_back(pool_.slab);
  slot_.parks.add(1);
  pool_.sleepers.announce_worker(slot_.number);
  // A fork is pushed without ordering the push before the check for sleepers, so this first look
  // may come too early for one. A moment later the push is visible everywhere.
  bool visible = pool_.queues.work_visible();
  for (int i = 0; !visible && i < pauses_between_looks; ++i) spin_hint();
  visible = visible || pool_.queues.work_visible();
  const bool stay = must_leave() || !may_sleep(pool_.idle);
  if (stay || visible) pool_.sleepers.wake_worker(slot_.number, stay);
  pool_.sleepers.sleep_worker(slot_.number, until_ns);
}

}  // namespace overture::jobs_detail
