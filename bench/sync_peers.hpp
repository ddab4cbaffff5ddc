// SPDX-License-Identifier: Zlib
//
// Events with one interface: lower() releases, raise() blocks, wait() waits, is_lowered() polls.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <overture/sync/barricade.hpp>
#include <vector>

#include "kernel_event.hpp"
#include "sync/wait.hpp"

namespace bench {

// How the barricade spins before it sleeps. The command line can change it.
inline overture::spin_policy spin;

struct barricade_event {
  static constexpr const char* name = "barricade";
  [[nodiscard]] bool is_lowered() const { return door.is_lowered(); }
  void lower(unsigned /*waiters*/) { door.lower(); }
  void raise() { door.raise(); }
  void wait() { door.wait({.spin = spin}); }
  overture::barricade door;
};

// The least that it takes to read what another thread writes.
struct plain_atomic {
  static constexpr const char* name = "plain atomic load";
  [[nodiscard]] bool is_lowered() const { return (word.load(std::memory_order_acquire) & 1) != 0; }
  std::atomic<std::uint32_t> word{0};
};

struct condvar_event {
  static constexpr const char* name = "mutex + condvar";
  [[nodiscard]] bool is_lowered() {
    pthread_mutex_lock(&mutex);
    const bool set = lowered;
    pthread_mutex_unlock(&mutex);
    return set;
  }
  void lower(unsigned /*waiters*/) {
    pthread_mutex_lock(&mutex);
    lowered = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_broadcast(&changed);
  }
  void raise() {
    pthread_mutex_lock(&mutex);
    lowered = false;
    pthread_mutex_unlock(&mutex);
  }
  void wait() {
    pthread_mutex_lock(&mutex);
    while (!lowered) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool lowered = false;
};

// One-shot, so each raise() allocates a new one.
struct future_event {
  static constexpr const char* name = "std::shared_future";
  future_event() { raise(); }
  [[nodiscard]] bool is_lowered() const {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void lower(unsigned /*waiters*/) { promise.set_value(); }
  void raise() {
    promise = {};
    future = promise.get_future().share();
  }
  void wait() const { future.wait(); }
  std::promise<void> promise;
  std::shared_future<void> future;
};

// -- only for waking sleepers --

struct semaphore_event {
  static constexpr const char* name = "sem_post each";
  semaphore_event() { sem_init(&semaphore, 0, 0); }
  ~semaphore_event() { sem_destroy(&semaphore); }
  semaphore_event(const semaphore_event&) = delete;
  semaphore_event& operator=(const semaphore_event&) = delete;
  void lower(unsigned waiters) {
    for (unsigned i = 0; i < waiters; ++i) sem_post(&semaphore);
  }
  void raise() {}
  void wait() {
    while (sem_wait(&semaphore) != 0) {
    }
  }
  sem_t semaphore{};
};

struct notify_all_event {
  static constexpr const char* name = "std::atomic notify_all";
  void lower(unsigned /*waiters*/) {
    word.store(1, std::memory_order_release);
    word.notify_all();
  }
  void raise() { word.store(0); }
  void wait() const { word.wait(0, std::memory_order_acquire); }
  std::atomic<std::uint32_t> word{0};
};

// The other way a barricade could wake its waiters: all in one call.
struct wake_all_event {
  static constexpr const char* name = "one futex call for all";
  void lower(unsigned waiters) {
    word.store(1);
    if (waiters != 0) overture::sync_detail::address_wake_all(&word);
  }
  void raise() { word.store(0); }
  void wait() const {
    while (word.load() == 0) (void)overture::sync_detail::address_wait(word, 0, 0);
  }
  overture::atomic<std::uint32_t> word{0};
};

// Any of the events, so that the same threads can sleep on each of them.
class slept_on {
 public:
  virtual ~slept_on() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  virtual void lower(unsigned waiters) = 0;
  virtual void raise() = 0;
  virtual void wait() = 0;
};

template <class Event>
class slept_on_event final : public slept_on {
 public:
  [[nodiscard]] const char* name() const override { return Event::name; }
  void lower(unsigned waiters) override { event_.lower(waiters); }
  void raise() override { event_.raise(); }
  void wait() noexcept override { event_.wait(); }

 private:
  alignas(64) Event event_;
};

template <class... Events>
std::vector<std::unique_ptr<slept_on>> make_events() {
  std::vector<std::unique_ptr<slept_on>> made;
  (made.push_back(std::make_unique<slept_on_event<Events>>()), ...);
  return made;
}

}  // namespace bench
