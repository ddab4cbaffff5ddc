// SPDX-License-Identifier: Zlib
//
// dispenso: task sets. Jobs that another thread must start are queued by force, because once many
// are queued dispenso runs jobs inside the submit.
#include <dispenso/task_set.h>
#include <dispenso/thread_pool.h>

#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

std::uint64_t fib_of(dispenso::ThreadPool& pool, unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  dispenso::TaskSet tasks(pool);
  tasks.schedule([&] { a = fib_of(pool, n - 1); });
  const std::uint64_t b = fib_of(pool, n - 2);
  tasks.wait();
  return a + b;
}

template <class Body>
std::uint64_t sum_of(dispenso::ThreadPool& pool, std::size_t count, const Body& body) {
  std::array<std::uint64_t, 16> sums{};
  dispenso::TaskSet tasks(pool);
  for (std::size_t i = 0; i < count; ++i) {
    tasks.schedule([&, i] { sums[i] = body(i); });
  }
  tasks.wait();
  std::uint64_t sum = 0;
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

std::uint64_t skynet_of(dispenso::ThreadPool& pool, std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t each = leaves / 10;
  return sum_of(pool, 10, [&](std::size_t i) { return skynet_of(pool, first + i * each, each); });
}

std::uint64_t queens_of(dispenso::ThreadPool& pool, const queens_board& board, int size) {
  if (board.placed == size) return 1;
  return sum_of(pool, static_cast<std::size_t>(size), [&](std::size_t row) {
    const int wanted = static_cast<int>(row);
    return board.fits(wanted) ? queens_of(pool, board.with(wanted), size) : 0;
  });
}

class dispenso_peer final : public job_peer {
 public:
  explicit dispenso_peer(unsigned threads) : pool_(threads - 1) { name = "dispenso"; }
  std::uint64_t fib(unsigned n) override { return fib_of(pool_, n); }
  std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) override {
    return skynet_of(pool_, first, leaves);
  }
  std::uint64_t queens(const queens_board& board, int size) override {
    return queens_of(pool_, board, size);
  }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched) return false;
    const auto submit = [&] {
      dispenso::TaskSet tasks(pool_);
      for (std::size_t i = 0; i < count / submitters; ++i) {
        tasks.schedule([] {}, dispenso::ForceQueuingTag());
      }
      tasks.wait();
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) others.emplace_back(submit);
    submit();
    for (std::thread& each : others) each.join();
    return true;
  }
  void submit(void (*run)(void*), void* context) noexcept override {
    pool_.schedule([run, context] { run(context); }, dispenso::ForceQueuingTag());
  }

 private:
  dispenso::ThreadPool pool_;
};

}  // namespace

std::unique_ptr<job_peer> make_dispenso(unsigned threads) {
  return std::make_unique<dispenso_peer>(threads);
}

}  // namespace bench
