// SPDX-License-Identifier: Zlib
//
// Runs small multi-threaded programs through all their interleavings, or through random ones.
//
//   const auto seen = interleave::explore({.preemptions = 2}, [] {
//     barricade door;                                 // the shipped source, over these atomics
//     interleave::variable<int> value(0);
//     interleave::run({[&] { value.write(1); door.lower(); },
//                      [&] { door.wait({.spin = spin_policy::none()});
//                            interleave::check(value.read() == 1, "sees what was written"); }});
//   });
//   EXPECT_EQ(seen.failure, "");
//   EXPECT_TRUE(seen.complete);
//
// Threads are fibres on one real thread. Each operation on an atomic and each call of the wait
// layer is a step, before which the explorer decides which thread runs next. It keeps its decisions
// in a trail, and the next execution changes the last one that has an alternative left: a
// depth-first search. Bounds keep it short: on preemptions (switches away from a thread that could
// continue; nearly all known bugs need two or fewer) and on all deviations together. For larger
// programs the explorer decides at random instead, without these, from a seed that a failure
// prints.
//
// The modelled memory is weaker than the machine's. Each atomic keeps the history of its stores,
// and a load may return any of them that is not older than what the thread knows: from its own
// reads, from acquire and release, and from the order of sequentially consistent operations. So a
// load may also pass an earlier store to another object (store buffering). A compare-exchange may
// fail on such an old value, and a weak one spuriously. All other memory of the program and of the
// shipped sources is checked for races with vector clocks (watch.cpp). Not modelled: a load that
// sees a store from later in the execution, and a store that moves before an earlier one. Of fences
// there is only the heavy one of sync/asymmetric_fence.hpp, as the library uses no others: after it
// every thread sees all earlier stores, but plain data still needs an acquire.
//
// An execution fails if a check is false, on a race, on a use after the end of an object's
// lifetime, when all remaining threads sleep, when it runs for ever, and if the library keeps
// memory that it took.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

namespace interleave {

// How far an execution may deviate from the plain one, in which a thread runs until it sleeps or
// yields, the next one in turn follows, and all see the latest values.
struct bounds {
  unsigned preemptions = 2;
  unsigned stale_loads = 2;        // loads and failing compare-exchanges that return an old value
  unsigned early_returns = 1;      // waits that return without a wake
  unsigned spurious_failures = 1;  // of weak compare-exchanges
  unsigned deviations = 4;         // all of these together, and threads that run out of turn
  bool heavy_fences = true;        // false: they do nothing, as if left out
  bool watches = true;             // memory that is not atomic
  // The search ends there; ten times later if OVERTURE_LONG_TESTS is set in the environment, and
  // earlier if OVERTURE_INTERLEAVE_DIVISOR is, as in ./dev mutate.
  std::uint64_t executions_max = 3'000'000;
  // Unless 0: this many random executions instead of the search, likewise more or fewer. How often
  // each deviates is random too.
  std::uint64_t random = 0;
  std::uint64_t seed = 1;  // of those; OVERTURE_INTERLEAVE_SEED replaces it
};

struct outcome {
  std::string failure;    // "" if there was none; else what, the execution and its steps
  bool complete = false;  // every execution within the bounds was tried
  std::uint64_t executions = 0;
};

// Runs `program` repeatedly. It creates its objects, calls run() once, and may check the result.
outcome explore(const bounds& limits, const std::function<void()>& program);

// Runs the threads step by step until all have ended. After a failure the program goes no further,
// and its objects are abandoned.
void run(std::initializer_list<std::function<void()>> threads);

// Fails the execution unless `truth`.
void check(bool truth, const char* text);

// The number of the running thread: 0 outside of run(), 1 for the first.
unsigned this_thread();

// Waits for the end of that thread, and knows what it did.
void join(unsigned thread);
// Whether that thread sleeps in the wait layer. No step: for programs that wait for it by yielding.
bool asleep(unsigned thread);
// Lets other threads run. For an exhaustive search to end, every waiting loop must call this, and
// only one thread at a time may be in such a loop: two would take turns for ever.
void let_others_run();

// Whether the system has the heavy fence of sync/asymmetric_fence.hpp; what does without asks once,
// when it is made.
inline bool system_has_fences = true;

// Plain data that threads share, checked for races. Other memory is too, except with sanitizers.
class plain_access {
 public:
  plain_access() noexcept;
  plain_access(const plain_access&) = delete;
  plain_access& operator=(const plain_access&) = delete;
  ~plain_access();
  void read() const;
  void write();
};

template <class T>
class variable {
 public:
  explicit variable(T value) : value_(value) {}
  T read() const {
    access_.read();
    return value_;
  }
  void write(T value) {
    access_.write();
    value_ = value;
  }

 private:
  plain_access access_;
  T value_;
};

}  // namespace interleave
