// SPDX-License-Identifier: Zlib
//
// The job systems that are compared, behind one interface. Each is used as its manual recommends.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// A board with one queen in each column; shared by all versions of nqueens.
struct queens_board {
  std::array<int, 16> rows{};
  int placed = 0;

  [[nodiscard]] bool fits(int row) const {
    for (int i = 0; i < placed; ++i) {
      const int other = rows[static_cast<std::size_t>(i)];
      if (other == row || other - row == placed - i || row - other == placed - i) return false;
    }
    return true;
  }
  [[nodiscard]] queens_board with(int row) const {
    queens_board next = *this;
    next.rows[static_cast<std::size_t>(next.placed++)] = row;
    return next;
  }
};

// Pairs of jobs; the first runs before the second.
using graph_orders = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class job_peer {
 public:
  virtual ~job_peer() = default;
  std::string name;

  // On all threads including the caller, without a cut-off. Called only if has_forks().
  [[nodiscard]] virtual bool has_forks() const { return true; }
  virtual std::uint64_t fib(unsigned n) = 0;
  virtual std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) = 0;
  virtual std::uint64_t queens(const queens_board& board, int size) = 0;

  // Runs `count` empty jobs from `submitters` threads, each with its own group if the peer has
  // groups, and returns when all have run. False if the peer has no such call.
  virtual bool empty_jobs(std::size_t count, unsigned submitters, bool batched) = 0;

  // One job without a group. Any thread.
  virtual void submit(void (*run)(void*), void* context) = 0;
  // Several, in the best way for one thread that has them all.
  virtual void submit_all(void (*run)(void*), const std::vector<void*>& contexts) {
    for (void* const each : contexts) submit(run, each);
  }

  // Announces when the main thread submits next (on the clock of now_ns()), for peers that use it.
  virtual void expect(std::uint64_t /*at_ns*/) {}

  // Called around the submits of a thread that is not the main one.
  virtual void thread_begins() {}
  virtual void thread_ends() {}

  // Builds a graph of jobs and returns a function that runs it once. Each job adds one to its own
  // number. Empty if the peer has no graphs; must not outlive the peer.
  virtual std::function<void()> make_graph(std::vector<std::uint32_t>& /*runs*/,
                                           const graph_orders& /*orders*/) {
    return {};
  }
};

// Whether a peer with this name is ours.
inline bool is_ours(const std::string& name) {
  return name.rfind("overture", 0) == 0;
}

// With this many threads, including the caller. `policy` is a wake policy ("park", "warm", "spin"),
// "bounded" (a short queue), "batch" (batch scheduling) or "told" (uses expect()).
std::unique_ptr<job_peer> make_overture(unsigned threads, const std::string& policy = "park");
std::unique_ptr<job_peer> make_tbb(unsigned threads);
// Null if OVERTURE_PEERS did not have it when the build was configured.
std::unique_ptr<job_peer> make_enki(unsigned threads);
std::unique_ptr<job_peer> make_taskflow(unsigned threads);
std::unique_ptr<job_peer> make_marl(unsigned threads);
std::unique_ptr<job_peer> make_dispenso(unsigned threads);
std::unique_ptr<job_peer> make_libfork(unsigned threads);

}  // namespace bench
