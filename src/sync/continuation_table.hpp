// Work that waits for barricades, which have no room for a list: one list for each few addresses,
// without a lock. What is in it says itself whether its barricade has let it through.
//
// Whoever looks through a list takes all of it, runs what may run and puts the rest back. Somebody
// else may look meanwhile and not find what is his; so each look is counted before it begins, and
// who has put something back looks again if there was another one.
//
// Work that is being registered is in its list already but does not count yet: the thread that
// registers it still looks at the barricade, which may be gone as soon as the work runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/sync/barricade.hpp"

namespace overture {

class continuation_table {
 public:
  // In its list, but it is not run yet.
  static void add(barricade_continuation& added) noexcept;
  // From now on it may be run, at once even; nothing of it may be touched behind this call.
  static void begin_to_count(barricade_continuation& added) noexcept;
  // Behind the operation that lowered the barricade at this address, which may be gone.
  static void run_those_let_through(const void* barricade_address) noexcept;

 private:
  friend struct fresh_continuation_table;  // of the explorer: each of its runs begins with one

  struct alignas(64) list {
    atomic<barricade_continuation*> newest{nullptr};
    atomic<std::uint32_t> looks{0};
  };
  static list& list_of(const void* barricade_address) noexcept;
  static void push(list& to, barricade_continuation& first, barricade_continuation& last) noexcept;
  static void look_through(list& all) noexcept;

  static constexpr std::size_t list_count = 64;
  static list lists_[list_count];
};

}  // namespace overture
