// A fence whose cost is paid by one side: readers that announce themselves all the time do it by a
// plain store, and who looks for them, which is rare, makes the system run a fence on every
// processor that runs a thread of this process.
//
//   const bool cheap = register_heavy_fence();              // once, before readers choose
//
//   reader: if (cheap) light_store(inside, 1u); else inside.exchange(1u);
//           use(current.load());
//   writer: current.exchange(next);
//           if (cheap && !heavy_fence()) return;            // refused: nothing is known of readers
//           if (inside.load() == 0) free(old);
//
// Of a light_store() and a heavy_fence() one is first: either the loads behind the fence see what
// was stored, or the loads behind the store see all that was done before the fence. They order
// nothing else: that what was read is read before it is freed takes a release and an acquire, as
// ever, which is also all that ThreadSanitizer knows of it. The interleaving explorer knows both.
//
// Cost: light_store() is a store; heavy_fence() a system call and an interrupt of the processors on
// which other threads of the process run, some microseconds. Where the system has no such fence
// there is none, and readers must go on by read-modify-writes.
//
// Source of the method: Dice, Huang, Yang, "Asymmetric Dekker synchronization" (2001);
// membarrier(2); the names are those of P1202 "Asymmetric fences".
#pragma once

#include <atomic>

#include "overture/base/atomic.hpp"

namespace overture {

// Whether heavy_fence() works in this process from now on. Any thread. Registers the process with
// the system, which is quick only as long as it has one thread (with more of them the system takes
// some 15 ms): a process with several that is not registered is told no.
[[nodiscard]] bool register_heavy_fence() noexcept;

// False where the system refuses it, which it may do even after it was registered (a sandbox that
// was entered since).
[[nodiscard]] bool heavy_fence() noexcept;

// A release store, which the loads behind it do not pass as seen by who calls heavy_fence().
template <class T>
void light_store(atomic<T>& into, T value) noexcept {
  into.store(value, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // for the compiler
}

}  // namespace overture
