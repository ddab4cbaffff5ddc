// SPDX-License-Identifier: Zlib
//
// An asymmetric fence. Readers, which announce themselves all the time, use a plain store; the rare
// writer that looks for readers makes the system run a fence on every processor of this process.
//
//   const bool cheap = register_heavy_fence();              // once, before the first reader
//
//   reader: if (cheap) light_store(inside, 1u); else inside.exchange(1u);
//           use(current.load());
//   writer: current.exchange(next);
//           if (cheap && !heavy_fence()) return;            // refused: there may be readers
//           if (inside.load() == 0) free(old);
//
// Of a light_store() and a heavy_fence() one comes first: either the loads after the fence see the
// store, or the loads after the store see everything done before the fence. They order nothing
// else: that a reader's last use comes before the free needs a release and an acquire as usual.
// That is all ThreadSanitizer knows about; the interleaving explorer knows both.
//
// Cost: light_store() is a store. heavy_fence() is a system call that interrupts every processor
// running a thread of the process, some microseconds. Systems without such a fence refuse it, and
// readers must use read-modify-writes.
//
// Method: Dice, Huang, Yang, "Asymmetric Dekker synchronization" (2001); membarrier(2). Names after
// P1202, "Asymmetric fences".
#pragma once

#include <atomic>

#include "overture/base/atomic.hpp"

namespace overture::sync_detail {

// Registers the process for heavy_fence(); false if heavy_fence() will not work. Registration takes
// some 15 ms once the process has several threads, so it is attempted only with one: otherwise this
// returns false unless the process is registered already. Any thread.
[[nodiscard]] bool register_heavy_fence() noexcept;

// False if the system refuses, which can happen even after registration (in a sandbox entered
// since). Any thread.
[[nodiscard]] bool heavy_fence() noexcept;

// A release store that later loads do not pass, as seen by callers of heavy_fence(). Any thread.
template <class T>
void light_store(atomic<T>& into, T value) noexcept {
  into.store(value, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // for the compiler
}

}  // namespace overture::sync_detail
