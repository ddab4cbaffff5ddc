// The job systems that are measured beside each other, behind one interface: each works in the way
// its own manual recommends.
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

// A board of queens, one column each; the common part of every nqueens below.
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

// Pairs of jobs, the first of which runs before the second.
using graph_orders = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class job_peer {
 public:
  virtual ~job_peer() = default;
  std::string name;

  // All threads, the caller's included; no cut-off. Only called if has_forks().
  [[nodiscard]] virtual bool has_forks() const { return true; }
  virtual std::uint64_t fib(unsigned n) = 0;
  virtual std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) = 0;
  virtual std::uint64_t queens(const queens_board& board, int size) = 0;

  // Runs so many empty jobs from so many threads, each with a group of its own where the peer has
  // groups, and returns when all have run. False if the peer has no such call.
  virtual bool empty_jobs(std::size_t count, unsigned submitters, bool batched) = 0;

  // One job without a group. Any thread.
  virtual void submit(void (*run)(void*), void* context) = 0;
  // So many, in the way that is best for one thread that has them all.
  virtual void submit_all(void (*run)(void*), const std::vector<void*>& contexts) {
    for (void* const each : contexts) submit(run, each);
  }

  // The main thread's next jobs come at that time (on the clock of now_ns()); for peers that use
  // it.
  virtual void expect(std::uint64_t /*at_ns*/) {}

  // Around the submits of a thread that is not the main one.
  virtual void thread_begins() {}
  virtual void thread_ends() {}

  // A graph of jobs that was built already: what it returns runs it once. Each job adds one to its
  // own number. Empty if the peer has no graphs; may not outlive the peer.
  virtual std::function<void()> make_graph(std::vector<std::uint32_t>& /*runs*/,
                                           const graph_orders& /*orders*/) {
    return {};
  }
};

// By the name of a peer.
inline bool is_ours(const std::string& name) {
  return name.rfind("overture", 0) == 0;
}

// Made when first asked for, with so many threads, the caller's included.
// `policy` is one of ours, "bounded" (a short queue), "batch" (batch scheduling) or "told" (it
// listens to expect()).
std::unique_ptr<job_peer> make_overture(unsigned threads, const std::string& policy = "park");
std::unique_ptr<job_peer> make_tbb(unsigned threads);
// Null where OVERTURE_PEERS did not have it when this was configured.
std::unique_ptr<job_peer> make_enki(unsigned threads);
std::unique_ptr<job_peer> make_taskflow(unsigned threads);
std::unique_ptr<job_peer> make_marl(unsigned threads);
std::unique_ptr<job_peer> make_dispenso(unsigned threads);
std::unique_ptr<job_peer> make_libfork(unsigned threads);

}  // namespace bench
