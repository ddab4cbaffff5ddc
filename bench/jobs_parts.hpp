// The parts of the benchmark of jobs, and what they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "jobs_peers.hpp"

namespace bench {

struct jobs_settings {
  unsigned threads = std::max(2u, std::thread::hardware_concurrency());
  int rounds = 9;
  unsigned fib = 32;
  std::uint64_t skynet = 1'000'000;
  int queens = 12;
  std::size_t empty = 1'000'000;
  int wakes = 2000;  // of each kind and number of sleepers
  int gaps = 400;    // submits behind each pause
  std::uint64_t burn_ns = 2'000'000'000;
  std::string plots;
  std::vector<std::string> only;

  [[nodiscard]] bool wants(const std::string& part) const {
    return only.empty() || std::find(only.begin(), only.end(), part) != only.end();
  }
  void make_quick() {
    rounds = 1;
    fib = 20;
    skynet = 10'000;
    queens = 8;
    empty = 10'000;
    wakes = 20;
    gaps = 8;
    burn_ns = 100'000'000;
  }
};

using peer_makers = std::vector<std::function<std::shared_ptr<job_peer>()>>;

void measure_wake(const jobs_settings& set, results& results);
// The first is ours.
void measure_gaps(const jobs_settings& set, results& results,
                  const std::vector<std::shared_ptr<job_peer>>& all);
void measure_burn(const jobs_settings& set, results& results, const peer_makers& makers);

}  // namespace bench
