// SPDX-License-Identifier: Zlib
//
// The barricade and its relatives, compared with the alternatives.
//
//   polling    threads poll an event that has not happened yet
//   hurdles    threads run along a row of events, and the last to arrive lowers each
//   ladder     the same with the barricade alone and different spin policies
//   crowded    the hurdles beside busy threads, one for each processor
//   lowering   the cost of lowering with many threads asleep, and when the last of them runs
//   future     a shared_future that is ready
//
// std::shared_future stands for the one-shot events of other libraries, which allocate for each
// hurdle too, so that the build needs no packages for them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <overture/sync/future.hpp>
#include <random>
#include <thread>

#include "sync_hurdles.hpp"
#include "sync_parts.hpp"
#include "sync_peers.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using bench::keep;
using bench::median_ms;
using bench::on_threads;
using bench::print_table;
using bench::ratio_each;
using bench::row;
using bench::settings;
using bench::write_plot;

// -- polling --

// Not inlined, so that all threads run one copy of the loop.
template <class Event>
[[gnu::noinline]] void look_at(Event& event, std::uint64_t count) {
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < count; ++i) seen += event.is_lowered() ? 1 : 0;
  keep(seen);
}

template <class Event>
bench::variant polling(unsigned threads, std::uint64_t count) {
  auto event = std::make_shared<Event>();
  return {Event::name, [event, threads, count] {
            on_threads(threads, [&](unsigned) { look_at(*event, count); });
          }};
}

void measure_polling(const settings& set, bench::results& results) {
  std::vector<row> rows(5);
  for (const unsigned threads : set.threads) {
    // The slower ones run fewer, so that all take about the same time.
    const std::array<std::uint64_t, 5> counts = {set.polls, set.polls, set.kernel_polls,
                                                 set.polls / 1000, set.polls / 50};
    std::vector<bench::variant> variants;
    variants.push_back(polling<bench::plain_atomic>(threads, counts[0]));
    variants.push_back(polling<bench::barricade_event>(threads, counts[1]));
    variants.push_back(polling<bench::kernel_event>(threads, counts[2]));
    variants.push_back(polling<bench::condvar_event>(threads, counts[3]));
    variants.push_back(polling<bench::future_event>(threads, counts[4]));
    bench::interleave(variants, set.rounds, fmt::format("polling, {} threads", threads));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      rows[i].name = variants[i].name;
      const double ns_each = median_ms(variants[i]) * 1e6 / static_cast<double>(counts[i]);
      rows[i].cells.emplace_back(threads, ns_each);
      results.metric(fmt::format("polling, {} threads, {}: ns", threads, rows[i].name), ns_each);
    }
    const auto count = [&](std::size_t i) { return static_cast<double>(counts[i]); };
    results.goal(fmt::format("polling, {} threads: x plain atomic load", threads),
                 ratio_each(variants[1], count(1), variants[0], count(0)), 1.1);
    results.goal(fmt::format("polling, {} threads: x faster than {}", threads,
                             bench::kernel_event::mechanism),
                 ratio_each(variants[2], count(2), variants[1], count(1)), 300, false);
  }
  print_table("Polling: nanoseconds for one poll while all threads poll", rows, set.threads,
              "threads");
}

// -- lowering --

struct lowering_times {
  std::vector<double> call_us;  // what lower() took
  std::vector<double> last_us;  // until the last sleeper ran
};

// Threads that sleep on an event, are released, and come back for the next one. All events use the
// same threads, because the cost of a wake depends mostly on where the kernel has put the sleeper.
class sleepers {
 public:
  explicit sleepers(unsigned count) : woke_(count) {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this, i] { sleep(i); });
  }
  ~sleepers() {
    begin_round(nullptr);
    for (std::thread& thread : threads_) thread.join();
  }

  void lower_once(bench::slept_on& event, lowering_times& times) {
    event.raise();
    back_.store(0);
    going_.store(0);
    begin_round(&event);
    while (going_.load() != threads_.size()) std::this_thread::yield();
    // Long enough for all threads to stop spinning and fall asleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const auto begin = clock_type::now();
    event.lower(static_cast<unsigned>(threads_.size()));
    const auto end = clock_type::now();
    while (back_.load() != threads_.size()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    const auto microseconds = [begin](clock_type::time_point until) {
      return std::chrono::duration<double, std::micro>(until - begin).count();
    };
    times.call_us.push_back(microseconds(end));
    auto last = end;
    for (const auto& each : woke_) last = std::max(last, each);
    times.last_us.push_back(microseconds(last));
  }

 private:
  void begin_round(bench::slept_on* event) {
    event_ = event;
    round_.fetch_add(1);
    round_.notify_all();
  }
  void sleep(unsigned i) {
    for (unsigned round = 1;; ++round) {
      while (round_.load() < round) round_.wait(round - 1);
      if (!event_) return;
      going_.fetch_add(1);
      event_->wait();
      woke_[i] = clock_type::now();
      back_.fetch_add(1);
    }
  }

  bench::slept_on* event_ = nullptr;  // of this round; null: the threads end
  std::atomic<unsigned> round_{0};
  std::atomic<unsigned> going_{0};
  std::atomic<unsigned> back_{0};
  std::vector<clock_type::time_point> woke_;
  std::vector<std::thread> threads_;
};

std::vector<lowering_times> lower_in_turn(
    const std::vector<std::unique_ptr<bench::slept_on>>& events, unsigned waiters, int times) {
  sleepers all(waiters);
  std::vector<lowering_times> taken(events.size());
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  // Shuffled for each round: an event finds the threads where the one before has left them.
  std::mt19937 shuffled(waiters);
  for (int i = 0; i < times; ++i) {
    std::shuffle(order.begin(), order.end(), shuffled);
    for (const std::size_t which : order) all.lower_once(*events[which], taken[which]);
  }
  return taken;
}

