// SPDX-License-Identifier: Zlib
//
// Continuations of barricades, which have no room for a list: a lock-free list for each few
// addresses. Each entry can tell whether its barricade has released it.
//
// A thread that scans a list takes all of it, runs what is released and puts the rest back.
// Meanwhile another thread may scan and miss entries. So every scan is counted before it starts,
// and a thread that put something back scans again if the count has changed.
//
// A continuation goes into the list before it is armed: until then the registering thread still
// accesses the barricade, which may be destroyed as soon as the work runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threads/shared_state.hpp"
#include "overture/base/atomic.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::sync_detail {

class continuation_table {
 public:
  // Adds to the list, not armed: it is not run yet.
  static void add(barricade_continuation& added) noexcept;
  // Arms it: it may run at once, so do not touch it after this call.
  static void arm(barricade_continuation& added) noexcept;
  // Call after lowering the barricade at this address, which may be gone by now.
  static void run_released(const void* barricade_address) noexcept;

 private:
  friend struct fresh_continuation_table;  // the explorer starts each run with one

  using list = base_detail::continuation_list;
  static list& list_of(const void* barricade_address) noexcept;
  static void push(list& to, barricade_continuation& first, barricade_continuation& last) noexcept;
  static void scan(list& all) noexcept;
};

}  // namespace overture::sync_detail
