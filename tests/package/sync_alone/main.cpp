// SPDX-License-Identifier: Zlib
//
// Every part of overture::sync, linked alone.
#include <overture/sync/barricade.hpp>
#include <overture/sync/countdown.hpp>
#include <overture/sync/event_count.hpp>
#include <overture/sync/future.hpp>
#include <overture/sync/parking_word.hpp>
#include <thread>

int main() {
  using namespace overture;
  barricade door;
  countdown left(1);
  event_count changed;
  parking_word own;
  future_storage<int> place;
  promise<int> made(place);
  const shared_future<int> future = made.future();

  std::thread other([&] {
    own.park();
    made.set_value(7);
    changed.notify_all();
    left.done();
    door.lower();
  });
  own.unpark();
  door.wait();
  left.wait();
  changed.await([&] { return future.is_ready(); });
  other.join();
  return future.get().value() == 7 ? 0 : 1;
}
