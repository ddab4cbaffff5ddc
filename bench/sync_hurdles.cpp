// SPDX-License-Identifier: Zlib
//
// Threads that run along a row of events: alone, beside busy threads, and with different policies.
#include "sync_hurdles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>

#include "sync_parts.hpp"
#include "sync_peers.hpp"

namespace bench {

namespace {

// Events are reused, as in a real program: the last thread to arrive at one raises the one two
// further on, which all threads have left.
template <class Event>
class hurdle_row {
 public:
  void run(unsigned threads, std::uint64_t hurdles) {
    on_threads(threads, [&](unsigned) {
      for (std::uint64_t i = 0; i < hurdles; ++i) {
        hurdle& here = row_[i % row_.size()];
        if (here.arrived.fetch_add(1) + 1 == threads) {
          hurdle& later = row_[(i + 2) % row_.size()];
          later.arrived.store(0, std::memory_order_relaxed);
          later.event.raise();
          here.event.lower(threads - 1);
        } else {
          here.event.wait();
        }
      }
    });
    for (hurdle& each : row_) {
      each.arrived.store(0);
      each.event.raise();
    }
  }

 private:
  // Arriving threads write to one cache line, waiters read another.
  struct hurdle {
    alignas(64) std::atomic<unsigned> arrived{0};
    alignas(64) Event event;
  };
  std::array<hurdle, 4> row_;
};

template <class Event>
variant hurdles(unsigned threads, std::uint64_t count) {
  auto row = std::make_shared<hurdle_row<Event>>();
  return {Event::name, [row, threads, count] { row->run(threads, count); }};
}

variant barrier_hurdles(unsigned threads, std::uint64_t count) {
  auto barrier = std::make_shared<std::barrier<>>(threads);
  return {"std::barrier", [barrier, threads, count] {
            on_threads(threads, [&](unsigned) {
              for (std::uint64_t i = 0; i < count; ++i) barrier->arrive_and_wait();
            });
          }};
}

spread best_of(const std::vector<spread>& all) {
  return *std::min_element(all.begin(), all.end(),
                           [](const spread& a, const spread& b) { return a.median < b.median; });
}

// Of all threads together. The event of the kernel takes as many system calls as there are threads,
// and one more to raise it.
double sleeps_each(std::uint64_t slept_before, std::uint64_t hurdles_a_round, int rounds) {
  const std::uint64_t slept = overture::sync_detail::wait_layer::counts().waits - slept_before;
  const auto warm_up = 1;
  return static_cast<double>(slept) / static_cast<double>(hurdles_a_round) / (rounds + warm_up);
}

}  // namespace

void measure_hurdles(const settings& set, results& results) {
  std::vector<row> rows(5);
  // Peers run a fifth as many, as times for one hurdle are compared.
  const auto count = std::max<std::uint64_t>(set.hurdles / static_cast<unsigned>(set.rounds), 5);
  const std::uint64_t peer_count = count / 5;
  for (const unsigned threads : set.threads) {
    std::vector<variant> variants;
    variants.push_back(hurdles<barricade_event>(threads, count));
    variants.push_back(hurdles<kernel_event>(threads, peer_count));
    variants.push_back(hurdles<condvar_event>(threads, peer_count));
    variants.push_back(hurdles<future_event>(threads, peer_count));
    variants.push_back(barrier_hurdles(threads, peer_count));
    const std::uint64_t slept = overture::sync_detail::wait_layer::counts().waits;
    interleave(variants, set.rounds, fmt::format("hurdles, {} threads", threads));
    results.metric(fmt::format("hurdles, {} threads, barricade: sleeps each", threads),
                   sleeps_each(slept, count, set.rounds));
    std::vector<spread> against;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      rows[i].name = variants[i].name;
      const auto done = static_cast<double>(i == 0 ? count : peer_count);
      const double ns_each = median_ms(variants[i]) * 1e6 / done;
      rows[i].cells.emplace_back(threads, ns_each);
      results.metric(fmt::format("hurdles, {} threads, {}: ns", threads, rows[i].name), ns_each);
      if (i == 0) continue;
      against.push_back(ratio_each(variants[i], done, variants[0], static_cast<double>(count)));
    }
    const spread best = best_of(against);
    if (threads >= 2) {
      results.goal(fmt::format("hurdles, {} threads: x faster than the best other", threads), best,
                   1, false);
    } else {
      const spread inverse{1 / best.high, 1 / best.median, 1 / best.low};
      results.goal("hurdles, 1 thread: x the best other", inverse, 1.3);
    }
    results.goal(
        fmt::format("hurdles, {} threads: x faster than {}", threads, kernel_event::mechanism),
        against[0], threads <= std::thread::hardware_concurrency() ? 10 : 3, false);
  }
  print_table("Hurdles: nanoseconds from one hurdle to the next", rows, set.threads, "threads");
  write_plot(set, "sync_hurdles.svg", "Hurdles: the last to arrive lowers", "threads",
             "ns for one hurdle", rows, true);
}

