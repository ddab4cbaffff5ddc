// SPDX-License-Identifier: Zlib
//
// Tracks readers of replaced snapshots, and open files of mounts.
//
// A reader enters and leaves on its own thread's stripe, so readers share no cache line that any of
// them writes. Entering notes the epoch. Replacing a snapshot ends the epoch; the old one may be
// freed when all who entered in that epoch have left. Each stripe also counts open files by the
// number of their mount; a file may be closed on a different thread than it was opened on.
//
// Source of the method: epoch-based reclamation (Fraser, "Practical lock-freedom", 2004).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threads/thread_slot.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/error.hpp"
#include "sync/asymmetric_fence.hpp"
#include "vfs/mounts/sizes.hpp"

namespace overture::vfs_detail {

class reader_pins {
 public:
  static constexpr std::uint32_t numbers_max = pin_numbers_max;

  struct alignas(detail::line_bytes) stripe {
    explicit stripe(bool by_stores) noexcept : plain(by_stores) {}
    // The epoch of entering, and in the low bits the number of readers: calls nest, and threads may
    // share a stripe.
    atomic<std::uint64_t> inside{0};
    const bool plain;  // used by one thread, whose plain stores heavy_fence() makes visible
    atomic<std::uint32_t> files[numbers_max] = {};
  };

  reader_pins(allocator& memory, bool has_heavy_fence) noexcept
      : memory_(memory), fenced_(has_heavy_fence) {}
  explicit reader_pins(allocator& memory) noexcept
      : reader_pins(memory, sync_detail::register_heavy_fence()) {}
  ~reader_pins();
  reader_pins(const reader_pins&) = delete;
  reader_pins& operator=(const reader_pins&) = delete;

  // The calling thread's stripe. Allocated at the thread's first call; threads for which that fails
  // share one.
  [[nodiscard]] stripe& mine() noexcept {
    const std::uint32_t slot = base_detail::thread_slot();
    stripe* found = stripes_[slot].load(std::memory_order_acquire);
    if (!found) found = make(slot);
    return found ? *found : shared_;
  }

  // A reader announces itself before it loads the current snapshot; a writer replaces the snapshot
  // before it looks for readers. The fence, or sequential consistency without one, ensures that at
  // least one sees the other. The same holds for a leaving reader that checks for garbage.
  void enter(stripe& here) noexcept {
    if (!here.plain) return enter_shared(here);
    const std::uint64_t word = here.inside.load(std::memory_order_relaxed);
    sync_detail::light_store(here.inside, (word & count_mask) != 0 ? word + 1 : first_inside());
  }
  // Returns the epoch if this was the stripe's last reader, 0 if there are others.
  std::uint64_t leave(stripe& here) noexcept {
    std::uint64_t word = 0;
    if (here.plain) {
      word = here.inside.load(std::memory_order_relaxed);
      sync_detail::light_store(here.inside, word - 1);
    } else {
      word = here.inside.fetch_sub(1);
    }
    return (word & count_mask) == 1 ? word >> count_bits : 0;
  }

  // For the changing thread, one at a time, in this order. advance() ends the epoch and returns it.
  // Call fence() after all stores that leaving readers must see.
  std::uint64_t advance() noexcept { return epoch_.fetch_add(1); }
  void fence() noexcept;
  // For destruction: there are no readers and will be none.
  void no_more_readers() noexcept { seen_by_all_.store(epoch_.load()); }
  // Whether all readers that entered in this epoch or earlier have left. Never true for an epoch
  // whose fence the system refused.
  [[nodiscard]] bool have_left(std::uint64_t epoch) const noexcept;

  // Call pin() only between enter() and leave(), or while nothing can be unmounted.
  void pin(std::uint32_t number) noexcept { mine().files[number].fetch_add(1); }
  void unpin(std::uint32_t number) noexcept { mine().files[number].fetch_sub(1); }
  // Reliable only once this number cannot be pinned any more.
  [[nodiscard]] bool unpinned(std::uint32_t number) const noexcept;

 private:
  static constexpr unsigned count_bits = 16;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;

  [[nodiscard]] std::uint64_t first_inside() const noexcept {
    return epoch_.load() << count_bits | 1;
  }
  void enter_shared(stripe& here) noexcept;
  stripe* make(std::uint32_t slot) noexcept;

  allocator& memory_;
  const bool fenced_;
  atomic<std::uint64_t> epoch_{1};
  atomic<std::uint64_t> seen_by_all_{1};  // earlier epochs have had their fence
  atomic<stripe*> stripes_[pin_stripes_max] = {};
  stripe shared_{false};
};

}  // namespace overture::vfs_detail
