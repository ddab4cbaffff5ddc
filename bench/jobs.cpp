// SPDX-License-Identifier: Zlib
//
// The job system compared with TBB, and with those of these peers that OVERTURE_PEERS has:
//   enkiTS     enkiTS/src with its headers, and a prebuilt enkiTS/libenkiTS.a
//   Taskflow   taskflow/taskflow/taskflow.hpp
//   marl       marl/include, and a prebuilt marl/libmarl.a
//   dispenso   dispenso/dispenso with its headers, and a prebuilt dispenso/libdispenso.a
//   libfork    libfork/single_header/libfork.hpp (forks only; shown without a goal)
//
//   forkjoin   fib, skynet and nqueens without a cut-off
//   empty      a million empty jobs from one and from four threads, single and batched
//   graphs     a wavefront, a tree and a chain of dependent jobs, built in advance
//   gaps       one job, submit to start, after pauses of several lengths
//   burn       CPU time of a trickle of jobs, and of none
//   frame      60 frames a second, 200 jobs each, while reads complete
//   wake       what releasing sleepers costs the releasing thread (a plot)
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "jobs_parts.hpp"
#include "options.hpp"

namespace {

using bench::is_ours;
using bench::jobs_settings;

using peers = std::vector<std::shared_ptr<bench::job_peer>>;

bench::spread times_faster(const bench::variant& other, const bench::variant& ours) {
  return bench::ratio(other, ours, bench::clock::wall);
}

// Adds metrics for all, and goals for how many times faster each of ours is than each other one.
void compare(const jobs_settings& set, bench::results& results, const std::string& what,
             std::vector<bench::variant>& variants, double tbb_goal) {
  bench::interleave(variants, set.rounds, what);
  for (const bench::variant& each : variants) {
    results.metric(fmt::format("{}, {}: ms", what, each.name),
                   bench::time_of(each, bench::clock::wall).median * 1e3);
    results.metric(fmt::format("{}, {}: CPU ms", what, each.name),
                   bench::time_of(each, bench::clock::cpu).median * 1e3);
  }
  for (const bench::variant& ours : variants) {
    for (const bench::variant& other : variants) {
      if (!is_ours(ours.name) || is_ours(other.name)) continue;
      const std::string name = fmt::format("{}, {}: x faster than {}", what, ours.name, other.name);
      if (other.name == "libfork") {
        results.metric(name, times_faster(other, ours).median);
        continue;
      }
      results.goal(name, times_faster(other, ours), other.name == "TBB" ? tbb_goal : 1.0, false);
    }
  }
}

void measure_forkjoin(const jobs_settings& set, const peers& all, bench::results& results) {
  const auto run = [&](const std::string& what, double goal, auto body) {
    std::vector<bench::variant> variants;
    for (const auto& peer : all) {
      if (!peer->has_forks()) continue;
      variants.push_back({peer->name, [peer, body] { body(*peer); }});
    }
    compare(set, results, what, variants, goal);
  };
  run(fmt::format("fib({})", set.fib), 1.5, [&](bench::job_peer& peer) { peer.fib(set.fib); });
  run("skynet", 1.0, [&](bench::job_peer& peer) { peer.skynet(0, set.skynet); });
  run(fmt::format("nqueens({})", set.queens), 1.0,
      [&](bench::job_peer& peer) { peer.queens({}, set.queens); });
}

// enkiTS runs a job inside the submit once 256 are queued, ours once 65,536 are; a variant of ours
// that does so at 1,024 is measured too. A batch from one thread is a parallel loop with grain 1,
// which enkiTS lacks: its task set of a million is one task with a loop. Only ours has batches from
// several threads, so they are compared with the single jobs of the others.
void measure_empty(const jobs_settings& set, peers all, bench::results& results) {
  all.insert(all.begin() + 1, bench::make_overture(set.threads, "bounded"));
  const auto add = [&set](std::vector<bench::variant>& to, const auto& peer, unsigned submitters,
                          bool batched, const std::string& name) {
    if (!peer->empty_jobs(16, submitters, batched)) return;
    to.push_back({name, [peer, submitters, batched, &set] {
                    peer->empty_jobs(set.empty, submitters, batched);
                  }});
  };
  for (const unsigned submitters : {1u, 4u}) {
    std::vector<bench::variant> single;
    for (const auto& peer : all) {
      add(single, peer, submitters, false, peer->name);
      if (submitters != 1 && is_ours(peer->name)) {
        add(single, peer, submitters, true, peer->name + " batched");
      }
    }
    compare(set, results,
            fmt::format("{} empty jobs, {} thread{}", set.empty, submitters,
                        submitters == 1 ? "" : "s"),
            single, 1.0);
  }
  std::vector<bench::variant> loops;
  for (const auto& peer : all) {
    if (peer->name != "overture bounded") add(loops, peer, 1, true, peer->name);
  }
  compare(set, results, fmt::format("{} empty jobs, 1 thread, batched", set.empty), loops, 1.0);
}

}  // namespace

