// One job at a time: from submit to start after pauses, and what a trickle costs.
#include <fmt/format.h>

#include <overture/barricade.hpp>
#include <overture/thread.hpp>

#include "jobs_parts.hpp"

namespace bench {
namespace {

using overture::now_ns;

// Sleeps, so that both cores may too.
void pause_for(std::uint64_t ns) {
  overture::barricade never;
  if (ns != 0) (void)never.wait_for(std::chrono::nanoseconds(ns));
}

void pass_time(std::uint64_t ns) {
  // A sleep of less is mostly the sleep's own cost.
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

}  // namespace

void measure_gaps(const jobs_settings& set, results& results,
                  const std::vector<std::shared_ptr<job_peer>>& all) {
  for (const std::uint64_t gap_ns : {0ull, 20'000ull, 200'000ull, 3'000'000ull, 16'600'000ull}) {
    std::vector<times> taken(all.size());
    const int count = gap_ns > 1'000'000 ? set.gaps / 4 : set.gaps;
    for (int i = 0; i < count; ++i) {
      for (std::size_t p = 0; p < all.size(); ++p) {
        pass_time(gap_ns);
        submit_one(*all[p], taken[p]);
      }
    }
    const std::string what = fmt::format("gap {} us", gap_ns / 1000);
    double tbb_us = 0;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const spread start = spread_of(taken[p].start_us);
      if (all[p]->name == "TBB") tbb_us = start.median;
      results.metric(fmt::format("{}, {}: submit call us", what, all[p]->name),
                     spread_of(taken[p].call_us).median);
      results.metric(fmt::format("{}, {}: submit to start us", what, all[p]->name), start.median);
    }
    if (tbb_us == 0) continue;
    spread ours = spread_of(taken[0].start_us);
    ours = {ours.low / tbb_us, ours.median / tbb_us, ours.high / tbb_us};
    results.goal(what + ", park: submit to start, x TBB", ours, 1.0);
  }
}

void measure_burn(const jobs_settings& set, results& results, const peer_makers& makers) {
  for (const std::uint64_t period_ns : {1'000'000ull, 16'600'000ull, 1'000'000'000ull}) {
    const std::string what =
        period_ns == 1'000'000'000
            ? "idle"
            : fmt::format("1 job each {:.1f} ms", static_cast<double>(period_ns) / 1e6);
    std::vector<double> burnt;
    std::vector<std::string> names;
    for (const auto& make : makers) {
      const auto peer = make();
      if (!peer) continue;
      times ignored;
      submit_one(*peer, ignored);
      pause_for(100'000'000);
      const double before = cpu_seconds();
      const std::uint64_t until_ns = now_ns() + set.burn_ns;
      while (now_ns() < until_ns) {
        if (period_ns != 1'000'000'000) peer->submit([](void*) {}, nullptr);
        pause_for(period_ns);
      }
      burnt.push_back((cpu_seconds() - before) * 1e9 / static_cast<double>(set.burn_ns));
      names.push_back(peer->name);
      results.metric(fmt::format("{}, {}: CPU share", what, names.back()), burnt.back());
    }
    const auto against = [&](const std::string& other, double goal) {
      for (std::size_t i = 1; i < names.size(); ++i) {
        if (names[i] != other || period_ns == 1'000'000'000) continue;
        const double ratio = burnt[0] / burnt[i];
        results.goal(fmt::format("{}, park: CPU, x {}", what, other), {ratio, ratio, ratio}, goal);
      }
    };
    const bool enki = std::find(names.begin(), names.end(), "enkiTS") != names.end();
    against(enki ? "enkiTS" : "TBB", enki ? 1.5 : 0.3);
  }
}

}  // namespace bench
