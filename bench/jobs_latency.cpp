// SPDX-License-Identifier: Zlib
//
// One job at a time: from submit to start after pauses, and the cost of a trickle of jobs.
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <overture/base/thread.hpp>
#include <overture/sync/barricade.hpp>
#include <random>
#include <thread>

#include "jobs_parts.hpp"

namespace bench {
namespace {

using overture::now_ns;

// Sleeps, so that every core may go idle.
void pause_for(std::uint64_t ns) {
  overture::barricade never;
  if (ns == 0) return;
  (void)never.wait_for(std::chrono::nanoseconds(ns), {.spin = overture::spin_policy::none()});
}

void pass_time(std::uint64_t ns) {
  // A shorter sleep consists mostly of its own overhead.
  constexpr std::uint64_t sleep_min_ns = 200'000;
  if (ns > sleep_min_ns) return pause_for(ns);
  const std::uint64_t until_ns = now_ns() + ns;
  while (now_ns() < until_ns) overture::spin_hint();
}

struct timed_job {
  std::atomic<std::uint64_t> started_ns{0};
  static void run(void* context) { static_cast<timed_job*>(context)->started_ns.store(now_ns()); }
};

struct times {
  std::vector<double> call_us;
  std::vector<double> start_us;
};

void submit_one(job_peer& peer, times& into) {
  timed_job one;
  const std::uint64_t begin_ns = now_ns();
  peer.submit(timed_job::run, &one);
  const std::uint64_t returned_ns = now_ns();
  while (one.started_ns.load() == 0) overture::spin_hint();
  into.call_us.push_back(static_cast<double>(returned_ns - begin_ns) / 1e3);
  into.start_us.push_back(static_cast<double>(one.started_ns.load() - begin_ns) / 1e3);
}

// The floors: instead of a pool, one thread that polls one slot for a job or sleeps on it.
class one_thread_peer final : public job_peer {
 public:
  enum class waits : std::uint8_t { polls, sleeps };
  static constexpr const char* polls_name = "a thread that polls";
  static constexpr const char* sleeps_name = "a thread that sleeps";