void measure_lowering(const settings& set, bench::results& results) {
  const std::vector<unsigned>& waiters = set.sleepers;
  const auto events =
      bench::make_events<bench::barricade_event, bench::condvar_event, bench::semaphore_event,
                         bench::notify_all_event, bench::wake_all_event, bench::kernel_event>();
  std::vector<row> calls(events.size());
  std::vector<row> lasts(events.size());
  for (const unsigned count : waiters) {
    // With one asleep all variants make the same call; telling them apart takes more rounds.
    const int times = count == 1 ? 3 * set.lowerings : set.lowerings;
    const std::vector<lowering_times> taken = lower_in_turn(events, count, times);
    for (std::size_t i = 0; i < events.size(); ++i) {
      calls[i].name = lasts[i].name = events[i]->name();
      const double call_us = bench::spread_of(taken[i].call_us).median;
      const double last_us = bench::spread_of(taken[i].last_us).median;
      calls[i].cells.emplace_back(count, call_us);
      if (count != 0) lasts[i].cells.emplace_back(count, last_us);
      results.metric(fmt::format("lower, {} asleep, {}: us", count, calls[i].name), call_us);
      results.metric(fmt::format("last runs, {} asleep, {}: us", count, calls[i].name), last_us);
    }
    // Each round is compared with the best of the three peers that the goal names.
    if (count == 0) continue;
    std::vector<double> ratios;
    const double best = std::min({calls[1].at(count), calls[2].at(count), calls[3].at(count)});
    for (const double each : taken[0].call_us) ratios.push_back(each / best);
    results.goal(fmt::format("lower, {} asleep: x the best of the others", count),
                 bench::spread_of(ratios), 1);
  }
  print_table("Lowering: microseconds for the thread that lowers", calls, waiters, "asleep");
  print_table("Lowering: microseconds until the last sleeper runs", lasts, waiters, "asleep");
  write_plot(set, "sync_lower.svg", "Lowering with many asleep: cost to the thread that lowers",
             "threads asleep", "us for the call", calls, false);
}

// -- futures --

template <class Get>
[[gnu::noinline]] void take(const Get& get, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += static_cast<std::uint64_t>(get());
  keep(sum);
}

void measure_future(const settings& set, bench::results& results) {
  const std::uint64_t count = set.polls;
  auto made = *overture::promise<int>::make();
  const auto ours = made.future();
  made.set_value(1);
  std::promise<int> promised;
  const std::shared_future<int> theirs = promised.get_future().share();
  promised.set_value(1);
  std::atomic<int> word{1};
  // Each variant has its own copy of the handle, as a waiter does.
  std::vector<bench::variant> variants = {
      {"one atomic load",
       [&] { take([&word] { return word.load(std::memory_order_acquire); }, count); }},
      {"shared_future", [&] { take([future = ours] { return *future.get(); }, count); }},
      {"std::shared_future", [&] { take([future = theirs] { return future.get(); }, count); }}};
  bench::interleave(variants, set.rounds, "get when ready");
  for (const bench::variant& each : variants) {
    results.metric(fmt::format("get when ready, {}: ns", each.name),
                   median_ms(each) * 1e6 / static_cast<double>(count));
  }
  results.goal("get when ready: x one atomic load",
               bench::ratio(variants[1], variants[0], bench::clock::wall), 1.5);
  results.goal("get when ready: x std::shared_future",
               bench::ratio(variants[1], variants[2], bench::clock::wall), 0.5);
}

}  // namespace

int main(int argc, char** argv) try {
  settings set;
  std::string json_path;
  bool quick = false;
  bench::options line("Compares the barricade and its relatives with the alternatives", set.rounds,
                      json_path);
  line.word("--plots", set.plots, "write the plots to this folder");
  line.words("--only", set.only, "measure only these parts",
             {"polling", "hurdles", "crowded", "ladder", "lowering", "future"});
  line.numbers("--threads", set.threads, "thread counts");
  line.number("--polls", set.polls, "polls by each thread");
  line.number("--hurdles", set.hurdles, "hurdles in all rounds together");
  line.numbers("--sleepers", set.sleepers, "numbers of sleeping threads", {.least = 0});
  line.number("--lowerings", set.lowerings,
              "lowerings for each number of sleepers, three times as many for one");
  line.number("--pauses", bench::spin.pauses,
              "polls with pauses between them before a waiter sleeps", {.least = 0});
  line.number("--yields", bench::spin.yields,
              "polls with yields between them before a waiter sleeps", {.least = 0});
  line.number("--spin", bench::spin.nanoseconds, "minimum time for both, in nanoseconds",
              {.least = 0});
  line.flag("--quick", quick, "a hundredth of the work, to check that it runs");
  if (const std::optional<int> over = line.parse(argc, argv)) return *over;
  if (quick) {
    set.polls = 1'000'000;
    set.kernel_polls = 10'000;
    set.hurdles = 10'000;
    set.lowerings = 10;
  }

  bench::results results("sync");
  if (set.wants("polling")) measure_polling(set, results);
  if (set.wants("hurdles")) measure_hurdles(set, results);
  if (set.wants("crowded")) measure_crowded(set, results);
  if (set.wants("ladder")) measure_ladder(set, results);
  if (set.wants("lowering")) measure_lowering(set, results);
  if (set.wants("future")) measure_future(set, results);
  return results.finish(json_path);
} catch (const std::exception& failure) {
  fmt::print(stderr, "error: {}\n", failure.what());
  return 1;
}
