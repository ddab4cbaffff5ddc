// SPDX-License-Identifier: Zlib
#include "jobs/pool/pool_state.hpp"

#include <algorithm>
#include <utility>

#include "base/guarded_call.hpp"
#include "jobs/pool/worker.hpp"
#include "jobs/queues/sizes.hpp"

namespace overture::jobs_detail {
using namespace base_detail;

pool_state::pool_state(const thread_pool_config& wanted, allocator& from) noexcept
    : memory(from),
      config(wanted),
      slab(from, std::max<std::size_t>(wanted.queued_max, 1)),
      slots(*this, wanted, from),
      sleepers(from, slots.size(), sizes::host_seats),
      queues(from, slots, sleepers),
      intake(slab, slots, queues, sleepers),
      runner(wanted, slab, slots, queues, intake, sleepers),
      idle(wanted.wake, wanted.tuning),
      spares(slots, sleepers),
      main_thread(&this_thread_jobs()) {
  if (!slab.grow()) status = fail(errc::out_of_memory, "out of memory for the pool's jobs");
}

void pool_state::start_workers() noexcept {
  if (slots.first_guest() < config.workers + config.spare_workers) {
    status = fail(errc::out_of_memory, "out of memory for a worker thread");
  }
  if (config.workers == 0) sleepers.set_helping();  // before a spare worker looks
  for (; workers_started < slots.first_guest(); ++workers_started) {
    pool_slot& slot = slots[workers_started];
    thread_options options = config.worker_thread;
    options.name = slot.name;
    thread_factory& threads =
        config.threads != nullptr ? *config.threads : default_thread_factory();
    const result<thread_handle> started = guarded_result(
        thread_factory_threw, [&] { return threads.start(options, worker::main, &slot); });
    if (!started) {
      status = tl::unexpected<error>(started.error());
      break;
    }
    slot.thread = *started;
  }
  const unsigned workers = std::min(workers_started, slots.workers());
  queues.set_workers(workers);
  if (workers == 0 && workers_started == 0) sleepers.set_helping();
}

void pool_state::stop() noexcept {
  runner.stop();
  while (sleepers.parked_workers() != 0) sleepers.wake_worker(parking::no_seat, true);
  for (unsigned i = slots.workers(); i < workers_started; ++i) slots[i].rest.unpark();
  thread_factory& threads = config.threads != nullptr ? *config.threads : default_thread_factory();
  for (unsigned i = 0; i < workers_started; ++i) threads.join(slots[i].thread);
  intake.wait_for_callers();
  for (;;) {
    job_record* next = queues.take_any().record;
    if (next == nullptr) next = queues.take_main();
    if (next == nullptr) return;
    runner.run(nullptr, *next);
  }
}

void pool_state::submit(std::span<job> work, job_group* group, const job_options& options,
                        bool inside_submit) noexcept {
  const std::span<job> left = work.subspan(intake.add(work, group, options));
  if (left.empty()) return;
  const job_intake::caller here(intake);
  for (job& each : left) runner.run_now(std::move(each), group, options, inside_submit);
}

}  // namespace overture::jobs_detail
