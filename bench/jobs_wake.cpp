// SPDX-License-Identifier: Zlib
//
// What releasing sleepers costs the thread that releases them: our pools by policy, compared with
// waking every sleeper in one call, a semaphore posted once for each, a condition variable and a
// bare futex; and with the same jobs submitted to a pool where no worker sleeps.
//
// A thread that is woken onto its waker's processor preempts it in the middle of the call. Where
// the kernel puts it differs from run to run. So each figure is taken twice: with the sleepers of
// every variant kept off the main thread's processor, which measures the call alone; and with all
// of them left to the kernel, where a pool with batch scheduling is measured too.
//
// A virtual machine's processors may be moved between two calls to where a cache line takes four
// times as long from one to the other. Submitting jobs is little else, so the round trip of a line
// is printed with each number of sleepers that are kept apart.
#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <condition_variable>
#include <mutex>
#include <overture/base/spin.hpp>
#include <overture/base/thread.hpp>
#include <overture/jobs/thread_pool.hpp>

#include "jobs_parts.hpp"
#include "plot.hpp"

namespace bench {
namespace {

using namespace overture;

// Which processors the sleepers may use: all, or all but the main thread's.
class placement {
 public:
  explicit placement(bool apart) : apart_(apart) {
    sched_getaffinity(0, sizeof all_, &all_);
    if (!apart) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) CPU_SET(cpu, &one);
    }
    CPU_XOR(&others_, &all_, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~placement() { sched_setaffinity(0, sizeof all_, &all_); }
  placement(const placement&) = delete;
  placement& operator=(const placement&) = delete;

  [[nodiscard]] bool apart() const { return apart_; }
  // The affinity mask for the sleepers of a pool.
  [[nodiscard]] std::uint64_t mask() const {
    std::uint64_t bits = 0;
    for (unsigned cpu = 0; apart_ && cpu < 64; ++cpu) {
      if (CPU_ISSET(cpu, &others_)) bits |= std::uint64_t{1} << cpu;
    }
    return bits;
  }
  // Called on the thread of a sleeper.
  void take() const {
    if (apart_) sched_setaffinity(0, sizeof others_, &others_);
  }
  static bool can_be_apart() {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1;
  }

 private:
  bool apart_;
  cpu_set_t all_{};
  cpu_set_t others_{};
};

// To a processor of the sleepers and back. Call while all of them sleep.
double line_there_and_back_ns(const placement& where) {
  constexpr unsigned rounds = 2'000;
  struct alignas(64) line {
    std::atomic<unsigned> round{0};
  };
  line there;
  line back;
  std::thread other([&] {
    where.take();
    for (unsigned i = 1; i <= rounds; ++i) {
      while (there.round.load(std::memory_order_acquire) != i) spin_hint();
      back.round.store(i, std::memory_order_release);
    }
  });
  std::vector<double> ns;
  for (unsigned i = 1; i <= rounds; ++i) {
    const std::uint64_t start_ns = now_ns();
    there.round.store(i, std::memory_order_release);
    while (back.round.load(std::memory_order_acquire) != i) spin_hint();
    ns.push_back(static_cast<double>(now_ns() - start_ns));
  }
  other.join();
  return spread_of(ns).median;
}

// A thread that has counted itself as asleep may still be on its way.
void fall_asleep() {
  const std::uint64_t until_ns = now_ns() + 50'000;
  while (now_ns() < until_ns) yield_thread();
}

// Threads that sleep until they are released, over and over.
class sleepers {
 public:
  virtual ~sleepers() = default;
  // Returns when all sleep.
  virtual void settle() = 0;
  virtual void release(unsigned count) = 0;
};

class pool_sleepers final : public sleepers {
 public:
  // With the policy `spin` one worker, so that none sleeps, and releasing is submitting.
  pool_sleepers(const placement& where, unsigned count, wake_policy policy, bool batch = false)
      : pool_({.workers = policy == wake_policy::spin ? 1 : count,
               .worker_thread = {.affinity_mask = where.mask(), .batch_scheduling = batch},
               .wake = policy,
               .tuning = {.warm_ns = 2'000'000'000}}),
        asleep_(policy == wake_policy::park ? count : pool_.workers() - 1),
        jobs_(count) {}
  void settle() override {
    while (ran_.load() != expected_ || pool_.stats().parked_now != asleep_) yield_thread();
    fall_asleep();
    for (job& each : jobs_) each = job([this] { ran_.fetch_add(1); });
  }
  void release(unsigned count) override {
    expected_ += count;
    pool_.submit_all({jobs_.data(), count});
  }

 private:
  std::atomic<unsigned> ran_{0};
  unsigned expected_ = 0;
  thread_pool pool_;
  const unsigned asleep_;
  std::vector<job> jobs_;
};

// The threads of the other variants, which count themselves when they go to sleep.
template <class Way>
class thread_sleepers final : public sleepers {
 public:
  thread_sleepers(const placement& where, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, &where] {
        where.take();
        for (;;) {
          waiting_.fetch_add(1);
          way_.wait();
          waiting_.fetch_sub(1);
          back_.fetch_add(1);
          if (over_.load()) return;
        }
      });
    }
  }
  ~thread_sleepers() override {
    over_.store(true);
    settle();
    way_.release(static_cast<unsigned>(threads_.size()));
    for (std::thread& each : threads_) each.join();
  }
  void settle() override {
    while (back_.load() != released_ || waiting_.load() != threads_.size()) yield_thread();
    fall_asleep();
  }
  void release(unsigned count) override {
    released_ += count;
    way_.release(count);
  }

