// SPDX-License-Identifier: Zlib
//
// Graphs of jobs that do next to nothing, to measure how the next ones are found.
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "jobs_parts.hpp"

namespace bench {
namespace {

struct shape {
  std::string name;
  std::uint32_t jobs;
  graph_orders orders;
};

// Each cell waits for the one above it and the one to its left.
shape wavefront(std::uint32_t side) {
  shape made{fmt::format("wavefront {0} x {0}", side), side * side, {}};
  for (std::uint32_t i = 0; i < side * side; ++i) {
    if (i % side != 0) made.orders.emplace_back(i - 1, i);
    if (i >= side) made.orders.emplace_back(i - side, i);
  }
  return made;
}

shape binary_tree(unsigned levels) {
  shape made{fmt::format("binary tree 2^{}", levels), (1u << levels) - 1, {}};
  for (std::uint32_t i = 1; i < made.jobs; ++i) made.orders.emplace_back((i - 1) / 2, i);
  return made;
}

shape chain(std::uint32_t jobs) {
  shape made{fmt::format("chain of {}", jobs), jobs, {}};
  for (std::uint32_t i = 1; i < jobs; ++i) made.orders.emplace_back(i - 1, i);
  return made;
}

void measure(const jobs_settings& set, results& results, const peer_makers& makers,
             const shape& graph) {
  // One system at a time. The rounds are split over the turns.
  std::map<std::string, std::vector<double>> wall_ms;
  std::vector<std::uint32_t> runs(graph.jobs, 0);
  const int rounds = std::max(1, set.rounds / set.turns);
  for (int turn = 0; turn < set.turns; ++turn) {
    for (const auto& make : makers) {
      const auto peer = make();
      if (!peer || peer->name == "overture warm") continue;
      std::fill(runs.begin(), runs.end(), 0);
      const std::function<void()> run = peer->make_graph(runs, graph.orders);
      if (!run) continue;
      std::vector<variant> one{{peer->name, run}};
      interleave(one, rounds, graph.name);
      wall_ms[peer->name].push_back(time_of(one[0], clock::wall).median * 1e3);
      for (const std::uint32_t each : runs) {
        if (each != static_cast<std::uint32_t>(rounds) + 1) {
          throw std::runtime_error("a job of a graph did not run exactly once in each run");
        }
      }
    }
  }
  for (const auto& [name, ms] : wall_ms) {
    results.metric(fmt::format("{}, {}: ms", graph.name, name), spread_of(ms).median);
    if (name == "overture") continue;
    results.goal(fmt::format("{}: x faster than {}", graph.name, name),
                 ratio(ms, wall_ms["overture"]), 1.0, false);
  }
}

}  // namespace

void measure_graphs(const jobs_settings& set, results& results, const peer_makers& makers) {
  measure(set, results, makers, wavefront(set.wavefront));
  measure(set, results, makers, binary_tree(set.tree));
  measure(set, results, makers, chain(set.chain));
}

}  // namespace bench
