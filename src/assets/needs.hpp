// SPDX-License-Identifier: Zlib
//
// needs: which asset needs which.
//
// Not synchronised: the store's lock guards it.
#pragma once

#include "assets/slot.hpp"

namespace overture::assets_detail {

// One asset needs another.
struct need {
  slot* parent = nullptr;
  slot* child = nullptr;
  bool pending = false;  // the parent waits for the child
  need* next_of_parent = nullptr;
  need* before_of_child = nullptr;
  need* next_of_child = nullptr;
};

class needs {
 public:
  explicit needs(allocator& memory) noexcept : memory_(memory) {}
  ~needs();
  needs(const needs&) = delete;
  needs& operator=(const needs&) = delete;

  // Notes that `parent` needs `child`, holds it, and waits for it if it is not settled. Errors:
  // invalid if the child waits for the parent already, out_of_memory.
  [[nodiscard]] result<void> add(slot& parent, slot& child) noexcept;
  // Each gets what the other needs.
  static void exchange(slot& one, slot& other) noexcept;
  // Forgets what `parent` needs, and gives it up.
  void remove_all(slot& parent) noexcept;
  // `child` has settled: those that waited for it wait no longer. They are linked by walk_next
  // until the next call of these functions; null if there are none.
  [[nodiscard]] slot* settle(slot& child) noexcept;
  // `from` and all that it waits for, directly or by way of others, linked likewise.
  [[nodiscard]] slot* waited_for(slot& from) noexcept;

 private:
  [[nodiscard]] bool waits(slot& from, const slot& to) noexcept;

  allocator& memory_;
  need* free_ = nullptr;  // linked by next_of_parent
  std::uint32_t visits_ = 0;
};

// Whether nothing waits for it any more.
[[nodiscard]] inline bool is_settled(const slot& one) noexcept {
  const asset_state state = one.state.load(std::memory_order_relaxed);
  return state == asset_state::ready || state == asset_state::failed;
}

}  // namespace overture::assets_detail
