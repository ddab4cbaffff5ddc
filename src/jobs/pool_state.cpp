#include "jobs/pool_state.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/processor.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {
namespace {

// How many pauses pass between two looks of a searching worker.
constexpr int pauses_between_looks = 16;
// Between two looks: only at what threads of the host have submitted, so that workers which fork
// are left alone.
constexpr int pauses_between_glances = 4;
constexpr int pauses_for_bunch = 48;
// A yield takes half a microsecond, in which no job starts.
constexpr unsigned looks_between_yields = 8;
// After so many looks in a row that were in vain, each followed by a sleep that was longer than
// looking ever lasts, a worker that finds nothing sleeps at once.
constexpr unsigned vain_looks_max = 4;
// A worker that looks for longer than a wake takes gives its time slice away between looks: on a
// machine with other work it would take it from who is about to make some for it.
constexpr int pauses_before_last_look = 64;
// From here on a job counts as long: another worker takes the warm role meanwhile.
constexpr std::uint64_t long_job_ns = 50'000;
// So long before it is expected a worker begins to look for work.
constexpr std::uint64_t expected_lead_ns = 60'000;
constexpr std::uint64_t expected_slack_ns = 500'000;

}  // namespace

pool_state::pool_state(const thread_pool_config& wanted, allocator& from,
                       parking::seat_type* seats) noexcept
    : memory(from),
      config(wanted),
      reports(wanted.hooks),
      threads(wanted.threads != nullptr ? *wanted.threads : default_thread_factory()),
      places_wanted(wanted.workers + wanted.spare_workers + wanted.guests),
      leaves_crowds(wanted.leaves_crowds && wanted.workers < processor_count()),
      policy(wanted.wake),
      main_thread(&this_thread_jobs()),
      slab(from, wanted.queued_max != 0 ? wanted.queued_max : 1),
      sleepers(seats, wanted.workers + wanted.spare_workers + wanted.guests,
               static_cast<unsigned>(limits::pool_helpers_max), wanted.keeps_apart) {
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
  while (places != nullptr && places_made < places_wanted) {
    pool_place& made = *::new (static_cast<void*>(places + places_made)) pool_place;
    if (!made.deque.initialise(memory)) {
      made.~pool_place();
      break;
    }
    made.pool = this;
    made.number = places_made++;
    made.random = made.number;
    write_thread_name(made.name, config.name != nullptr ? config.name : "worker", made.number + 1);
  }
  const unsigned all_workers = config.workers + config.spare_workers;
  workers_made = places_made < all_workers ? places_made : all_workers;
  spares_made = workers_made > config.workers ? workers_made - config.workers : 0;
  if (workers_made < all_workers) status = fail(errc::out_of_memory, "no memory for a worker");

  while (workers_started < workers_made) {
    pool_place& worker = places[workers_started];
    const bool gives_way = config.gives_way || (config.keeps_apart && worker.number != 0);
    const auto started = threads.start(
        {worker.name, config.priority, config.affinity_mask, config.stack_bytes, gives_way},
        worker_main, &worker);
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
    if (self.crowd.job_ended() && self.crowd.look(now_ns(), thread_preemptions)) {
      leave_crowd(self);
    }
    if (self.warm_job_ns != 0) {
      self.jobs_are_long = now_ns() - std::exchange(self.warm_job_ns, 0) > long_job_ns;
    }
    if (low) background_now.fetch_sub(1, std::memory_order_seq_cst);
  }
}

found_work pool_state::look(pool_place& self) noexcept {
  found_work found;
  if (!urgent.empty()) found.record = take_one(urgent);
  if (!found && !jobs.empty()) found.record = take_arrived(self);
  if (!found) found.record = take_watched(self);
  if (!found) found = steal(self);
  if (!found) found.record = take_background();
  return found;
}

bool pool_state::pause(pool_place& self, bool beyond) noexcept {
  self.next_of_host.begin();
  for (int i = beyond ? pauses_before_last_look : pauses_between_looks; i != 0; --i) {
    spin_hint();
    if (self.next_of_host.has_come()) return true;
    if (i % pauses_between_glances != 0) continue;
    if (beyond ? work_visible() : host_work_visible()) return true;
  }
  return false;
}

void pool_state::give_way_to_submitters(const pool_place& self) noexcept {
  if (!slab.is_exhausted() || !self.pace.is_of_short_jobs(now_ns(), self.jobs_run.read())) return;
  for (int i = 0; i < sizes::yields_to_submitters && slab.is_exhausted(); ++i) yield_thread();
}