// Hurdles while other threads compute on all processors, as another program would.
void measure_crowded(const settings& set, results& results) {
  const auto count = std::max<std::uint64_t>(set.hurdles / 100, 5);
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  others.reserve(std::thread::hardware_concurrency());
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    others.emplace_back([&over] {
      while (!over.load(std::memory_order_relaxed)) keep(0);
    });
  }
  std::vector<row> rows(3);
  const std::vector<unsigned> crowds = {2, 4};
  for (const unsigned threads : crowds) {
    std::vector<variant> variants;
    variants.push_back(hurdles<barricade_event>(threads, count));
    variants.push_back(hurdles<kernel_event>(threads, count));
    variants.push_back(hurdles<condvar_event>(threads, count));
    interleave(variants, set.rounds, fmt::format("crowded, {} threads", threads));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      rows[i].name = variants[i].name;
      const double us_each = median_ms(variants[i]) * 1e3 / static_cast<double>(count);
      rows[i].cells.emplace_back(threads, us_each);
      results.metric(fmt::format("crowded, {} threads, {}: us", threads, rows[i].name), us_each);
    }
    results.goal(fmt::format("crowded, {} threads: x {}", threads, kernel_event::mechanism),
                 ratio(variants[0], variants[1], clock::wall), 5);
  }
  over = true;
  for (std::thread& each : others) each.join();
  print_table("Hurdles beside busy threads: microseconds for one", rows, crowds, "threads");
}

// Hurdles with the barricade alone. The default spin_policy is chosen from this.
void measure_ladder(const settings& set, results& results) {
  const std::vector<overture::spin_policy> policies = {
      {0, 0, 0},    {12, 4, 0},     {4, 16, 0},      {0, 16, 0},      {12, 40, 0},
      {100, 16, 0}, {4, 4, 10'000}, {4, 16, 10'000}, {4, 16, 25'000}, {4, 16, 50'000}};
  const auto count = std::max<std::uint64_t>(set.hurdles / 20, 5);
  std::vector<row> rows;
  rows.reserve(policies.size());
  for (const overture::spin_policy& policy : policies) {
    rows.push_back({fmt::format("{} pauses, {} yields, {} us", policy.pauses, policy.yields,
                                policy.nanoseconds / 1000),
                    {}});
  }
  const overture::spin_policy before = spin;
  for (const unsigned threads : set.threads) {
    std::vector<variant> variants;
    for (const overture::spin_policy& policy : policies) {
      variant each = hurdles<barricade_event>(threads, count);
      variants.push_back({"", [policy, run = each.run] {
                            spin = policy;
                            run();
                          }});
    }
    interleave(variants, set.rounds, fmt::format("ladder, {} threads", threads));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const double ns_each = median_ms(variants[i]) * 1e6 / static_cast<double>(count);
      rows[i].cells.emplace_back(threads, ns_each);
      results.metric(fmt::format("ladder, {} threads, {}: ns", threads, rows[i].name), ns_each);
    }
  }
  spin = before;
  print_table("Ladder: nanoseconds for one hurdle", rows, set.threads, "threads");
}

}  // namespace bench