bench::best_system bench::best_of(const turns_of_systems& all,
                                  const std::function<bool(const std::string&)>& counts) {
  best_system best;
  double best_median = 0;
  for (const auto& [name, turns] : all) {
    if (!counts(name)) continue;
    const double median = spread_of(turns).median;
    if (best.name.empty() || median < best_median) {
      best.name = name;
      best_median = median;
    }
    if (best.of_turn.empty()) best.of_turn = turns;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      best.of_turn[i] = std::min(best.of_turn[i], turns[i]);
    }
  }
  return best;
}

int main(int argc, char** argv) try {
  jobs_settings set;
  std::string json_path;
  bool quick = false;
  bench::options line("Compares the job system with others", set.rounds, json_path);
  line.word("--plots", set.plots, "write the plot to this folder");
  line.words("--only", set.only, "measure only these parts",
             {"forkjoin", "empty", "graphs", "gaps", "burn", "frame", "wake"});
  line.number("--threads", set.threads, "threads of each system, including the main thread");
  line.number("--turns", set.turns, "turns of each system, in parts that run one system at a time");
  line.number("--frames", set.frames, "frames in each turn");
  line.flag("--quick", quick, "little work, to check that it runs");
  if (const std::optional<int> over = line.parse(argc, argv)) return *over;
  if (quick) set.make_quick();

  bench::results results("jobs");
  const auto peers_now = [&] {
    peers all;
    all.emplace_back(bench::make_overture(set.threads));
    all.emplace_back(bench::make_tbb(set.threads));
    for (const auto make : {bench::make_enki, bench::make_taskflow, bench::make_marl,
                            bench::make_dispenso, bench::make_libfork}) {
      if (auto peer = make(set.threads)) all.emplace_back(std::move(peer));
    }
    return all;
  };
  if (set.wants("forkjoin")) measure_forkjoin(set, peers_now(), results);
  if (set.wants("empty")) measure_empty(set, peers_now(), results);
  const bench::peer_makers makers{[&] { return bench::make_overture(set.threads); },
                                  [&] { return bench::make_overture(set.threads, "warm"); },
                                  [&] { return bench::make_tbb(set.threads); },
                                  [&] { return bench::make_enki(set.threads); },
                                  [&] { return bench::make_taskflow(set.threads); },
                                  [&] { return bench::make_marl(set.threads); },
                                  [&] { return bench::make_dispenso(set.threads); }};
  if (set.wants("graphs")) bench::measure_graphs(set, results, makers);
  if (set.wants("gaps")) bench::measure_gaps(set, results, makers);
  if (set.wants("burn")) bench::measure_burn(set, results, makers);
  if (set.wants("frame")) {
    // The main thread runs no jobs here. All thread counts but Taskflow's include it.
    bench::peer_makers as_many = makers;
    as_many.emplace_back([&] { return bench::make_overture(set.threads, "told"); });
    as_many[4] = [&] { return bench::make_taskflow(set.threads - 1); };
    bench::measure_frame(set, results, std::move(as_many));
  }
  if (set.wants("wake")) bench::measure_wake(set, results);
  return results.finish(json_path);
} catch (const std::exception& failure) {
  fmt::print(stderr, "error: {}\n", failure.what());
  return 1;
}
