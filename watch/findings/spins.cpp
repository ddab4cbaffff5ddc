// SPDX-License-Identifier: Zlib
//
// Threads that wait on a core: calls over and over that the recorder counted, and, by samples, one
// place that a thread does not leave while others work.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

// A loop that looks at a flag is that short: it loads, compares, jumps, and may pause. Longer ones
// do work, as a rule.
constexpr std::uint64_t loop_bytes_max = 16;
constexpr std::size_t loop_instructions_max = 4;
constexpr std::uint64_t run_samples_min = 20;
constexpr std::uint64_t gap_samples_max = 200;  // a thread may have no core for a while
constexpr double others_share_min = 0.25;

// Samples that follow each other at one place.
struct sample_run {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t count = 0;
  std::set<std::uint64_t> addresses = {};
};

class spin_finder {
 public:
  explicit spin_finder(const load_view& view) : view_(view), process_(view.process) {}

  void find(std::vector<finding>& to) const {
    for (std::uint32_t i = 0; i < process_.threads.size(); ++i) {
      find_calls(i, to);
      if (process_.sample_ns != 0) find_places(i, to);
    }
  }

 private:
  struct call_sums {
    std::uint64_t ns = 0;
    std::uint64_t calls = 0;
    std::map<std::uint64_t, std::uint64_t> callers;
  };

  void find_calls(std::uint32_t thread, std::vector<finding>& to) const {
    std::map<spin_call, call_sums> by_call;
    std::uint64_t ns = 0;
    for (const watched_event& each : process_.threads[thread].events) {
      if (each.kind != event_kind::spin || each.begin_ns >= view_.end_ns()) continue;
      call_sums& sums = by_call[static_cast<spin_call>(each.id)];
      const std::uint64_t took = std::min(each.end_ns, view_.end_ns()) - each.begin_ns;
      ns += took;
      sums.ns += took;
      sums.calls += each.calls();
      sums.callers[each.place()] += took;
    }
    if (ns == 0) return;
    finding made = told(thread, ns);
    for (const auto& [call, sums] : by_call) {
      made.evidence.push_back(fmt::format("{} of {} in a row, from {}.",
                                          report_detail::counted(sums.calls, "call", "calls"),
                                          words_of(call), places_words(process_, sums.callers)));
    }
    add_queued(made);
    to.push_back(made);
  }

  void find_places(std::uint32_t thread, std::vector<finding>& to) const {
    std::uint64_t ns = 0;
    std::map<std::string, std::uint64_t> places;
    for (const sample_run& each : runs_of(process_.threads[thread])) {
      if (!is_spin(each, thread)) continue;
      ns += each.end_ns - each.begin_ns;
      places[process_.code_at(each.low)] += each.end_ns - each.begin_ns;
    }
    if (ns == 0) return;
    finding made = told(thread, ns);
    made.evidence.push_back(fmt::format("It did not leave a few instructions of {}, by samples.",
                                        largest_first(places).front().first));
    add_queued(made);
    to.push_back(made);
  }

  [[nodiscard]] finding told(std::uint32_t thread, std::uint64_t ns) const {
    return {.kind = finding_kind::spinning,
            .ns = ns,
            .what = fmt::format("On a core, {} spins until something changes.",
                                thread_words(process_, thread)),
            .evidence = {},
            .advice =
                "Sleep on a condition, a semaphore or std::atomic::wait(), at least after "
                "some microseconds: others have the core meanwhile."};
  }

  // Who could have had the core.
  void add_queued(finding& to) const {
    std::uint64_t queued_ns = 0;
    for (const watched_thread& each : process_.threads) {
      if (each.kernel) queued_ns += each.kernel->queued_ns;
    }
    if (queued_ns < view_.end_ns() / 100) return;
    to.evidence.push_back(fmt::format("In the whole run, threads were ready for {} without a core.",
                                      time_text(queued_ns)));
  }

  // Outside of events.
  [[nodiscard]] std::vector<sample_run> runs_of(const watched_thread& thread) const {
    std::vector<sample_run> runs;
    auto event = thread.events.begin();
    std::uint64_t inside_until = 0;
    for (const thread_sample& each : thread.samples) {
      if (each.at_ns >= view_.end_ns()) break;
      for (; event != thread.events.end() && event->begin_ns <= each.at_ns; ++event) {
        inside_until = std::max(inside_until, event->end_ns);
      }
      if (each.at_ns < inside_until) continue;
      if (runs.empty() || !continues(runs.back(), each)) {
        runs.push_back({each.at_ns, each.at_ns, each.address, each.address});
      }
      sample_run& run = runs.back();
      run.end_ns = each.at_ns + process_.sample_ns;
      run.low = std::min(run.low, each.address);
      run.high = std::max(run.high, each.address);
      ++run.count;
      run.addresses.insert(each.address);
    }
    return runs;
  }

  [[nodiscard]] bool continues(const sample_run& run, const thread_sample& sample) const {
    const std::uint64_t low = std::min(run.low, sample.address);
    const std::uint64_t high = std::max(run.high, sample.address);
    return high - low <= loop_bytes_max &&
           sample.at_ns <= run.end_ns + gap_samples_max * process_.sample_ns;
  }

  [[nodiscard]] bool is_spin(const sample_run& run, std::uint32_t thread) const {
    if (run.count < run_samples_min || run.addresses.size() > loop_instructions_max) return false;
    // Copying large memory is one instruction there.
    const watched_module* const module = process_.module_of(run.low);
    if (module && module->path.find("/libc.so") != std::string::npos) return false;
    std::uint64_t others_ns = 0;
    for (std::uint32_t i = 0; i < process_.threads.size(); ++i) {
      if (i != thread) others_ns += work_in(process_.threads[i], run);
    }
    const auto spun_ns = static_cast<double>(run.count * process_.sample_ns);
    return static_cast<double>(others_ns) >= others_share_min * spun_ns;
  }

  static std::uint64_t time_of(const thread_sample& of) { return of.at_ns; }
  static std::uint64_t time_of(const watched_event& of) { return of.begin_ns; }

  // By samples, and in file access that began meanwhile, which they do not see. Who spins, too,
  // does no work.
  [[nodiscard]] std::uint64_t work_in(const watched_thread& thread, const sample_run& run) const {
    std::uint64_t ns = 0;
    const auto is_before = [](const auto& each, std::uint64_t at_ns) {
      return time_of(each) < at_ns;
    };
    const auto first_in = [&](const auto& list) {
      return std::lower_bound(list.begin(), list.end(), run.begin_ns, is_before);
    };
    for (auto at = first_in(thread.samples); at != thread.samples.end(); ++at) {
      if (at->at_ns >= run.end_ns) break;
      ns += process_.sample_ns;
    }
    std::uint64_t spun_ns = 0;
    for (auto at = first_in(thread.events); at != thread.events.end(); ++at) {
      if (at->begin_ns >= run.end_ns) break;
      const std::uint64_t took_ns = std::min(at->end_ns, run.end_ns) - at->begin_ns;
      if (is_file_access(at->kind)) ns += took_ns;
      if (at->kind == event_kind::spin) spun_ns += took_ns;
    }
    return ns - std::min(ns, spun_ns);
  }

  const load_view& view_;
  const watched_process& process_;
};

}  // namespace

void find_spins(const load_view& view, std::vector<finding>& to) {
  spin_finder(view).find(to);
}

}  // namespace overture::watch
