// SPDX-License-Identifier: Zlib
//
// src/sync/event_count.cpp: two threads wait for one item each; both come at once.
#include "sync/event_count.cpp"

#include "genmc/platform.hpp"

namespace {

overture::event_count changed;
overture::atomic<int> items{0};

void adds() {
  items.fetch_add(2, std::memory_order_relaxed);
  changed.notify_all();
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
  genmc::check(!genmc::anybody_sleeps(), "no thread sleeps for ever");
}
