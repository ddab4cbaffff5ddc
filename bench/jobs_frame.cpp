// SPDX-License-Identifier: Zlib
//
// A game that loads. At the start of each frame the main thread submits 200 jobs of 20 to 100
// microseconds. Another thread completes reads at random times, each a job that submits four more.
// The main thread sleeps until the next frame, so the workers run all jobs.
#include <fmt/format.h>

#include <overture/base/thread.hpp>
#include <overture/sync/barricade.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>

#include "jobs_parts.hpp"

namespace bench {
namespace {

using overture::now_ns;

constexpr std::uint64_t frame_ns = 16'666'667;
constexpr int jobs_in_frame = 200;
constexpr double reads_in_frame = 8;

void sleep_until_ns(std::uint64_t at_ns) {
  overture::barricade never;
  const std::uint64_t now = now_ns();
  if (now >= at_ns) return;
  (void)never.wait_for(std::chrono::nanoseconds(at_ns - now),
                       {.spin = overture::spin_policy::none()});
}

// Work of a fixed number of steps, whatever else runs.
std::uint64_t steps(std::uint64_t count) {
  std::uint64_t mixed = count;
  for (std::uint64_t i = 0; i < count; ++i) mixed = mixed * 6364136223846793005u + 1;
  return mixed;
}
double steps_in_us() {
  const std::uint64_t begin_ns = now_ns();
  constexpr std::uint64_t count = 20'000'000;
  static std::atomic<std::uint64_t> kept;
  kept.store(steps(count));
  return static_cast<double>(count) * 1e3 / static_cast<double>(now_ns() - begin_ns);
}

std::uint64_t thread_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

class game {
 public:
  game(job_peer& peer, int frames, double per_us) : peer_(peer), frames_(frames) {
    // Log-normal, clamped to 20 .. 100 microseconds; the same jobs for each system.
    std::mt19937 random(7);
    std::lognormal_distribution<double> length(std::log(40.0), 0.5);
    for (int i = 0; i < jobs_in_frame; ++i) {
      const double us = std::min(100.0, std::max(20.0, length(random)));
      work_.push_back({this, static_cast<std::uint64_t>(us * per_us)});
    }
    read_ = {this, static_cast<std::uint64_t>(20 * per_us)};
    for (frame_job& each : work_) contexts_.push_back(&each);
  }

