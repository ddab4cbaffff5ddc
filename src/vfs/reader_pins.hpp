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

#include "overture/allocator.hpp"
#include "overture/atomic.hpp"
#include "overture/error.hpp"
#include "vfs/sizes.hpp"

namespace overture::vfs {

class reader_pins {
 public:
  static constexpr std::uint32_t numbers_max = pin_numbers_max;

  struct alignas(64) stripe {
    // The epoch of entering, and in the low bits how many are inside: calls nest, and threads
    // beyond limits::thread_slots_max share a stripe.
    atomic<std::uint64_t> inside{0};
    atomic<std::uint32_t> files[numbers_max] = {};
  };

  explicit reader_pins(allocator& memory) noexcept : memory_(memory) {}
  ~reader_pins();
  reader_pins(const reader_pins&) = delete;
  reader_pins& operator=(const reader_pins&) = delete;

  // The calling thread's. Allocates at the thread's first call; where the memory is refused the
  // threads share one.
  [[nodiscard]] stripe& mine() noexcept;

  void enter(stripe& here) noexcept;
  // Returns the epoch whose reader was the last inside the stripe, 0 if others are inside still.
  std::uint64_t leave(stripe& here) noexcept;
  // Ends the epoch and returns it.
  std::uint64_t advance() noexcept { return epoch_.fetch_add(1); }
  // Whether all who have entered in this epoch or before it have left.
  [[nodiscard]] bool have_left(std::uint64_t epoch) const noexcept;

  // pin() only while inside, or while nothing can be unmounted.
  void pin(std::uint32_t number) noexcept { mine().files[number].fetch_add(1); }
  void unpin(std::uint32_t number) noexcept { mine().files[number].fetch_sub(1); }
  // Reliable only when no more pin() of this number can come.
  [[nodiscard]] bool unpinned(std::uint32_t number) const noexcept;

 private:
  static constexpr unsigned count_bits = 16;
  static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;

  stripe* make(std::uint32_t slot) noexcept;

  allocator& memory_;
  atomic<std::uint64_t> epoch_{1};
  atomic<stripe*> stripes_[pin_stripes_max] = {};
  stripe shared_;
};

}  // namespace overture::vfs
