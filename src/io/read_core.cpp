#include "io/read_core.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "overture/job_system.hpp"
#include "overture/simulated_disc.hpp"
#include "overture/timeline.hpp"
#include "overture/wait_observer.hpp"
#include "sync/wait.hpp"

namespace overture::io {

read_core::read_core(source_files& files, const read_queue_config& config) noexcept
    : files_(files),
      config_(config),
      store_(*config.memory, {.ageing_ns = config.ageing_ns, .danger_ns = config.danger_ns}),
      to_open_(*config.memory, memory_tag::io) {}

std::uint64_t read_core::now() const noexcept {
  return config_.disc ? config_.disc->now_ns() : now_ns();
}

// --- Requests come and go ------------------------------------------------------------------------

void read_core::submit(std::span<read_request> requests) noexcept {
  const std::uint64_t now_at = now();
  read_request* refused = nullptr;
  wakes due;
  {
    const scoped_lock hold(lock_);
    for (read_request& request : requests) {
      request.queued_ns = now_at;
      request.started_ns = 0;
      if (store_.add(request, now_at)) continue;
      request.next = refused;
      refused = &request;
    }
    outstanding_ += requests.size();
    stats_.requests += requests.size();
    stats_.in_flight_max = std::max(stats_.in_flight_max, outstanding_);
    if (store_.size() > 0 && !suspended_) claim_sleeper(due);
  }
  send(due);
  std::size_t count = 0;
  for (; refused; ++count) {
    read_request& request = *refused;
    refused = request.next;
    refuse(request, errc::out_of_memory, "no memory to queue a read");
  }
  if (count == 0) return;
  due = {};
  {
    const scoped_lock hold(lock_);
    stats_.failed += count;
    count_out(count, due);
  }
  send(due);
}

void read_core::refuse(read_request& request, errc code, const char* reason) noexcept {
  request.started_ns = request.queued_ns;
  request.outcome = fail(code, reason, request.source, request.offset);
  end(request, now());
}

bool read_core::set_priority(read_request& request, read_priority priority) noexcept {
  const std::uint64_t now_at = now();
  const scoped_lock hold(lock_);
  return store_.set_priority(request, priority, now_at);
}

bool read_core::set_deadline(read_request& request, std::uint64_t deadline_ns) noexcept {
  const scoped_lock hold(lock_);
  return store_.set_deadline(request, deadline_ns);
}

bool read_core::cancel(read_request& request) noexcept {
  {
    const scoped_lock hold(lock_);
    if (!store_.holds(request)) return false;
    store_.remove(request);
    request.next = nullptr;
  }
  return give_up(&request) != 0;
}

std::size_t read_core::cancel_tag(std::uint64_t mask, std::uint64_t value) noexcept {
  read_request* given_up = nullptr;
  {
    const scoped_lock hold(lock_);
    store_.remove_tagged(mask, value, [&](read_request& request) {
      request.next = given_up;
      given_up = &request;
    });
  }
  return give_up(given_up);
}

std::size_t read_core::close_source(source_id id) noexcept {
  read_request* given_up = nullptr;
  {
    const scoped_lock hold(lock_);
    store_.remove_source(id, [&](read_request& request) {
      request.next = given_up;
      given_up = &request;
    });
  }
  const std::size_t count = give_up(given_up);
  files_.close_source(id);
  return count;
}

std::size_t read_core::give_up(read_request* list) noexcept {
  if (!list) return 0;
  const std::uint64_t now_at = now();
  std::size_t count = 0;
  for (; list; ++count) {
    read_request& request = *list;
    list = request.next;
    request.started_ns = now_at;
    request.outcome = fail(errc::cancelled, "the read was cancelled", request.source);
    end(request, now_at);
  }
  wakes due;
  {
    const scoped_lock hold(lock_);
    stats_.cancelled += count;
    count_out(count, due);
  }
  send(due);
  return count;
}

void read_core::open_ahead(source_id id) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    if (!to_open_.push_back(id)) return;  // it was a hint
    claim_sleeper(due);
  }
  send(due);
}

void read_core::suspend() noexcept {
  const scoped_lock hold(lock_);
  suspended_ = true;
}

void read_core::resume() noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    suspended_ = false;
    if (store_.size() > 0) claim_sleeper(due);
  }
  send(due);
}

read_queue_stats read_core::stats() noexcept {
  const scoped_lock hold(lock_);
  read_queue_stats now_is = stats_;
  for (std::size_t i = 0; i < read_priority_count; ++i) {
    now_is.queued[i] = store_.size(static_cast<read_priority>(i));
  }
  return now_is;
}

