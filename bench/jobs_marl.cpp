// SPDX-License-Identifier: Zlib
//
// marl: fibres. Recursion without a cut-off would need a fibre with its own stack for each wait, so
// marl takes no part in forkjoin.
#include <marl/scheduler.h>
#include <marl/waitgroup.h>

#include <thread>

#include "jobs_peers.hpp"

namespace bench {
namespace {

class marl_peer final : public job_peer {
 public:
  explicit marl_peer(unsigned threads) : scheduler_(config_of(threads)) {
    name = "marl";
    scheduler_.bind();
  }
  ~marl_peer() override { marl::Scheduler::unbind(); }
  marl_peer(const marl_peer&) = delete;
  marl_peer& operator=(const marl_peer&) = delete;

  [[nodiscard]] bool has_forks() const override { return false; }
  std::uint64_t fib(unsigned /*n*/) override { return 0; }
  std::uint64_t skynet(std::uint64_t /*first*/, std::uint64_t /*leaves*/) override { return 0; }
  std::uint64_t queens(const queens_board& /*board*/, int /*size*/) override { return 0; }
  bool empty_jobs(std::size_t count, unsigned submitters, bool batched) override {
    if (batched) return false;
    const auto mine = static_cast<unsigned>(count / submitters);
    const marl::WaitGroup left(mine * submitters);
    const auto submit = [&] {
      for (unsigned i = 0; i < mine; ++i) marl::schedule([left] { left.done(); });
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < submitters; ++i) {
      others.emplace_back([&] {
        thread_begins();
        submit();
        thread_ends();
      });
    }
    submit();
    for (std::thread& each : others) each.join();
    left.wait();
    return true;
  }
  void thread_begins() override { scheduler_.bind(); }
  void thread_ends() override { marl::Scheduler::unbind(); }
  void submit(void (*run)(void*), void* context) noexcept override {
    marl::schedule([run, context] { run(context); });
  }

 private:
  static marl::Scheduler::Config config_of(unsigned threads) {
    return marl::Scheduler::Config().setWorkerThreadCount(static_cast<int>(threads) - 1);
  }

  marl::Scheduler scheduler_;
};

}  // namespace

std::unique_ptr<job_peer> make_marl(unsigned threads) {
  return std::make_unique<marl_peer>(threads);
}

}  // namespace bench
