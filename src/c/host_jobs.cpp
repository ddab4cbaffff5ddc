// SPDX-License-Identifier: Zlib
#include "c/host_jobs.hpp"

#include <bit>
#include <chrono>
#include <new>
#include <utility>

#include "jobs/sleep/this_thread.hpp"
#include "overture/base/thread.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::c {

using namespace jobs_detail;
using sync_detail::scoped_lock;

namespace {

std::int32_t number_of(job_priority priority) noexcept {
  if (priority == job_priority::high) return OVERTURE_JOB_HIGH;
  return priority == job_priority::low ? OVERTURE_JOB_LOW : OVERTURE_JOB_NORMAL;
}

}  // namespace

host_jobs::~host_jobs() {
  while (record* const one = free_) {
    free_ = one->next;
    one->~record();
    memory_.deallocate(one, sizeof(record), alignof(record), memory_tag::jobs);
  }
}

host_jobs::record* host_jobs::take_record() noexcept {
  {
    const scoped_lock hold(lock_);
    if (record* const one = free_) {
      free_ = one->next;
      return one;
    }
  }
  void* const room = memory_.allocate(sizeof(record), alignof(record), memory_tag::jobs);
  return room == nullptr ? nullptr : ::new (room) record;
}

// Lists are in the order of submitting. The jobs of a group are a ring, which it knows the first
// of.
void host_jobs::link(record& one) noexcept {
  one.waits = true;
  one.next = nullptr;
  one.previous = last_;
  (last_ != nullptr ? last_->next : first_) = &one;
  last_ = &one;
  if (one.group == nullptr) return;
  auto* const head = std::bit_cast<record*>(one.group->begin());
  if (head == nullptr) {
    one.next_of_group = one.previous_of_group = &one;
    one.group->set_begin(std::bit_cast<std::uint64_t>(&one));
    return;
  }
  one.next_of_group = head;
  one.previous_of_group = head->previous_of_group;
  head->previous_of_group->next_of_group = &one;
  head->previous_of_group = &one;
}

void host_jobs::unlink(record& one) noexcept {
  one.waits = false;
  (one.previous != nullptr ? one.previous->next : first_) = one.next;
  (one.next != nullptr ? one.next->previous : last_) = one.previous;
  if (one.group == nullptr) return;
  const bool is_last = one.next_of_group == &one;
  if (is_last) return one.group->set_begin(0);
  one.next_of_group->previous_of_group = one.previous_of_group;
  one.previous_of_group->next_of_group = one.next_of_group;
  if (one.group->begin() == std::bit_cast<std::uint64_t>(&one)) {
    one.group->set_begin(std::bit_cast<std::uint64_t>(one.next_of_group));
  }
}

// From the call on, the record and the group may be gone.
void host_jobs::hand_over(record& one, job_priority priority) noexcept {
  how_.submit(how_.context, run_record, &one, number_of(priority));
}

void host_jobs::submit(job work, job_group* group, const job_options& options) noexcept {
  if (group != nullptr) group->begin_job();
  record* const one = take_record();
  if (one == nullptr) return run(work, group, options);
  one->system = this;
  one->work = std::move(work);
  one->group = group;
  one->options = options;
  given_.fetch_add(1, std::memory_order_relaxed);
  const job_priority priority = options.priority;
  {
    const scoped_lock hold(lock_);
    link(*one);
  }
  // A thread that waits may run it from now on, and the group and the options may end.
  changed_.notify_all();
  hand_over(*one, priority);
}

void host_jobs::run_record(void* context) {
  auto& one = *static_cast<record*>(context);
  host_jobs& system = *one.system;
  fork_half* half = nullptr;
  bool is_first = false;
  {
    const scoped_lock hold(system.lock_);
    half = std::exchange(one.half, nullptr);
    if (half != nullptr) half->thief.store(&one, std::memory_order_relaxed);
    is_first = one.waits;
    if (is_first) system.unlink(one);
  }
  if (half != nullptr) system.run(*half);
  if (is_first) system.run(one.work, one.group, one.options);
  {
    const scoped_lock hold(system.lock_);
    one.next = std::exchange(system.free_, &one);
  }
  system.given_.fetch_sub(1, std::memory_order_release);  // the last: the system may be gone
}