found_work pool_state::search(pool_place& self) noexcept {
  give_way_to_submitters(self);
  sleepers.begin_search();
  if (std::exchange(self.come_in_bunches, false) && self.vain_looks < vain_looks_max) {
    // Whoever submits jobs faster than they run is better off if they are fetched in bunches.
    for (int i = 0; i < pauses_for_bunch; ++i) spin_hint();
  }
  std::uint64_t idle_since_ns = 0;
  std::uint64_t signalled_ns = 0;
  for (bool woken = false;; woken = true) {
    const std::uint64_t start_ns = now_ns();
    if (!woken) idle_since_ns = start_ns;
    self.pace.begin(start_ns, self.jobs_run.read());
    std::uint64_t looked_ns = 0;
    unsigned looks = 0;
    bool visible = false;
    do {
      const found_work found = look(self);
      const bool stop = !found && (stopping.load(std::memory_order_relaxed) || !is_needed(self));
      if (found || stop) {
        if (looks != 0) self.vain_looks = 0;
        if (self.warm) give_up_warm_role(self, stop ? 0 : start_ns + looked_ns);
        self.looks_until_ns = 0;
        self.due_until_ns = 0;
        if (woken) {
          const std::uint64_t came_ns = looks == 0 ? signalled_ns : start_ns + looked_ns;
          self.rhythm.work_came(came_ns - idle_since_ns);
        }
        if (sleepers.end_search()) {
          if (found.record != nullptr) self.next_of_host.drop_hint(*found.record);
          if (work_visible()) sleepers.wake_worker();
        }
        this_thread_jobs().wake_depth = 0;
        return found;
      }
      if (++looks == 1 && self.vain_looks >= vain_looks_max) continue;
      visible = pause(self, looked_ns > config.spin_long_ns);
      if (visible) continue;  // no clock is read before the job starts
      // It may have been woken onto the very core of who submits, and keep that thread from
      // running.
      if (looked_ns >= config.spin_ns && looks % looks_between_yields == 0) yield_thread();
      looked_ns = now_ns() - start_ns;
    } while (visible || keeps_looking(self, looked_ns));
    self.spun_ns.add(looked_ns);
    if (woken) {
      self.wakes_futile.add(1);
      mark("futile wake");
    }
    const std::uint64_t parked_ns = now_ns();
    // A queue would stay shut if those who sleep had all of its records.
    if (slab.is_at_limit()) self.spare_records.give_all_back(slab);
    park(self, idle_since_ns);
    // Up to the signal: a machine that is slow to wake says nothing of how fast jobs come.
    signalled_ns = sleepers.signalled_ns(self.number);
    if (leaves_crowds) self.crowd.begin(signalled_ns);
    self.jobs_come_fast = signalled_ns < parked_ns + config.spin_long_ns;
    self.vain_looks = self.jobs_come_fast ? 0 : std::min(self.vain_looks + 1, vain_looks_max);
  }
}

bool pool_state::keeps_looking(pool_place& self, std::uint64_t looked_ns) noexcept {
  const bool in_vain = self.vain_looks >= vain_looks_max;
  const unsigned least_ns = self.jobs_come_fast ? config.spin_long_ns : config.spin_ns;
  if (!in_vain && looked_ns < least_ns) return true;
  const wake_policy holds = policy.now();
  if (holds == wake_policy::spin) return !stopping.load(std::memory_order_relaxed);
  if (self.due_until_ns != 0 && now_ns() < self.due_until_ns) return true;
  const std::uint64_t expected_ns = work_expected_ns.load(std::memory_order_relaxed);
  const std::uint64_t now = expected_ns != 0 || self.looks_until_ns != 0 ? now_ns() : 0;
  if (expected_ns != 0 && now + expected_lead_ns >= expected_ns) {
    self.looks_until_ns = expected_ns + expected_slack_ns;
  }
  const bool soon = now < self.looks_until_ns;
  if (!self.warm && (holds == wake_policy::warm || soon)) {
    self.warm = !warm_taken.load(std::memory_order_relaxed) &&
                !warm_taken.exchange(true, std::memory_order_seq_cst);
  }
  if (!self.warm) return false;
  if (soon || (holds == wake_policy::warm && looked_ns < config.warm_ns)) return true;
  give_up_warm_role(self, 0);
  return false;
}

