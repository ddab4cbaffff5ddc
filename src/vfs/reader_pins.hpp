// Who still looks at what has been replaced or unmounted.
//
// A reader enters and leaves on a stripe of its own thread, so readers share no line that any of
// them writes. Entering notes the epoch; whoever replaces something ends the epoch, and may free
// what was replaced when all who entered in it have left. A mount whose files are open has a
// number, and each stripe counts the files by it; a file may be closed on another thread than it
// was opened on.
//
// Source of the method: epoch-based reclamation (Fraser, "Practical lock-freedom", 2004).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_slot.hpp"
#include "overture/base/allocator.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/error.hpp"
#include "sync/asymmetric_fence.hpp"
#include "vfs/sizes.hpp"

namespace overture::vfs {

class reader_pins {
 public:
  static constexpr std::uint32_t numbers_max = pin_numbers_max;

  struct alignas(64) stripe {
    explicit stripe(bool by_stores) noexcept : plain(by_stores) {}
    // The epoch of entering, and in the low bits how many are inside: calls nest, and threads may
    // share a stripe.
    atomic<std::uint64_t> inside{0};
    const bool plain;  // is one thread's, and heavy_fence() makes what it stores known
    atomic<std::uint32_t> files[numbers_max] = {};
  };

  reader_pins(allocator& memory, bool has_heavy_fence) noexcept
      : memory_(memory), fenced_(has_heavy_fence) {}
  explicit reader_pins(allocator& memory) noexcept
      : reader_pins(memory, sync_detail::register_heavy_fence()) {}
  ~reader_pins();
  reader_pins(const reader_pins&) = delete;
  reader_pins& operator=(const reader_pins&) = delete;

  // The calling thread's. Allocates at the thread's first call; where the memory is refused the
  // threads share one.
  [[nodiscard]] stripe& mine() noexcept {
    const std::uint32_t slot = thread_slot();
    stripe* found = stripes_[slot].load(std::memory_order_acquire);
    if (!found) found = make(slot);
    return found ? *found : shared_;
  }

  // Who enters announces itself before it looks for what is current, and who replaces that looks
  // for readers afterwards: the fence, or else sequential consistency, sees to it that they cannot
  // miss each other. The same goes for who leaves and looks whether there is something to free.
  void enter(stripe& here) noexcept {
    if (!here.plain) return enter_shared(here);
    const std::uint64_t word = here.inside.load(std::memory_order_relaxed);
    sync_detail::light_store(here.inside, (word & count_mask) != 0 ? word + 1 : first_inside());
  }
  // Returns the epoch whose reader was the last inside the stripe, 0 if others are inside still.
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

  // The changing thread's, one at a time, in this order. advance() ends the epoch and returns it;
  // fence() follows behind all that those who leave shall see.
  std::uint64_t advance() noexcept { return epoch_.fetch_add(1); }
  void fence() noexcept;
  // For the end of all of it: nobody is inside, and nobody will be.
  void nobody_is_left() noexcept { seen_by_all_.store(epoch_.load()); }
  // Whether all who have entered in this epoch or before it have left. Never true of an epoch whose
  // fence the system refused.
  [[nodiscard]] bool have_left(std::uint64_t epoch) const noexcept;

  // pin() only while inside, or while nothing can be unmounted.
  void pin(std::uint32_t number) noexcept { mine().files[number].fetch_add(1); }
  void unpin(std::uint32_t number) noexcept { mine().files[number].fetch_sub(1); }
  // Reliable only when no more pin() of this number can come.
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
  atomic<std::uint64_t> seen_by_all_{1};  // epochs before this one have had their fence
  atomic<stripe*> stripes_[pin_stripes_max] = {};
  stripe shared_{false};
};

}  // namespace overture::vfs