void host_jobs::run(job& work, job_group* group, const job_options& options) noexcept {
  {
    // Its captures are destroyed inside, too: they must not wait for its own group.
    const on_stack frame(reports_, options.name, group);
    const bool is_dropped = is_cancelled(options.token, group);
    if (!is_dropped && options.name != nullptr) {
      const zone shown(options.name, {.colour = options.colour});
      work();
    } else if (!is_dropped) {
      work();
    }
    work = job();
  }
  const bool is_last = group != nullptr && group->end_job();
  if (is_last || runs_in_waits()) changed_.notify_all();
}

bool host_jobs::run_one(const job_group* group) noexcept {
  job work;
  job_group* of = nullptr;
  job_options options;
  {
    const scoped_lock hold(lock_);
    record* const one = group != nullptr ? std::bit_cast<record*>(group->begin()) : first_;
    if (one == nullptr) return false;
    unlink(*one);
    // Once the lock is free, the program's call may come, and use the record again.
    work = std::move(one->work);
    of = one->group;
    options = one->options;
  }
  run(work, of, options);
  return true;
}

void host_jobs::sleep(event_count::key_type key, std::uint64_t deadline_ns, std::uint64_t now,
                      const char* reason) noexcept {
  const wait_options shown{.reason = reason};
  if (deadline_ns == 0) return changed_.wait(key, shown);
  (void)changed_.wait_for(key, std::chrono::nanoseconds(deadline_ns - now), shown);
}

bool host_jobs::wait_until(job_group& group, std::uint64_t deadline_ns) noexcept {
  if (group.pending() == 0) return true;
  if (refuse_wait(reports_, group)) return false;
  while (group.pending() != 0) {
    const bool helped = run_one(&group);
    if (group.pending() == 0) break;
    const std::uint64_t now = deadline_ns != 0 ? now_ns() : 0;
    if (deadline_ns != 0 && now >= deadline_ns) return false;
    if (helped) continue;
    const auto key = changed_.prepare_wait();
    if (group.pending() == 0 || run_one(&group)) {
      changed_.cancel_wait();
      continue;
    }
    sleep(key, deadline_ns, now, wait_reasons::group);
  }
  return true;
}

bool host_jobs::help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept {
  if (!runs_in_waits()) return false;
  while (!done()) {
    const bool helped = try_help();
    const std::uint64_t now = deadline_ns != 0 ? now_ns() : 0;
    if (deadline_ns != 0 && now >= deadline_ns) return done();
    if (helped) continue;
    const auto key = changed_.prepare_wait();
    if (done() || try_help()) {
      changed_.cancel_wait();
      continue;
    }
    sleep(key, deadline_ns, now, wait_reasons::future);
  }
  return true;
}

void host_jobs::fork(fork_half& half) noexcept {
  record* const one = how_.threads == 0 ? nullptr : take_record();
  half.slot = one;
  if (one == nullptr) return;
  half.below = this_thread_jobs().innermost;
  one->system = this;
  one->half = &half;
  given_.fetch_add(1, std::memory_order_relaxed);
  hand_over(*one, job_priority::normal);
}

void host_jobs::join(fork_half& half) noexcept {
  if (half.slot == nullptr) return half.run(half);
  bool is_free = false;
  {
    const scoped_lock hold(lock_);
    is_free = half.thief.load(std::memory_order_relaxed) == nullptr;
    if (is_free) static_cast<record*>(half.slot)->half = nullptr;
  }
  if (is_free) return half.run(half);
  const auto is_done = [&] {
    return half.state.load(std::memory_order_acquire) == fork_half::done;
  };
  changed_.await(is_done, {.reason = wait_reasons::group});
}

void host_jobs::run(fork_half& half) noexcept {
  {
    const on_stack frame(reports_, static_cast<running_job*>(half.below));
    half.run(half);
  }
  half.state.store(fork_half::done, std::memory_order_release);  // from here on it may be gone
  changed_.notify_all();
}

}  // namespace overture::c