void pool_state::give_up_warm_role(pool_place& self, std::uint64_t found_ns) noexcept {
  self.warm = false;
  // Ordered by the exchange that ends the search, or begins the sleep.
  warm_taken.store(false, std::memory_order_release);
  self.warm_job_ns = found_ns;
  // The next one pays for its wake here, so that no submit has to.
  if (found_ns != 0 && self.jobs_are_long) sleepers.wake_worker(parking::no_seat, true);
}

// One of those that sleep has a deadline: by what the host has told, or by the worker's own rhythm.
std::uint64_t pool_state::set_alarm(pool_place& self, std::uint64_t idle_since_ns) noexcept {
  const std::uint64_t told_ns = work_expected_ns.load(std::memory_order_relaxed);
  const bool has_rhythm = config.follows_rhythm && self.rhythm.has_rhythm();
  if (told_ns == 0 && !has_rhythm) return 0;
  const std::uint64_t now = now_ns();
  const std::uint64_t due_ns = has_rhythm ? self.rhythm.due_from_ns(idle_since_ns) : 0;
  const bool is_told = told_ns > now + expected_lead_ns;
  const bool is_own = due_ns > now && (!is_told || due_ns < told_ns - expected_lead_ns);
  if ((!is_told && !is_own) || alarm_is_set.load(std::memory_order_relaxed) ||
      alarm_is_set.exchange(true, std::memory_order_relaxed)) {
    return 0;
  }
  if (!is_own) return told_ns - expected_lead_ns;
  self.due_until_ns = self.rhythm.due_until_ns(idle_since_ns);
  return due_ns;
}

// Behind a sleep that was to end at `due_ns`, whatever has ended it.
void pool_state::end_alarm(pool_place& self, std::uint64_t due_ns) noexcept {
  alarm_is_set.store(false, std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  if (now < due_ns) {
    self.due_until_ns = 0;
  } else if (self.due_until_ns != 0) {
    self.rhythm.woke_late(now - due_ns);
  } else {
    // Whoever submits may tell of the next time before it does, and before this worker runs.
    self.looks_until_ns = due_ns + expected_lead_ns + expected_slack_ns;
  }
}

// It is the one that a submit wakes. Where the kernel wakes it is where it ran last, or where the
// thread that wakes it runs: that thread would have to wait for it, or it for that thread.
void pool_state::keep_apart(pool_place& self) const noexcept {
  const unsigned host = sleepers.host_processor();
  if (!config.keeps_apart || self.number != 0 || host == self.avoids) return;
  self.avoids = host;
  self.kept_off = keep_off_processor(host, self.kept_off) ? host : no_processor;
}

void pool_state::leave_crowd(pool_place& self) noexcept {
  if (self.kept_off != no_processor) {
    (void)keep_off_processor(no_processor, self.kept_off);
    self.avoids = self.kept_off = no_processor;
  }
  (void)leave_processor();
}

void pool_state::park(pool_place& self, std::uint64_t idle_since_ns) noexcept {
  self.parks.add(1);
  keep_apart(self);
  const std::uint64_t deadline_ns = set_alarm(self, idle_since_ns);
  sleepers.announce_worker(self.number);
  // Forks are pushed without an order between the push and the look at who sleeps. So a first look
  // may come too early for one; a moment later no processor still holds it back.
  bool visible = work_visible();
  for (int i = 0; !visible && i < pauses_between_looks; ++i) spin_hint();
  visible = visible || work_visible();
  const bool stop = stopping.load(std::memory_order_seq_cst);
  // A spare one whose turn has ended since it looked for work sleeps elsewhere.
  const bool stay = stop || policy.now() == wake_policy::spin || !is_needed(self);
  if (stay || visible) sleepers.wake_worker(self.number, stay);
  const char* const reason = idle_reason.load(std::memory_order_relaxed);
  sleepers.sleep_worker(self.number, deadline_ns,
                        reason != nullptr ? reason : wait_reasons::no_job);
  if (deadline_ns != 0) end_alarm(self, deadline_ns);
  if (policy.now() == wake_policy::spin) wake_for_policy();
}

// One sleeper wakes the next, so that nobody pays for all of them.
void pool_state::wake_for_policy() noexcept {
  if (sleepers.parked_workers() != 0) sleepers.wake_worker(parking::no_seat, true);
}

}  // namespace overture
