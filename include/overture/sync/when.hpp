// SPDX-License-Identifier: Zlib
//
// when_all() and when_any(): one future for several.
//
//   const shared_future<blob> files[] = {read_file(...), read_file(...)};
//   result<shared_future<void>> both = when_all<blob>(files);
//   if (both) both->wait();                       // or: co_await *both
//
//   result<shared_future<std::size_t>> first = when_any<blob>(files);
//   if (first) use(files[*first->get()]);
//
// They tell when the others are ready, whatever their outcome; ask those themselves for it.
//
// Cost: two allocations, and what on_ready() costs for each future. The last of them to become
// ready, or the first, makes the new one ready on its own thread.
#pragma once

#include <cstddef>
#include <span>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/sync/future.hpp"

namespace overture {

namespace sync_detail {

// Runs continuations where the future becomes ready: they only count.
[[nodiscard]] OVERTURE_API executor& executor_here() noexcept;

struct when_link {
  continuation link;
  void* owner = nullptr;
  std::size_t index = 0;
};

// The state of the new future. Each future that is awaited holds it.
template <class Outcome>
class when_state final : public future_state<Outcome> {
 public:
  template <class End>
  when_state(allocator& memory, memory_tag tag, End end) noexcept
      : future_state<Outcome>(memory, tag, end) {}
  ~when_state() {
    for (std::size_t i = 0; i < count_; ++i) links_[i].~when_link();
    this->memory().deallocate(links_, count_ * sizeof(when_link), alignof(when_link), this->tag());
  }

  // False if memory is refused.
  template <class T>
  [[nodiscard]] bool await(std::span<const shared_future<T>> futures) noexcept {
    void* const room = this->memory().allocate(futures.size() * sizeof(when_link),
                                               alignof(when_link), this->tag());
    if (room == nullptr) return false;
    links_ = static_cast<when_link*>(room);
    while (count_ < futures.size()) ::new (static_cast<void*>(links_ + count_++)) when_link;
    left_.store(static_cast<std::uint32_t>(count_), std::memory_order_relaxed);
    for (const shared_future<T>& each : futures) this->set_helper_of(core_of(each));
    for (std::size_t i = 0; i < futures.size(); ++i) {
      links_[i] = {{{&when_state::arrived, &links_[i]}, &executor_here()}, this, i};
      this->hold();
      futures[i].on_ready(links_[i].link);
    }
    return true;
  }

 private:
  static void arrived(void* context) {
    const when_link& link = *static_cast<when_link*>(context);
    auto& self = *static_cast<when_state*>(link.owner);
    const std::size_t index = link.index;
    if constexpr (std::is_void_v<Outcome>) {
      if (self.left_.fetch_sub(1, std::memory_order_acq_rel) == 1) self.set();
    } else {
      if (self.left_.exchange(0, std::memory_order_acq_rel) != 0) self.set(index);
    }
    self.release();
  }

  when_link* links_ = nullptr;
  std::size_t count_ = 0;
  atomic<std::uint32_t> left_{0};
};

template <class Outcome, class T>
result<shared_future<Outcome>> when(std::span<const shared_future<T>> futures, allocator& memory) {
  auto* const state = make_state<when_state<Outcome>>(memory, memory_tag::host);
  if (state == nullptr) return fail(errc::out_of_memory, "out of memory for a future");
  shared_future<Outcome> future = future_of<Outcome>(*state);
  if (futures.empty()) {
    if constexpr (std::is_void_v<Outcome>) state->set();
  } else if (!state->await(futures)) {
    state->set(fail(errc::out_of_memory, "out of memory for a future"));
    return fail(errc::out_of_memory, "out of memory for a future");
  }
  return future;
}

}  // namespace sync_detail

// A future that is ready once all of these are; at once, if there are none. Error: out_of_memory.
// Any thread.
template <class T>
[[nodiscard]] result<shared_future<void>> when_all(std::span<const shared_future<T>> futures,
                                                   allocator& memory = default_allocator()) {
  return sync_detail::when<void>(futures, memory);
}

// A future of the index of the first that is ready. Errors: invalid (there are none),
// out_of_memory. Any thread.
template <class T>
[[nodiscard]] result<shared_future<std::size_t>> when_any(std::span<const shared_future<T>> futures,
                                                          allocator& memory = default_allocator()) {
  if (futures.empty()) return fail(errc::invalid, "when_any() of no futures");
  return sync_detail::when<std::size_t>(futures, memory);
}

}  // namespace overture
