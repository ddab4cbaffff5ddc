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
// depth-first search. A bound on preemptions (switches away from a thread that could continue)
// keeps it short; nearly all known bugs need two or fewer. For larger programs the explorer decides
// at random instead, without that bound, from a seed that a failure prints.
//
// Memory is weaker than the machine it runs on. Each atomic keeps the history of its stores; a load
// that is not forced to see the latest may return an older one: any that is not older than what the
// thread knows of by its own reads, by acquire and release, and by the order of sequentially
// consistent operations. So a load may also pass an earlier store to another object (store
// buffering). A compare-exchange may fail on such an old value, and a weak one for no reason. All
// other memory of the program and of the shipped sources is checked for races by vector clocks
// (watch.cpp). Not modelled: a load that sees a store which comes later in the execution, a store
// that takes its place before an earlier one, and fences other than the heavy one of
// sync/asymmetric_fence.hpp: after it each thread sees all that was stored before it. It makes no
// data known that an acquire would not. The library uses no others.
//
// An execution fails if a check is false, on a race, on a use after the end of an object's
// lifetime, when all remaining threads sleep, and when it runs for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

namespace interleave {

// How far an execution may deviate from the plain one, in which a thread runs until it sleeps or
// yields, the next one follows, and all see the latest values.
struct bounds {
  unsigned preemptions = 2;
  unsigned stale_loads = 2;        // loads and failing compare-exchanges that see an old value
  unsigned early_returns = 1;      // waits that return for no reason
  unsigned spurious_failures = 1;  // weak compare-exchanges that fail for no reason
  unsigned deviations = 4;         // all of these together, and threads that do not follow in turn
  bool heavy_fences = true;        // false: they do nothing, as if they were left out
  bool watches = true;             // memory that is not an atomic
  // The search ends there; where the environment has OVERTURE_LONG_TESTS, ten times later.
  std::uint64_t executions_max = 3'000'000;
  // This many executions by chance instead of the search, and as many more in long tests. How often
  // each deviates is drawn too.
  std::uint64_t random = 0;
  std::uint64_t seed = 1;  // for random executions; OVERTURE_INTERLEAVE_SEED overrides it
};

struct outcome {
  std::string failure;    // "" if there was none; else what, the execution and its steps
  bool complete = false;  // every execution within the bounds was tried
  std::uint64_t executions = 0;
};

// Runs `program` repeatedly. It creates its objects, calls run() once, and may check the result.
outcome explore(const bounds& limits, const std::function<void()>& program);

// Runs the threads to their ends, step by step. After a failure the program goes no further, and
// its objects are left as they are.
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

// Plain data that threads share. Other memory is watched as well, except with sanitizers.
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