  explicit one_thread_peer(waits way) : sleeps_(way == waits::sleeps) {
    name = sleeps_ ? sleeps_name : polls_name;
    thread_ = std::thread([this] { work(); });
  }
  ~one_thread_peer() override {
    submit(nullptr, nullptr);
    thread_.join();
  }
  void submit(void (*run)(void*), void* context) noexcept override {
    while (posted_.load(std::memory_order_acquire) != 0) overture::spin_hint();
    run_ = run;
    context_ = context;
    posted_.store(1, std::memory_order_release);
    if (sleeps_) syscall(SYS_futex, &posted_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  std::uint64_t fib(unsigned /*n*/) override { return 0; }
  std::uint64_t skynet(std::uint64_t /*first*/, std::uint64_t /*leaves*/) override { return 0; }
  std::uint64_t queens(const queens_board& /*board*/, int /*size*/) override { return 0; }
  bool empty_jobs(std::size_t /*count*/, unsigned /*submitters*/, bool /*batched*/) override {
    return false;
  }

 private:
  void work() {
    for (;;) {
      if (posted_.load(std::memory_order_acquire) == 0) {
        wait();
        continue;
      }
      auto* const run = run_;
      void* const context = context_;
      posted_.store(0, std::memory_order_release);
      if (run == nullptr) return;
      run(context);
    }
  }
  void wait() {
    if (!sleeps_) return overture::spin_hint();
    syscall(SYS_futex, &posted_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }

  const bool sleeps_;
  std::atomic<std::uint32_t> posted_{0};
  void (*run_)(void*) = nullptr;  // null ends the thread
  void* context_ = nullptr;
  std::thread thread_;
};

// Waits until the system has started up and its threads sleep, if they ever do.
void settle(job_peer& peer) {
  times ignored;
  for (int i = 0; i < 20; ++i) submit_one(peer, ignored);
  pause_for(50'000'000);
}

void submit_at_gaps(job_peer& peer, std::uint64_t gap_ns, int count, times& into) {
  for (int i = 0; i < count; ++i) {
    pass_time(gap_ns);
    submit_one(peer, into);
  }
}

// After longer gaps the threads of all other pools sleep.
constexpr std::uint64_t spun_through_ns = 200'000;

}  // namespace

// Only one system exists at a time: workers of another would take the core that is measured.
void measure_gaps(const jobs_settings& set, results& results, peer_makers makers) {
  makers.emplace_back([&] { return make_overture(set.threads, "spin"); });
  makers.emplace_back([&] { return make_overture(set.threads, "batch"); });
  makers.emplace_back(
      [] { return std::make_unique<one_thread_peer>(one_thread_peer::waits::polls); });
  std::minstd_rand order;  // NOLINT(cert-msc51-cpp): any order will do, the same in each run
  for (const std::uint64_t gap_ns : {0ull, 20'000ull, 200'000ull, 3'000'000ull, 16'600'000ull}) {
    // In each turn the kernel places the threads anew, and the distance between their processors
    // changes times by a factor of three.
    const int turns = set.turns * 3;
    const bool is_long = gap_ns > 1'000'000;
    const int count = is_long ? set.gaps / (4 * turns) + 1 : set.gaps;
    turns_of_systems calls_us;
    turns_of_systems starts_us;
    turns_of_systems first_us;
    for (int turn = 0; turn < turns; ++turn) {
      // Shuffled, so that what one system leaves running does not always hit the same next one.
      std::shuffle(makers.begin(), makers.end(), order);
      for (const auto& make : makers) {
        const auto peer = make();
        if (!peer) continue;
        times first;
        times taken;
        settle(*peer);
        submit_at_gaps(*peer, gap_ns, is_long ? 2 : 20, first);
        submit_at_gaps(*peer, gap_ns, count, taken);
        calls_us[peer->name].push_back(spread_of(taken.call_us).median);
        starts_us[peer->name].push_back(spread_of(taken.start_us).median);
        first_us[peer->name].push_back(spread_of(first.start_us).median);
      }
    }
    const std::string what = fmt::format("gap {} us", gap_ns / 1000);
    for (const auto& [name, each] : starts_us) {
      results.metric(fmt::format("{}, {}: submit call us", what, name),
                     spread_of(calls_us[name]).median);
      results.metric(fmt::format("{}, {}: submit to start us", what, name), spread_of(each).median);
      results.metric(fmt::format("{}, {}: the first jobs after a rest, us", what, name),
                     spread_of(first_us[name]).median);
    }
    // The pools that spin: ours with that policy and, while the gaps are short, all others too.
    const best_system best = best_of(starts_us, [&](const std::string& name) {
      if (name == "overture spin") return true;
      return gap_ns <= spun_through_ns && !is_ours(name) && name != one_thread_peer::polls_name;
    });
    results.goal(what + ", park: submit to start, x TBB",
                 ratio(starts_us["overture"], starts_us["TBB"]), 1.0);
    results.metric(what + ", warm: submit to start, x the best of each turn",
                   ratio(starts_us["overture warm"], best.of_turn).median);
    results.goal(
        fmt::format("{}, warm: submit to start, x the best that spins ({})", what, best.name),
        ratio(starts_us["overture warm"], starts_us[best.name]), 1.2);
  }
}

void measure_burn(const jobs_settings& set, results& results, peer_makers makers) {
  makers.emplace_back(
      [] { return std::make_unique<one_thread_peer>(one_thread_peer::waits::sleeps); });
  for (const std::uint64_t period_ns : {1'000'000ull, 16'600'000ull, 1'000'000'000ull}) {
    const bool idle = period_ns == 1'000'000'000;
    const std::string what =
        idle ? "idle" : fmt::format("1 job each {:.1f} ms", static_cast<double>(period_ns) / 1e6);
    turns_of_systems burnt;
    const auto burn = [&](const std::string& name, auto submit) {
      const double before = cpu_seconds();
      const std::uint64_t until_ns = now_ns() + set.burn_ns;
      while (now_ns() < until_ns) {
        if (!idle) submit();
        pause_for(period_ns);
      }
      burnt[name].push_back((cpu_seconds() - before) * 1e9 / static_cast<double>(set.burn_ns));
    };
    for (int turn = 0; turn < set.turns; ++turn) {
      // This is part of every system's share.
      burn("the loop alone", [] {});
      for (const auto& make : makers) {
        const auto peer = make();
        if (!peer) continue;
        settle(*peer);
        burn(peer->name, [&peer] { peer->submit([](void*) {}, nullptr); });
      }
    }
    for (const auto& [name, shares] : burnt) {
      results.metric(fmt::format("{}, {}: CPU share", what, name), spread_of(shares).median);
    }
    const bool enki = burnt.count("enkiTS") != 0;
    const std::string other = enki ? "enkiTS" : "TBB";
    if (idle) continue;
    results.metric(fmt::format("{}, {}: CPU, x {}", what, one_thread_peer::sleeps_name, other),
                   ratio(burnt[one_thread_peer::sleeps_name], burnt[other]).median);
    results.goal(fmt::format("{}, park: CPU, x {}", what, other),
                 ratio(burnt["overture"], burnt[other]), enki ? 1.5 : 0.3);
  }
}

}  // namespace bench
