// src/sync/event_count.cpp: two threads wait for two items, and each item notifies one.
#include "sync/event_count.cpp"

#include "genmc/platform.hpp"

namespace {

overture::event_count changed;
overture::atomic<int> items{0};

void adds() {

  for (int i = 0; i < 2; ++i) {
    items.fetch_add(1, std::memory_order_relaxed);
    changed.notify_one();
  }
}
bool takes() {
  int seen = items.load(std::memory_order_relaxed);
  while (seen != 0) {
    if (items.compare_exchange_strong(seen, seen - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}
void waits() {
  changed.await(takes);
}

}  // namespace

int main() {
  genmc::run(adds, waits, waits);
  genmc::check(!genmc::anybody_sleeps(), "nobody sleeps for ever");
}
