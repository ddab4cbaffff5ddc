// SPDX-License-Identifier: Zlib
//
// The ways to wait, each used for what it is best at. Needs only the library overture::sync.
#include <overture/sync/barricade.hpp>
#include <overture/sync/countdown.hpp>
#include <overture/sync/event_count.hpp>
#include <overture/sync/future.hpp>

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

using namespace overture;

namespace {

// A lock-free queue for one producer and one consumer. It cannot wait by itself.
class ring {
 public:
  bool push(int item) {
    const unsigned at = written_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == items_.size()) return false;
    items_[at % items_.size()] = item;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool pop(int& item) {
    const unsigned at = read_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_acquire)) return false;
    item = items_[at % items_.size()];
    read_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<int, 16> items_{};
  atomic<unsigned> written_{0};
  atomic<unsigned> read_{0};
};

}  // namespace

int main() {
  constexpr int items = 1000;
  constexpr unsigned builders = 3;

  barricade start;            // all threads start together
  countdown built(builders);  // released once all builders are done
  event_count filled;         // lets threads wait for the lock-free queue
  event_count emptied;
  ring queue;
  auto made = promise<int>::make();  // one value for many threads
  if (!made) return 1;
  const shared_future<int> sum = made->future();

  std::vector<std::thread> threads;
  threads.reserve(builders + 1);
  for (unsigned i = 0; i < builders; ++i) {
    threads.emplace_back([&] {
      start.wait();
      built.done();
      sum.wait();  // all are released without queueing for a lock
    });
  }
  threads.emplace_back([&] {
    built.wait();
    int total = 0;
    for (int i = 0; i < items; ++i) {
      int item = 0;
      filled.await([&] { return queue.pop(item); });
      emptied.notify_one();
      total += item;
    }
    made->set_value(total);
  });

  start.lower();
  for (int i = 0; i < items; ++i) {
    emptied.await([&] { return queue.push(i); });
    filled.notify_one();
  }
  std::printf("%d\n", sum.get().value());
  for (std::thread& thread : threads) thread.join();
  return sum.get().value() == items * (items - 1) / 2 ? 0 : 1;
}
