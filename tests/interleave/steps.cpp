// SPDX-License-Identifier: Zlib
#include "interleave/steps.hpp"

#include "interleave/explorer_state.hpp"

namespace interleave {

outcome explore(const bounds& limits, const std::function<void()>& program) {
  return the.explore(limits, program);
}
void run(std::initializer_list<std::function<void()>> threads) {
  the.run(threads);
}
void check(bool truth, const char* text) {
  if (!truth) the.fail(text);
}
unsigned this_thread() {
  return static_cast<unsigned>(the.current());
}
void join(unsigned thread) {
  the.join(thread);
}
bool asleep(unsigned thread) {
  return the.asleep(thread);
}
void let_others_run() {
  yield();
}

plain_access::plain_access() noexcept {
  the.begin_plain_life(this);
}
plain_access::~plain_access() {
  the.end_life(this);
}
void plain_access::read() const {
  the.read_plain(this);
}
void plain_access::write() {
  the.write_plain(this);
}

bool exploring() noexcept {
  return the.threads_run();
}
void begin_life(const void* object) noexcept {
  the.begin_life(object);
}
void end_life(const void* object) noexcept {
  the.end_life(object);
}
void step(const void* object, std::uint64_t value, const char* what) noexcept {
  the.step(object, value, what);
}
std::uint64_t load(const void* object, std::memory_order order) noexcept {
  return the.load(object, order);
}
void store(const void* object, std::uint64_t value, std::memory_order order) noexcept {
  the.store(object, value, order, false);
}
void read_modify_write(const void* object, std::uint64_t value, std::memory_order order) noexcept {
  the.store(object, value, order, true);
}
exchanged compare_exchange(const void* object, std::uint64_t expected, std::uint64_t fresh,
                           std::memory_order success, std::memory_order failure,
                           bool weak) noexcept {
  return the.compare_exchange(object, expected, fresh, success, failure, weak);
}
void fence_all_threads() noexcept {
  the.fence_all_threads();
}
slept sleep(const void* object, bool same, bool has_deadline) noexcept {
  return the.sleep(object, same, has_deadline);
}
void wake(const void* key, bool all) noexcept {
  if (the.current() != 0) the.schedule(false);
  the.wake(key, state::asleep, all ? static_cast<unsigned>(threads_max) : 1);
}
unsigned move_sleepers(const void* key) noexcept {
  if (the.current() != 0) the.schedule(false);
  return the.move_sleepers(key);
}
void wake_moved(unsigned threads) noexcept {
  if (the.current() != 0) the.schedule(false);
  the.wake(nullptr, state::relayed, threads);
}
void yield() noexcept {
  if (the.current() != 0) the.schedule(true);
}

}  // namespace interleave
