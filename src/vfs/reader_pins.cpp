#include "vfs/reader_pins.hpp"

#include "base/thread_slot.hpp"
#include "base/vec.hpp"

namespace overture::vfs {

reader_pins::~reader_pins() {
  for (atomic<stripe*>& left : stripes_) {
    destroy_object(memory_, memory_tag::vfs, left.load(std::memory_order_relaxed));
  }
}

reader_pins::stripe& reader_pins::mine() noexcept {
  const std::uint32_t slot = thread_slot();
  stripe* found = stripes_[slot].load(std::memory_order_acquire);
  if (!found) found = make(slot);
  return found ? *found : shared_;
}

// Two threads of the last slot may come here at once.
reader_pins::stripe* reader_pins::make(std::uint32_t slot) noexcept {
  stripe* const made = make_object<stripe>(memory_, memory_tag::vfs);
  if (!made) return nullptr;
  stripe* present = nullptr;
  if (stripes_[slot].compare_exchange_strong(present, made)) return made;
  destroy_object(memory_, memory_tag::vfs, made);
  return present;
}

// Who enters announces itself before it looks for what is current, and who replaces that looks for
// readers afterwards: both orders are those of sequential consistency, so that they cannot miss
// each other.
void reader_pins::enter(stripe& here) noexcept {
  std::uint64_t word = here.inside.load(std::memory_order_relaxed);
  std::uint64_t entered = 0;
  do {
    entered = (word & count_mask) != 0 ? word + 1 : epoch_.load() << count_bits | 1;
  } while (!here.inside.compare_exchange_weak(word, entered));
}

std::uint64_t reader_pins::leave(stripe& here) noexcept {
  const std::uint64_t word = here.inside.fetch_sub(1);
  return (word & count_mask) == 1 ? word >> count_bits : 0;
}

bool reader_pins::have_left(std::uint64_t epoch) const noexcept {
  const auto left = [epoch](const stripe& in) {
    const std::uint64_t word = in.inside.load();
    return (word & count_mask) == 0 || word >> count_bits > epoch;
  };
  for (const atomic<stripe*>& one : stripes_) {
    const stripe* const known = one.load();
    if (known && !left(*known)) return false;
  }
  return left(shared_);
}

// Without new pins the counts only fall, so a sum of zero is the end even if it was read while
// some of them fell.
bool reader_pins::unpinned(std::uint32_t number) const noexcept {
  std::uint32_t sum = shared_.files[number].load();
  for (const atomic<stripe*>& one : stripes_) {
    const stripe* const known = one.load();
    if (known) sum += known->files[number].load();
  }
  return sum == 0;
}

}  // namespace overture::vfs
