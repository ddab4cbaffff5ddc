#include "jobs/pool_state.hpp"

#include <charconv>
#include <cstring>
#include <new>

#include "overture/spin.hpp"
#include "overture/wait_observer.hpp"

namespace overture {
namespace {

thread_local pool_worker* current_worker = nullptr;

// How many pauses pass between two looks of a searching worker.
constexpr int pauses_between_looks = 16;

template <std::size_t Size>
void write_name(char (&text)[Size], const char* name, unsigned number) noexcept {
  char digits[12];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  const auto digit_count = static_cast<std::size_t>(written.ptr - digits);
  const std::size_t room = Size - 2 - digit_count;
  std::size_t length = 0;
  while (length < room && name[length] != '\0') ++length;
  std::memcpy(text, name, length);
  text[length] = ' ';
  std::memcpy(text + length + 1, digits, digit_count);
  text[length + 1 + digit_count] = '\0';
}

}  // namespace

pool_state::pool_state(const thread_pool_config& wanted, allocator& from) noexcept
    : memory(from),
      config(wanted),
      threads(wanted.threads != nullptr ? *wanted.threads : default_thread_factory()),
      slab(from) {
  if (!slab.grow()) status = fail(errc::out_of_memory, "no memory for jobs yet");
}

pool_state::~pool_state() {
  for (unsigned i = 0; i < workers_made; ++i) workers[i].~pool_worker();
  memory.deallocate(workers, sizeof(pool_worker) * config.workers, alignof(pool_worker),
                    memory_tag::jobs);
}

void pool_state::start_workers() noexcept {
  if (config.workers == 0) return;
  workers = static_cast<pool_worker*>(memory.allocate(sizeof(pool_worker) * config.workers,
                                                      alignof(pool_worker), memory_tag::jobs));
  while (workers != nullptr && workers_made < config.workers) {
    pool_worker& made = *::new (static_cast<void*>(workers + workers_made)) pool_worker;
    if (!made.deque.initialise(memory)) {
      made.~pool_worker();
      break;
    }
    made.pool = this;
    made.number = workers_made++;
    made.random = made.number;
    write_name(made.name, config.name, made.number + 1);
  }
  if (workers_made < config.workers) status = fail(errc::out_of_memory, "no memory for a worker");

  while (workers_started < workers_made) {
    pool_worker& worker = workers[workers_started];
    const auto started =
        threads.start({worker.name, config.priority, config.affinity_mask, config.stack_bytes},
                      worker_main, &worker);
    if (!started) {
      status = tl::unexpected<error>(started.error());
      return;
    }
    worker.thread = *started;
    ++workers_started;
  }
}

void pool_state::stop_workers() noexcept {
  stopping.store(true, std::memory_order_seq_cst);
  while (sleepers.parked_workers() != 0) sleepers.wake_worker(parking::no_seat, true);
  for (unsigned i = 0; i < workers_started; ++i) threads.join(workers[i].thread);
}

void pool_state::drain() noexcept {
  for (;;) {
    job_record* const next = take_any();
    if (next == nullptr) return;
    run(nullptr, *next);
    jobs_run_by_others.fetch_add(1, std::memory_order_relaxed);
  }
}

void pool_state::worker_main(void* argument) noexcept {
  pool_worker& self = *static_cast<pool_worker*>(argument);
  pool_state& pool = *self.pool;
  timeline* const record = pool.config.record;
  const bool recorded = record != nullptr && record->attach_thread(self.name).has_value();
  current_worker = &self;
  pool.work(self);
  current_worker = nullptr;
  if (recorded) record->detach_thread();
}

pool_worker* pool_state::this_worker() noexcept {
  return current_worker != nullptr && current_worker->pool == this ? current_worker : nullptr;
}

void pool_state::work(pool_worker& self) noexcept {
  for (;;) {
    job_record* next = take_own(self);
    if (next == nullptr) next = search(self);
    if (next == nullptr) return;
    run(&self, *next);
  }
}

job_record* pool_state::search(pool_worker& self) noexcept {
  sleepers.begin_search();
  for (bool woken = false;; woken = true) {
    const std::uint64_t start_ns = now_ns();
    do {
      job_record* found = take_arrived(self);
      if (found == nullptr) found = steal(self);
      const bool stop = found == nullptr && stopping.load(std::memory_order_relaxed);
      if (found != nullptr || stop) {
        if (sleepers.end_search() && work_visible()) sleepers.wake_worker();
        return found;
      }
      for (int i = 0; i < pauses_between_looks; ++i) spin_hint();
    } while (now_ns() - start_ns < config.spin_ns);
    if (woken) self.wakes_futile.add(1);
    park(self);
  }
}

void pool_state::park(pool_worker& self) noexcept {
  self.parks.add(1);
  sleepers.announce_worker(self.number);
  const bool stop = stopping.load(std::memory_order_seq_cst);
  if (stop || work_visible()) sleepers.wake_worker(self.number, stop);
  const char* const reason = idle_reason.load(std::memory_order_relaxed);
  sleepers.sleep_worker(self.number, reason != nullptr ? reason : wait_reasons::no_job);
}

}  // namespace overture
