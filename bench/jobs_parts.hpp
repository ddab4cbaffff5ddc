// SPDX-License-Identifier: Zlib
//
// The parts of bench_jobs, and what they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "jobs_peers.hpp"
#include "options.hpp"

namespace bench {

struct jobs_settings {
  unsigned threads = std::max(2u, std::thread::hardware_concurrency());
  int rounds = 9;
  unsigned fib = 32;
  std::uint64_t skynet = 1'000'000;
  int queens = 12;
  std::size_t empty = 1'000'000;
  int wakes = 2000;  // for each kind and number of sleepers
  int gaps = 400;    // submits after each pause, a quarter of that after long ones
  std::uint64_t burn_ns = 1'000'000'000;
  int turns = 5;     // of each system, where only one may exist at a time
  int frames = 120;  // in each turn
  std::uint32_t wavefront = 256;
  unsigned tree = 18;
  std::uint32_t chain = 1'000'000;
  std::string plots;
  std::vector<std::string> only;

  [[nodiscard]] bool wants(const std::string& part) const { return is_wanted(only, part); }
  void make_quick() {
    rounds = 1;
    fib = 20;
    skynet = 10'000;
    queens = 8;
    empty = 10'000;
    wakes = 20;
    gaps = 8;
    burn_ns = 50'000'000;
    turns = 1;
    frames = 5;
    wavefront = 16;
    tree = 8;
    chain = 1000;
  }
};

// The value of each turn, by the name of the system.
using turns_of_systems = std::map<std::string, std::vector<double>>;

// The best of these systems: the one with the best median.
struct best_system {
  std::string name;
  // The best value of each turn. It beats any single system, more so the more systems there are, so
  // it is printed but is no goal.
  std::vector<double> of_turn;
};
best_system best_of(const turns_of_systems& all,
                    const std::function<bool(const std::string&)>& counts);

using peer_makers = std::vector<std::function<std::shared_ptr<job_peer>()>>;

void measure_wake(const jobs_settings& set, results& results);
void measure_gaps(const jobs_settings& set, results& results, peer_makers makers);
void measure_graphs(const jobs_settings& set, results& results, const peer_makers& makers);
void measure_frame(const jobs_settings& set, results& results, peer_makers makers);
void measure_burn(const jobs_settings& set, results& results, peer_makers makers);

}  // namespace bench