// --- Sleeping and waking -------------------------------------------------------------------------

void read_core::claim_sleeper(wakes& due) noexcept {
  if (sleepers_ == 0 || waking_) return;
  waking_ = true;
  ++stats_.wakes;
  work_word_.fetch_add(1, std::memory_order_relaxed);  // the lock orders it
  due.worker = wake_ == nullptr;
  // Under the lock: behind set_waker() nobody may still be about to call the one before.
  if (wake_) wake_(wake_context_);
}

void read_core::send(const wakes& due) noexcept {
  if (due.worker) address_wake_one(&work_word_);
  if (due.drained) address_wake_all(&drain_word_);
  if (due.expected_ns != 0) config_.warms->expect_work(due.expected_ns);
}

void read_core::count_out(std::size_t requests, wakes& due) noexcept {
  outstanding_ -= requests;
  if (outstanding_ != 0 || requests == 0) return;
  drain_word_.fetch_add(1, std::memory_order_relaxed);  // the lock orders it
  due.drained = true;
}

void read_core::wait_until_idle() noexcept {
  for (;;) {
    std::uint32_t seen = 0;
    {
      const scoped_lock hold(lock_);
      if (outstanding_ == 0) return;
      seen = drain_word_.load(std::memory_order_relaxed);
    }
    const observed_wait waiting(wait_reasons::drain);
    (void)address_wait(drain_word_, seen, 0);
  }
}

bool read_core::idle() noexcept {
  const scoped_lock hold(lock_);
  return outstanding_ == 0;
}

void read_core::stop() noexcept {
  {
    const scoped_lock hold(lock_);
    stopping_ = true;
    work_word_.fetch_add(1, std::memory_order_relaxed);
    if (wake_) wake_(wake_context_);
  }
  address_wake_all(&work_word_);
}

void read_core::set_waker(void (*wake)(void* context) noexcept, void* context) noexcept {
  const scoped_lock hold(lock_);
  wake_ = wake;
  wake_context_ = context;
}

bool read_core::next(read_operation& op) noexcept {
  wakes due;
  bool found = false;
  {
    const scoped_lock hold(lock_);
    retire(op, due);
    found = take(op, due);
    if (found && store_.size() > 0) claim_sleeper(due);
  }
  send(due);
  return found;
}

void read_core::leave(read_operation& op) noexcept {
  wakes due;
  {
    const scoped_lock hold(lock_);
    retire(op, due);
  }
  send(due);
}

bool read_core::next_or_sleep(read_operation& op) noexcept {
  for (bool slept = false;;) {
    wakes due;
    bool found = false;
    bool stop = false;
    source_id ahead;
    std::uint32_t seen = 0;
    {
      const scoped_lock hold(lock_);
      if (slept) note_woken();
      slept = false;
      retire(op, due);
      found = take(op, due);
      stop = stopping_;
      if (found) {
        if (store_.size() > 0) claim_sleeper(due);
      } else if (!take_to_open(ahead) && !stop) {
        ++sleepers_;
        seen = work_word_.load(std::memory_order_relaxed);
      }
    }
    send(due);
    if (found) return true;
    if (ahead.valid()) {
      files_.open_ahead(ahead);
      continue;
    }
    if (stop) return false;
    const observed_wait waiting(wait_reasons::no_request);
    (void)address_wait(work_word_, seen, 0);
    slept = true;
  }
}

bool read_core::take_to_open(source_id& ahead) noexcept {
  if (to_open_.empty()) return false;
  ahead = to_open_.back();
  to_open_.pop_back();
  return true;
}

read_core::turn read_core::next_or_note(read_operation& op, bool& noted) noexcept {
  for (;;) {
    wakes due;
    bool found = false;
    bool stop = false;
    source_id ahead;
    {
      const scoped_lock hold(lock_);
      if (noted) note_woken();
      noted = false;
      retire(op, due);
      found = take(op, due);
      stop = stopping_;
      if (!found && !take_to_open(ahead) && !stop) {
        ++sleepers_;
        noted = true;
      }
    }
    send(due);
    if (found) return turn::found;
    if (!ahead.valid()) return stop ? turn::stopped : turn::nothing;
    files_.open_ahead(ahead);
  }
}

void read_core::note_woken() noexcept {
  --sleepers_;
  waking_ = false;
}

}  // namespace overture::io