 private:
  Way way_;
  std::atomic<unsigned> waiting_{0};
  std::atomic<unsigned> back_{0};
  std::atomic<bool> over_{false};
  unsigned released_ = 0;
  std::vector<std::thread> threads_;
};

struct futex_way {
  std::atomic<std::uint32_t> tickets{0};
  void wait() {
    for (;;) {
      std::uint32_t seen = tickets.load();
      while (seen != 0) {
        if (tickets.compare_exchange_weak(seen, seen - 1)) return;
      }
      syscall(SYS_futex, &tickets, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  }
  void release(unsigned count) {
    tickets.fetch_add(count);
    syscall(SYS_futex, &tickets, FUTEX_WAKE_PRIVATE, static_cast<int>(count), nullptr, nullptr, 0);
  }
};

// As many job systems do: wakes all workers, whatever is added.
struct all_way {
  std::atomic<std::uint32_t> tickets{0};
  std::atomic<std::uint32_t> rounds{0};
  void wait() {
    for (;;) {
      const std::uint32_t round = rounds.load();
      std::uint32_t seen = tickets.load();
      while (seen != 0) {
        if (tickets.compare_exchange_weak(seen, seen - 1)) return;
      }
      syscall(SYS_futex, &rounds, FUTEX_WAIT_PRIVATE, round, nullptr, nullptr, 0);
    }
  }
  void release(unsigned count) {
    tickets.fetch_add(count);
    rounds.fetch_add(1);
    syscall(SYS_futex, &rounds, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
};

struct semaphore_way {
  sem_t semaphore;
  semaphore_way() { sem_init(&semaphore, 0, 0); }
  void wait() {
    while (sem_wait(&semaphore) != 0) {
    }
  }
  void release(unsigned count) {
    for (unsigned i = 0; i < count; ++i) sem_post(&semaphore);
  }
};

struct condition_way {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned tickets = 0;
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return tickets != 0; });
    --tickets;
  }
  void release(unsigned count) {
    {
      const std::lock_guard lock(mutex);
      tickets += count;
    }
    if (count == 1) {
      changed.notify_one();
    } else {
      changed.notify_all();
    }
  }
};

struct way {
  std::string name;
  std::unique_ptr<sleepers> asleep;
  double goal;  // in wakes of one futex; 0: none
  std::vector<double> us;
};

std::vector<way> ways_of(const placement& where, unsigned count) {
  std::vector<way> all;
  const auto add = [&all](const char* name, std::unique_ptr<sleepers> asleep, double goal = 0) {
    all.push_back({name, std::move(asleep), goal, {}});
  };
  add("overture, none asleep", std::make_unique<pool_sleepers>(where, count, wake_policy::spin));
  add("overture park", std::make_unique<pool_sleepers>(where, count, wake_policy::park), 1.3);
  add("overture warm", std::make_unique<pool_sleepers>(where, count, wake_policy::warm), 0.1);
  if (!where.apart()) {
    add("overture park, batch scheduling",
        std::make_unique<pool_sleepers>(where, count, wake_policy::park, true), 1.3);
  }
  add("all", std::make_unique<thread_sleepers<all_way>>(where, count));
  add("semaphore", std::make_unique<thread_sleepers<semaphore_way>>(where, count));
  add("condition variable", std::make_unique<thread_sleepers<condition_way>>(where, count));
  add("futex", std::make_unique<thread_sleepers<futex_way>>(where, count));
  return all;
}
constexpr std::size_t none_asleep_way = 0;

spread in_units(const spread& of, double unit) {
  return {of.low / unit, of.median / unit, of.high / unit};
}

struct figure {
  std::string what;
  std::string file;  // of the plot; empty: there is none
  std::vector<unsigned> asleep;
  bool all;  // releases all of them, otherwise one
};

// What a call of ours costs in units, in total and beyond the submit: the part that is due to
// sleepers, without the cost of submitting as many jobs.
void add_goals(results& results, const std::string& name, const way& ours, const way& none_asleep,
               double unit_us) {
  results.goal(name + ": x one futex wake", in_units(spread_of(ours.us), unit_us), ours.goal);
  std::vector<double> more_us;
  more_us.reserve(ours.us.size());
  for (std::size_t i = 0; i < ours.us.size(); ++i) {
    more_us.push_back(ours.us[i] - none_asleep.us[i]);
  }
  results.goal(name + ", beyond the submit: x one futex wake",
               in_units(spread_of(more_us), unit_us), ours.goal);
}

void draw(const jobs_settings& set, results& results, const placement& where, const figure& drawn) {
  std::vector<plot_line> lines;
  std::vector<plot_line> rare;  // the 99th percentiles of ours
  const std::string what = drawn.what + (where.apart() ? ", kept apart" : ", left to the kernel");
  for (const unsigned asleep : drawn.asleep) {
    if (where.apart()) {
      results.metric(fmt::format("{}, {} asleep, a line there and back: ns", what, asleep),
                     line_there_and_back_ns(where));
    }
    std::vector<way> all = ways_of(where, asleep);
    // The unit: waking one of as many threads that sleep on one futex.
    thread_sleepers<futex_way> unit_way(where, asleep);
    std::vector<double> unit;
    const auto once = [](sleepers& which, unsigned count, std::vector<double>& us) {
      which.settle();
      const std::uint64_t start_ns = now_ns();
      which.release(count);
      us.push_back(static_cast<double>(now_ns() - start_ns) / 1e3);
    };
    for (int i = 0; i < set.wakes; ++i) {
      once(unit_way, 1, unit);
      for (way& each : all) once(*each.asleep, drawn.all ? asleep : 1, each.us);
    }
    const double unit_us = percentile(unit, 0.5);
    results.metric(fmt::format("{}, {} asleep, one futex wake: us", what, asleep), unit_us);
    for (way& each : all) each.asleep->settle();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string name = fmt::format("{}, {} asleep, {}", what, asleep, all[i].name);
      const double median = percentile(all[i].us, 0.5);
      results.metric(name + ": us", median);
      const double p99 = percentile(all[i].us, 0.99);
      results.metric(name + ", p99: us", p99);
      if (all[i].goal != 0) {
        const std::string rare_name = all[i].name + ", p99";
        const auto named = [&](const plot_line& each) { return each.name == rare_name; };
        auto line = std::find_if(rare.begin(), rare.end(), named);
        if (line == rare.end()) line = rare.insert(line, {rare_name, {}});
        line->points.emplace_back(asleep, p99);
      }
      if (lines.size() <= i) lines.push_back({all[i].name, {}});
      lines[i].points.emplace_back(asleep, median);
      if (drawn.all && all[i].goal != 0) {
        add_goals(results, name, all[i], all[none_asleep_way], unit_us);
      }
    }
  }
  if (set.plots.empty() || drawn.file.empty()) return;
  lines.insert(lines.end(), rare.begin(), rare.end());
  write_svg(
      {.title = what, .x_label = "threads asleep", .y_label = "us for the call", .lines = lines},
      set.plots + "/" + drawn.file);
}

}  // namespace

void measure_wake(const jobs_settings& set, results& results) {
  const std::vector<unsigned> some{1, 2, 4, 8, 16, 31};
  const std::vector<unsigned> others{1, 4, 8, 24, 32};
  if (placement::can_be_apart()) {
    const placement apart(true);
    draw(set, results, apart, {"releasing all", "jobs_wake_all.svg", some, true});
    draw(set, results, apart, {"releasing one", "", others, false});
  }
  draw(set, results, placement(false), {"releasing all", "", some, true});
}

}  // namespace bench
