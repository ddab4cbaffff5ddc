// SPDX-License-Identifier: Zlib
//
// Who uses which object of the host, so that an object that ends too early can say who still needs
// it. Only with contracts; otherwise these classes are empty and do nothing.
//
//   struct load_scope::state {
//     [[no_unique_address]] object_uses<2> uses;    // uses({{&files, "..."}, {&reads, "..."}})
//   };
//   read_queue::~read_queue() {
//     if constexpr (detail::contracts) expects_unused(this);
//   }
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threads/thread_slot.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"

namespace overture::sync_detail {

// What must not happen to an object while it is used.
enum class use_of : std::uint8_t { life, frozen_tree };

struct object_use {
  const void* used = nullptr;  // null: nothing
  const char* sentence = "";   // said when the object ends all the same
  use_of what = use_of::life;
};

// In a list of the process, from construction to destruction.
class use_link {
 public:
  use_link(const use_link&) = delete;
  use_link& operator=(const use_link&) = delete;

 protected:
  use_link() = default;
  ~use_link() = default;
  void enter(const object_use* uses, std::size_t count) noexcept;
  void leave() noexcept;

 private:
  friend void expects_unused(const void* used, use_of what) noexcept;

  const object_use* uses_ = nullptr;
  std::size_t count_ = 0;
  use_link* previous_ = nullptr;
  use_link* next_ = nullptr;
};

// Calls the contract handler if a use of the object is noted, with the sentence of the latest.
void expects_unused(const void* used, use_of what = use_of::life) noexcept;

template <std::size_t N, bool Contracts = detail::contracts>
class object_uses {
 public:
  explicit object_uses(const object_use (&)[N]) noexcept {}
};

template <std::size_t N>
class object_uses<N, true> : use_link {
 public:
  explicit object_uses(const object_use (&uses)[N]) noexcept {
    for (std::size_t i = 0; i < N; ++i) uses_[i] = uses[i];
    enter(uses_, N);
  }
  ~object_uses() { leave(); }

 private:
  object_use uses_[N];
};

// A thread that must be the same in all calls: the first to ask.
template <bool Contracts = detail::contracts>
class same_thread {
 public:
  [[nodiscard]] bool is_this() noexcept { return true; }
};

template <>
class same_thread<true> {
 public:
  [[nodiscard]] bool is_this() noexcept {
    const std::uint32_t here = base_detail::thread_slot() + 1;
    std::uint32_t first = 0;
    return slot_.compare_exchange_strong(first, here, std::memory_order_relaxed) || first == here;
  }

 private:
  atomic<std::uint32_t> slot_{0};  // its number + 1; 0: none yet
};

// The state of an object that may have been moved from.
template <class State>
[[nodiscard]] State& not_moved(State* state, const char* sentence) noexcept {
  if constexpr (detail::contracts) detail::expects(state != nullptr, sentence);
  return *state;
}

}  // namespace overture::sync_detail
