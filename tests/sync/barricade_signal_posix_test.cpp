// SPDX-License-Identifier: Zlib
//
// Threads and whole processes that are stopped at an arbitrary step and resumed later.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::barricade_signal_posix_test {
namespace {

using namespace std::chrono_literals;

// The work of each of `threads` threads: meets the others at a sequence of barricades.
void run_hurdles(std::vector<barricade>& doors, std::vector<atomic<unsigned>>& arrived,
                 unsigned threads) {
  for (std::size_t i = 0; i < doors.size(); ++i) {
    if (arrived[i].fetch_add(1) + 1 == threads) doors[i].lower();
    doors[i].wait({.spin = i % 2 == 0 ? spin_policy::none() : spin_policy::ladder()});
  }
}

atomic<unsigned> stops{0};

void stop_for_a_while(int /*signal*/) {
  const unsigned turns = stops.fetch_add(1, std::memory_order_relaxed) % 50;
  const std::uint64_t until_ns = now_ns() + 100'000;  // a yield takes long on a busy machine
  for (unsigned i = 0; i < turns && now_ns() < until_ns; ++i) yield_thread();
}

// Stops one thread at a time wherever it is: in user code, about to sleep, asleep (its wait then
// ends early), or before passing on a wake.
TEST(barricades_under_signals, survive_a_thread_that_is_stopped_at_any_step) {
  struct sigaction stop = {};
  struct sigaction before = {};
  stop.sa_handler = stop_for_a_while;
  ASSERT_EQ(sigaction(SIGUSR1, &stop, &before), 0);

  constexpr unsigned threads = 4;
  std::vector<barricade> doors(400);
  std::vector<atomic<unsigned>> arrived(doors.size());
  atomic<unsigned> running{threads};
  // A thread that gets its next signal before it leaves the handler makes no progress. On a busy
  // machine, where the handler takes long, that could go on for ever.
  constexpr unsigned stops_each_hurdle = 4;
  std::size_t hurdle = 0;
  const auto may_stop = [&](unsigned sent) {
    while (hurdle < doors.size() && doors[hurdle].is_lowered()) ++hurdle;
    return sent < stops_each_hurdle * (hurdle + 1);
  };
  std::vector<std::thread> runners;
  for (unsigned i = 0; i < threads; ++i) {
    runners.emplace_back([&] {
      run_hurdles(doors, arrived, threads);
      running.fetch_sub(1);
    });
  }
  for (unsigned i = 0; running.load() != 0;) {
    if (!may_stop(i)) {
      yield_thread();
      continue;
    }
    pthread_kill(runners[i++ % threads].native_handle(), SIGUSR1);
    for (unsigned pause = 0; pause < 100 + 37 * i % 1000; ++pause) spin_hint();
  }
  for (auto& runner : runners) runner.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(doors.back().is_lowered());
}

TEST(barricades_under_signals, survive_a_process_that_is_stopped_and_continued) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a hung process must not outlive the test
    constexpr unsigned threads = 4;
    std::vector<barricade> doors(3000);
    std::vector<atomic<unsigned>> arrived(doors.size());
    std::vector<std::thread> runners;
    for (unsigned i = 0; i < threads; ++i) {
      runners.emplace_back([&] { run_hurdles(doors, arrived, threads); });
    }
    for (auto& runner : runners) runner.join();
    _exit(doors.back().is_lowered() ? 0 : 1);
  }
  int status = 0;
  unsigned stopped = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    kill(child, SIGSTOP);
    for (unsigned pause = 0; pause < 100 + 7919 * stopped % 3000; ++pause) spin_hint();
    kill(child, SIGCONT);
    for (unsigned pause = 0; pause < 1000; ++pause) spin_hint();
    yield_thread();
    ++stopped;
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace overture::barricade_signal_posix_test