  void play() {
    std::atomic<bool> over{false};
    std::thread disk([&] { complete_reads(over); });
    const double cpu_before = cpu_seconds();
    const std::uint64_t begin_ns = now_ns();
    for (int frame = 0; frame < frames_; ++frame) {
      const std::uint64_t at_ns = begin_ns + static_cast<std::uint64_t>(frame) * frame_ns;
      sleep_until_ns(at_ns);
      left_.store(jobs_in_frame);
      ended_ns_.store(0);
      const std::uint64_t submit_ns = now_ns();
      peer_.expect(at_ns + frame_ns);
      peer_.submit_all([](void* self) { static_cast<frame_job*>(self)->run(); }, contexts_);
      api_us.push_back(static_cast<double>(now_ns() - submit_ns) / 1e3);
      while (ended_ns_.load() == 0) sleep_until_ns(now_ns() + 100'000);
      frame_us.push_back(static_cast<double>(ended_ns_.load() - submit_ns) / 1e3);
    }
    const double jobs_ns = static_cast<double>(jobs_cpu_ns_.load());
    const double all_ns = (cpu_seconds() - cpu_before) * 1e9;
    const auto passed_ns = static_cast<double>(now_ns() - begin_ns);
    cpu_share = all_ns / passed_ns;
    cpu_beyond_jobs = (all_ns - jobs_ns) / passed_ns;
    over.store(true);
    disk.join();
    while (reads_left_.load() != 0) sleep_until_ns(now_ns() + 100'000);
  }

  std::vector<double> api_us;
  std::vector<double> frame_us;
  double cpu_share = 0;
  double cpu_beyond_jobs = 0;  // the frame's own threads, searching and wakes of the pool

 private:
  struct frame_job {
    game* owner = nullptr;
    std::uint64_t length = 0;
    void run() const {
      owner->pass(length);
      if (owner->left_.fetch_sub(1) == 1) owner->ended_ns_.store(now_ns());
    }
  };

  // The work of a job. Counts its CPU time, since processor speeds vary by more than pools differ.
  void pass(std::uint64_t length) {
    const std::uint64_t before_ns = thread_cpu_ns();
    kept.fetch_add(steps(length), std::memory_order_relaxed);
    jobs_cpu_ns_.fetch_add(thread_cpu_ns() - before_ns, std::memory_order_relaxed);
  }
  void complete_reads(const std::atomic<bool>& over) {
    std::mt19937 random(11);
    std::exponential_distribution<double> pause(reads_in_frame / static_cast<double>(frame_ns));
    peer_.thread_begins();
    while (!over.load()) {
      sleep_until_ns(now_ns() + static_cast<std::uint64_t>(pause(random)));
      reads_left_.fetch_add(5);
      peer_.submit([](void* self) { static_cast<game*>(self)->read_is_there(); }, this);
    }
    peer_.thread_ends();
  }
  void read_is_there() {
    pass(read_.length);
    for (int i = 0; i < 4; ++i) {
      peer_.submit(
          [](void* self) {
            auto& owner = *static_cast<game*>(self);
            owner.pass(owner.read_.length);
            owner.reads_left_.fetch_sub(1);
          },
          this);
    }
    reads_left_.fetch_sub(1);
  }

  static inline std::atomic<std::uint64_t> kept;

  job_peer& peer_;
  const int frames_;
  std::vector<frame_job> work_;
  std::vector<void*> contexts_;
  frame_job read_;
  std::atomic<std::uint64_t> jobs_cpu_ns_{0};
  std::atomic<int> left_{0};
  std::atomic<std::uint64_t> ended_ns_{0};
  std::atomic<int> reads_left_{0};
};

}  // namespace

void measure_frame(const jobs_settings& set, results& results, peer_makers makers) {
  turns_of_systems api_us;
  turns_of_systems cpu;
  turns_of_systems beyond;
  turns_of_systems p99_us;
  const double per_us = steps_in_us();
  std::minstd_rand order;  // NOLINT(cert-msc51-cpp): any order will do, the same in each run
  for (int turn = 0; turn < set.turns; ++turn) {
    // Shuffled, so that what one system leaves running does not always hit the same next one.
    std::shuffle(makers.begin(), makers.end(), order);
    for (const auto& make : makers) {
      const auto peer = make();
      if (!peer) continue;
      game played(*peer, set.frames, per_us);
      played.play();
      api_us[peer->name].push_back(spread_of(played.api_us).median);
      cpu[peer->name].push_back(played.cpu_share);
      beyond[peer->name].push_back(played.cpu_beyond_jobs);
      p99_us[peer->name].push_back(percentile(played.frame_us, 0.99));
    }
  }
  const auto compare = [&](const std::string& what, const std::string& unit,
                           turns_of_systems& all) {
    for (const auto& [name, values] : all) {
      results.metric(fmt::format("frame, {}: {} {}", name, what, unit), spread_of(values).median);
    }
    const best_system best = best_of(all, [](const std::string& name) { return !is_ours(name); });
    for (const char* const ours : {"overture", "overture told", "overture warm"}) {
      results.metric(fmt::format("frame, {}: {} x the best of each turn", ours, what),
                     ratio(all[ours], best.of_turn).median);
      results.goal(fmt::format("frame, {}: {} x the best other ({})", ours, what, best.name),
                   ratio(all[ours], all[best.name]), 1.0);
    }
  };
  compare("main thread in the API a frame,", "us", api_us);
  compare("CPU", "share", cpu);
  for (const auto& [name, shares] : beyond) {
    results.metric(fmt::format("frame, {}: CPU beyond the jobs, share", name),
                   spread_of(shares).median);
  }
  compare("99th percentile of the frame,", "us", p99_us);
}

}  // namespace bench
