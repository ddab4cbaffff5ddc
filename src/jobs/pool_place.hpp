// A place in a pool: what a thread has that forks and runs jobs. Workers have theirs for life;
// threads of the host borrow one for the outermost parallel call.
#pragma once

#include <cstdint>

#include "base/thread_name.hpp"
#include "jobs/host_turn.hpp"
#include "jobs/idle/idle.hpp"
#include "jobs/job_deque.hpp"
#include "jobs/job_slab.hpp"
#include "overture/parking_word.hpp"
#include "overture/thread.hpp"

namespace overture {

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

struct alignas(64) pool_place {
  pool_state* pool = nullptr;
  unsigned number = 0;
  thread_handle thread;
  parking_word rest;        // of a spare worker, while it is not needed
  bool is_blocked = false;  // inside a blocking_scope
  thread_name name = {};

  // Only the thread that has the place touches what follows.
  free_records spare_records;  // its own, so that submit and run share no line
  std::uint32_t random = 0;    // picks the first victim
  jobs_detail::idle_state idle;
  host_turn turn;
  pool_place* lender = nullptr;      // of a borrowed place: the one its thread has otherwise
  job_group* ended_group = nullptr;  // jobs of it have ended that it has not been told of
  std::uint32_t ended_count = 0;
  std::uint32_t forks_open = 0;  // of a borrowed place: forks that lie on it

  own_counter jobs_run;
  own_counter jobs_stolen;
  own_counter parks;
  own_counter wakes_futile;
  own_counter spun_ns;

  // What this place runs, a group or a fork_half, for whoever waits for that, and where on the
  // queue begins what it has forked since. They change in an order that never shows a start that
  // is too low for the work beside it.
  alignas(64) atomic<const void*> runs{nullptr};
  atomic<std::uint64_t> forks_start{0};
  atomic<bool> borrowed{false};

  job_deque deque;

  // What it runs from here on, until the object ends.
  class window {
   public:
    window(pool_place& place, const void* work) noexcept
        : place_(place),
          outer_(place.runs.load(std::memory_order_relaxed)),
          outer_start_(place.forks_start.load(std::memory_order_relaxed)) {
      set(place.deque.own_bottom(), work);
    }
    ~window() { set(outer_start_, outer_); }
    window(const window&) = delete;
    window& operator=(const window&) = delete;

   private:
    void set(std::uint64_t start, const void* work) noexcept {
      place_.runs.store(nullptr, std::memory_order_release);
      place_.forks_start.store(start, std::memory_order_release);
      place_.runs.store(work, std::memory_order_release);
    }

    pool_place& place_;
    const void* const outer_;
    const std::uint64_t outer_start_;
  };
};

}  // namespace overture
