// What releasing sleepers costs the thread that releases them: pools of ours by policy, beside
// every sleeper woken by one call, a semaphore posted once for each, a condition variable and a
// bare futex.
#include <fmt/format.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <condition_variable>
#include <mutex>
#include <overture/job_batch.hpp>
#include <overture/thread.hpp>
#include <overture/thread_pool.hpp>

#include "jobs_parts.hpp"
#include "plot.hpp"

namespace bench {
namespace {

using namespace overture;

// Who has counted itself as asleep is about to be.
void fall_asleep() {
  const std::uint64_t until_ns = now_ns() + 50'000;
  while (now_ns() < until_ns) yield_thread();
}

// Threads that sleep until they are released, again and again.
class sleepers {
 public:
  virtual ~sleepers() = default;
  // Returns when all sleep.
  virtual void settle() = 0;
  virtual void release(unsigned count) = 0;
};

class pool_sleepers final : public sleepers {
 public:
  pool_sleepers(unsigned count, wake_policy policy)
      : pool_({.workers = count, .wake = policy, .warm_ns = 2'000'000'000}),
        asleep_(policy == wake_policy::warm ? count - 1 : count),
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

// What threads of the other ways share: they count themselves when they go to sleep.
template <class Way>
class thread_sleepers final : public sleepers {
 public:
  explicit thread_sleepers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
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

// As many job systems do: whatever is added, everybody is woken.
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
  std::vector<double> us;
};

std::vector<way> ways_of(unsigned count) {
  std::vector<way> all;
  all.push_back({"overture park", std::make_unique<pool_sleepers>(count, wake_policy::park), {}});
  all.push_back({"overture warm", std::make_unique<pool_sleepers>(count, wake_policy::warm), {}});
  all.push_back({"all", std::make_unique<thread_sleepers<all_way>>(count), {}});
  all.push_back({"semaphore", std::make_unique<thread_sleepers<semaphore_way>>(count), {}});
  all.push_back(
      {"condition variable", std::make_unique<thread_sleepers<condition_way>>(count), {}});
  all.push_back({"futex", std::make_unique<thread_sleepers<futex_way>>(count), {}});
  return all;
}

double percentile(std::vector<double> values, double which) {
  const auto at = static_cast<std::size_t>(which * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// One figure: so many asleep, `released(asleep)` of them released.
template <class Released>
void draw(const jobs_settings& set, results& results, const std::string& what,
          const std::string& file, const std::vector<unsigned>& numbers, Released released,
          bool goals) {
  std::vector<plot_line> lines;
  std::vector<plot_line> rare;  // the 99th percentiles of ours
  for (const unsigned asleep : numbers) {
    std::vector<way> all = ways_of(asleep);
    // The unit: one of as many threads, which sleep on one futex.
    thread_sleepers<futex_way> unit_way(asleep);
    std::vector<double> unit;
    const auto once = [](sleepers& which, unsigned count, std::vector<double>& us) {
      which.settle();
      const std::uint64_t start_ns = now_ns();
      which.release(count);
      us.push_back(static_cast<double>(now_ns() - start_ns) / 1e3);
    };
    for (int i = 0; i < set.wakes; ++i) {
      once(unit_way, 1, unit);
      for (way& each : all) once(*each.asleep, released(asleep), each.us);
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
      if (i < 2) {
        if (rare.size() <= i) rare.push_back({all[i].name + ", p99", {}});
        rare[i].points.emplace_back(asleep, p99);
      }
      if (lines.size() <= i) lines.push_back({all[i].name, {}});
      lines[i].points.emplace_back(asleep, median);
      if (goals && i < 2) {
        spread ratio = spread_of(all[i].us);
        ratio = {ratio.low / unit_us, ratio.median / unit_us, ratio.high / unit_us};
        results.goal(name + ": x one futex wake", ratio, i == 0 ? 1.3 : 0.1);
      }
    }
  }
  if (set.plots.empty()) return;
  lines.insert(lines.end(), rare.begin(), rare.end());
  write_svg(
      {.title = what, .x_label = "threads asleep", .y_label = "us for the call", .lines = lines},
      set.plots + "/" + file);
}

}  // namespace

void measure_wake(const jobs_settings& set, results& results) {
  draw(
      set, results, "releasing all", "jobs_wake_all.svg", {1, 2, 4, 8, 16, 31},
      [](unsigned asleep) { return asleep; }, true);
  draw(
      set, results, "releasing one", "jobs_wake_one.svg", {1, 4, 8, 24, 32},
      [](unsigned) { return 1u; }, false);
}

}  // namespace bench
