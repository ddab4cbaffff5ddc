// SPDX-License-Identifier: Zlib
//
// What the back ends share that keep many reads in flight on one thread: which reads are free, and
// which wait because their files could not be opened yet.
#pragma once

#include <new>
#include <span>
#include <utility>

#include "io/queue/read_core.hpp"

namespace overture::io_detail {

// A `Flight` has a `read_operation op` and a `Flight* next_free`, and what the system needs.
template <class Flight>
class flights {
 public:
  flights(read_core& core, unsigned count) noexcept : core_(core), count_(count) {}
  ~flights() {
    if (!all_) return;
    for (Flight& each : all()) each.~Flight();
    core_.config().memory->deallocate(all_, sizeof(Flight) * count_, alignof(Flight),
                                      memory_tag::io);
  }
  flights(const flights&) = delete;
  flights& operator=(const flights&) = delete;

  // False if memory was refused. Call it once.
  [[nodiscard]] bool make() noexcept {
    void* const room =
        core_.config().memory->allocate(sizeof(Flight) * count_, alignof(Flight), memory_tag::io);
    if (!room) return false;
    all_ = static_cast<Flight*>(room);
    for (unsigned i = 0; i < count_; ++i) {
      auto* const made = ::new (static_cast<void*>(all_ + i)) Flight;
      made->next_free = std::exchange(free_, made);
    }
    return true;
  }
  [[nodiscard]] std::span<Flight> all() noexcept { return {all_, count_}; }

  // Begins what can begin: first the reads that wait, then those of the core.
  template <class Begin, class BeginTaken>
  void begin_all(Begin begin, BeginTaken begin_taken) noexcept {
    while (Flight* const first = unopened_) {
      unopened_ = first->next_free;
      begin(*first);
      if (unopened_ == first) break;
    }
    while (free_ && !unopened_) {
      Flight& taken = *free_;
      const read_core::look_outcome outcome = core_.take_next_or_enlist(taken.op, enlisted_);
      stopped_ = outcome == read_core::look_outcome::stopped;
      if (outcome != read_core::look_outcome::found) return;
      free_ = taken.next_free;
      begin_taken(taken);
    }
  }
  // With reads in flight this thread must not wait: it is the one that ends them.
  [[nodiscard]] bool may_wait() const noexcept { return in_flight_ == 0; }
  // Whether the read can begin, after an attempt to open its file; if not, it has ended or waits.
  [[nodiscard]] bool is_open(Flight& of, operation_runner::opening how) noexcept {
    if (how == operation_runner::opening::ended) ended(of);
    if (how == operation_runner::opening::busy) of.next_free = std::exchange(unopened_, &of);
    return how == operation_runner::opening::open;
  }
  void begun() noexcept { ++in_flight_; }
  void landed() noexcept { --in_flight_; }
  void ended(Flight& of) noexcept {
    core_.leave(of.op);
    of.next_free = std::exchange(free_, &of);
  }
  // The queue was stopped, and nothing is left to do.
  [[nodiscard]] bool are_over() const noexcept { return stopped_ && in_flight_ == 0; }

 private:
  read_core& core_;
  const unsigned count_;
  Flight* all_ = nullptr;
  Flight* free_ = nullptr;
  Flight* unopened_ = nullptr;  // wait until another read has ended
  unsigned in_flight_ = 0;
  bool enlisted_ = false;  // among the sleepers of the core
  bool stopped_ = false;
};

// serve_with_uring() with this class.
template <class Reads>
void serve_with(read_core& core, unsigned depth, void (*ready)(void* context, bool verdict),
                void* context) noexcept {
  Reads reads(core, depth);
  const bool verdict = reads.set_up();
  ready(context, verdict);
  if (verdict) reads.serve();
}

}  // namespace overture::io_detail
