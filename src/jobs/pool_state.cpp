#include "jobs/pool_state.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/processor.hpp"
#include "overture/spin.hpp"
#include "overture/wait_observer.hpp"

namespace overture {
namespace {

// How many pauses pass between two looks of a searching worker.
constexpr int pauses_between_looks = 16;
// Between two looks: only at what threads of the host have submitted, so that workers which fork
// are left alone.
constexpr int pauses_between_glances = 4;

}  // namespace

pool_state::pool_state(const thread_pool_config& wanted, allocator& from,
                       parking::seat_type* seats) noexcept
    : memory(from),
      config(wanted),
      reports(wanted.hooks),
      threads(wanted.threads != nullptr ? *wanted.threads : default_thread_factory()),
      places_wanted(wanted.workers + wanted.spare_workers + wanted.guests),
      idle(wanted.wake, wanted.tuning),
      main_thread(&this_thread_jobs()),
      slab(from, wanted.queued_max != 0 ? wanted.queued_max : 1),
      sleepers(seats, wanted.workers + wanted.spare_workers + wanted.guests,
               static_cast<unsigned>(limits::pool_helpers_max)) {
  if (!slab.grow()) status = fail(errc::out_of_memory, "no memory for jobs yet");
}

pool_state::~pool_state() {
  for (unsigned i = 0; i < places_made; ++i) places[i].~pool_place();
  memory.deallocate(places, sizeof(pool_place) * places_wanted, alignof(pool_place),
                    memory_tag::jobs);
}

void pool_state::start_workers() noexcept {
  if (places_wanted == 0) return;
  places = static_cast<pool_place*>(
      memory.allocate(sizeof(pool_place) * places_wanted, alignof(pool_place), memory_tag::jobs));
  const char* const name =
      config.worker_thread.name != nullptr ? config.worker_thread.name : "worker";
  while (places != nullptr && places_made < places_wanted) {
    pool_place& made = *::new (static_cast<void*>(places + places_made)) pool_place;
    if (!made.deque.initialise(memory)) {
      made.~pool_place();
      break;
    }
    made.pool = this;
    made.number = places_made++;
    made.random = made.number;
    write_thread_name(made.name, name, made.number + 1);
  }
  const unsigned all_workers = config.workers + config.spare_workers;
  workers_made = places_made < all_workers ? places_made : all_workers;
  spares_made = workers_made > config.workers ? workers_made - config.workers : 0;
  if (workers_made < all_workers) status = fail(errc::out_of_memory, "no memory for a worker");

  while (workers_started < workers_made) {
    pool_place& worker = places[workers_started];
    thread_options options = config.worker_thread;
    options.name = worker.name;
    const auto started = threads.start(options, worker_main, &worker);
    if (!started) {
      status = tl::unexpected<error>(started.error());
      break;
    }
    worker.thread = *started;
    ++workers_started;
  }
  const unsigned usual = std::min(workers_started, workers_made - spares_made);
  if (usual > 1) background_max.store(usual - 1, std::memory_order_relaxed);
}

void pool_state::stop_workers() noexcept {
  stopping.store(true, std::memory_order_seq_cst);
  while (sleepers.parked_workers() != 0) sleepers.wake_worker(parking::no_seat, true);
  for (unsigned i = workers_made - spares_made; i < workers_started; ++i) places[i].rest.unpark();
  for (unsigned i = 0; i < workers_started; ++i) threads.join(places[i].thread);
}

void pool_state::drain() noexcept {
  while (job_record* const next = take_any()) run(nullptr, *next);
}

void pool_state::worker_main(void* argument) noexcept {
  pool_place& self = *static_cast<pool_place*>(argument);
  pool_state& pool = *self.pool;
  const job_hooks& hooks = pool.config.hooks;
  timeline* const record = pool.config.record;
  const bool recorded = record != nullptr && record->attach_thread(self.name).has_value();
  if (hooks.worker_begins != nullptr) hooks.worker_begins(hooks.context, self.number);
  this_thread_jobs().place = &self;
  sharpen_timers();
  if (self.number < pool.workers_made - pool.spares_made) {
    pool.work(self);
  } else {
    pool.work_in_turns(self);
  }
  this_thread_jobs().place = nullptr;
  if (hooks.worker_ends != nullptr) hooks.worker_ends(hooks.context, self.number);
  if (recorded) record->detach_thread();
}

void pool_state::work(pool_place& self) noexcept {
  for (;;) {
    if (!is_needed(self)) {
      // A spare one whose turn is over. What lies on its queue is for others.
      tell_group(self);
      if (!self.deque.empty()) sleepers.work_added(nullptr);
      return;
    }
    found_work next;
    if (!urgent.empty()) next.record = take_one(urgent);
    if (!next) next.record = take_own(self);
    if (!next) {
      tell_group(self);
      next = search(self);
    }
    if (!next) return;
    if (next.half != nullptr) {
      run_half(&self, *next.half);
      continue;
    }
    const bool low = next.record->is_of(job_record::background);
    run_next(self, *next.record);
    if (low) background_now.fetch_sub(1, std::memory_order_seq_cst);
  }
}

found_work pool_state::look(pool_place& self) noexcept {
  found_work found;
  if (!urgent.empty()) found.record = take_one(urgent);
  if (!found && !jobs.empty()) found.record = take_arrived(self);
  if (!found) found = steal(self);
  if (!found) found.record = take_background();
  return found;
}

bool pool_state::pause() const noexcept {
  for (int i = pauses_between_looks; i != 0; --i) {
    spin_hint();
    if (i % pauses_between_glances == 0 && host_work_visible()) return true;
  }
  return false;
}

found_work pool_state::search(pool_place& self) noexcept {
  sleepers.begin_search();
  jobs_detail::idle_event event{jobs_detail::idle_event::starts};
  bool was_woken = false;
  for (;;) {
    const found_work found = look(self);
    if (found || stopping.load(std::memory_order_relaxed) || !is_needed(self)) {
      const bool more = sleepers.end_search() && work_visible();
      event = {more ? jobs_detail::idle_event::ends_with_more : jobs_detail::idle_event::ends};
      if (next(self.idle, idle, event).what == jobs_detail::idle_step::wake_next) {
        sleepers.wake_worker();
      }
      this_thread_jobs().wake_depth = 0;
      return found;
    }
    if (pause()) continue;  // no clock is read before the job starts
    event.at_ns = now_ns();
    const jobs_detail::idle_step step = next(self.idle, idle, event);
    event = {jobs_detail::idle_event::found_nothing};
    if (step.what == jobs_detail::idle_step::yield) yield_thread();
    if (step.what != jobs_detail::idle_step::sleep) continue;
    self.spun_ns.add(self.idle.asleep_ns - self.idle.since_ns);
    if (was_woken) {
      self.wakes_futile.add(1);
      mark("futile wake");
    }
    sleep(self, step.until_ns);
    was_woken = true;
    event = {jobs_detail::idle_event::woken, now_ns(), sleepers.signalled_ns(self.number)};
    if (next(self.idle, idle, event).what == jobs_detail::idle_step::wake_next) wake_for_policy();
    event = {jobs_detail::idle_event::found_nothing};
  }
}

void pool_state::sleep(pool_place& self, std::uint64_t deadline_ns) noexcept {
  // A queue would stay full if those who sleep had all of its records.
  if (slab.is_at_limit()) self.spare_records.give_all_back(slab);
  self.parks.add(1);
  sleepers.announce_worker(self.number);
  // Forks are pushed without an order between the push and the look at who sleeps. So a first look
  // may come too early for one; a moment later no processor still holds it back.
  bool visible = work_visible();
  for (int i = 0; !visible && i < pauses_between_looks; ++i) spin_hint();
  visible = visible || work_visible();
  // A spare worker may have lost its turn since it looked for work; then it sleeps elsewhere.
  const bool stay =
      stopping.load(std::memory_order_seq_cst) || !may_sleep(idle) || !is_needed(self);
  if (stay || visible) sleepers.wake_worker(self.number, stay);
  const char* const reason = idle_reason.load(std::memory_order_relaxed);
  sleepers.sleep_worker(self.number, deadline_ns,
                        reason != nullptr ? reason : wait_reasons::no_job);
}

// One sleeper wakes the next, so that nobody pays for all of them.
void pool_state::wake_for_policy() noexcept {
  if (sleepers.parked_workers() != 0) sleepers.wake_worker(parking::no_seat, true);
}

}  // namespace overture
