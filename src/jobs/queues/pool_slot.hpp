// SPDX-License-Identifier: Zlib
//
// What a thread needs to run jobs of a pool: a deque for the jobs and forks that it adds, spare
// records, counters. Each worker has a slot for life. Host threads borrow one of the `guests` for a
// submit, a wait or a parallel call.
#pragma once

#include <cstdint>

#include "base/threads/thread_name.hpp"
#include "jobs/queues/job_deque.hpp"
#include "jobs/queues/job_slab.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/parking_word.hpp"

namespace overture::jobs_detail {

struct pool_state;

// A counter that one thread writes and others read.
class own_counter {
 public:
  void add(std::uint64_t amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  atomic<std::uint64_t> value_{0};
};

struct alignas(detail::line_bytes) pool_slot {
  pool_state* pool = nullptr;
  unsigned number = 0;
  thread_handle thread;
  parking_word rest;        // a spare worker sleeps here while it is not needed
  bool is_blocked = false;  // inside a blocking_scope
  base_detail::thread_name name = {};

  // Only the thread that has the slot touches these.
  free_records spare_records;    // its own, so that submit and run share no line
  pool_slot* lender = nullptr;   // of a borrowed slot: the one its thread has otherwise
  std::uint32_t forks_open = 0;  // of a borrowed slot: forks that lie on it

  own_counter jobs_run;
  own_counter jobs_stolen;
  own_counter parks;
  own_counter wakes_futile;
  own_counter spun_ns;

  // What the slot's thread runs, a group or a fork_half, for threads that wait for it; and where on
  // the deque begins what it has forked since. They change in an order that never shows a start too
  // low for the work beside it.
  alignas(detail::line_bytes) atomic<const void*> runs{nullptr};
  atomic<std::uint64_t> forks_start{0};
  atomic<bool> borrowed{false};

  job_deque deque;

  // What it runs while this object lives.
  class running {
   public:
    running(pool_slot& slot, const void* work) noexcept
        : slot_(slot),
          outer_(slot.runs.load(std::memory_order_relaxed)),
          outer_start_(slot.forks_start.load(std::memory_order_relaxed)) {
      set(slot.deque.own_bottom(), work);
    }
    ~running() { set(outer_start_, outer_); }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

   private:
    void set(std::uint64_t start, const void* work) noexcept {
      slot_.runs.store(nullptr, std::memory_order_release);
      slot_.forks_start.store(start, std::memory_order_release);
      slot_.runs.store(work, std::memory_order_release);
    }

    pool_slot& slot_;
    const void* const outer_;
    const std::uint64_t outer_start_;
  };
};

}  // namespace overture::jobs_detail
