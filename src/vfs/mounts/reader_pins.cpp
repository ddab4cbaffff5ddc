// SPDX-License-Identifier: Zlib
#include "vfs/mounts/reader_pins.hpp"

#include "base/vec.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

reader_pins::~reader_pins() {
  for (atomic<stripe*>& left : stripes_) {
    destroy_object(memory_, memory_tag::vfs, left.load(std::memory_order_relaxed));
  }
}

// Threads that share the last slot may race here.
reader_pins::stripe* reader_pins::make(std::uint32_t slot) noexcept {
  stripe* const made =
      make_object<stripe>(memory_, memory_tag::vfs, fenced_ && slot != pin_stripes_max - 1);
  if (!made) return nullptr;
  stripe* present = nullptr;
  if (stripes_[slot].compare_exchange_strong(present, made)) return made;
  destroy_object(memory_, memory_tag::vfs, made);
  return present;
}

void reader_pins::enter_shared(stripe& here) noexcept {
  std::uint64_t word = here.inside.load(std::memory_order_relaxed);
  std::uint64_t entered = 0;
  do {
    entered = (word & count_mask) != 0 ? word + 1 : first_inside();
  } while (!here.inside.compare_exchange_weak(word, entered));
}

void reader_pins::fence() noexcept {
  if (!fenced_ || sync_detail::heavy_fence()) seen_by_all_.store(epoch_.load());
}

bool reader_pins::have_left(std::uint64_t epoch) const noexcept {
  if (epoch >= seen_by_all_.load()) return false;
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

// Without new pins the counts only fall, so a sum of zero is final even if counts fell while it was
// computed.
bool reader_pins::unpinned(std::uint32_t number) const noexcept {
  std::uint32_t sum = shared_.files[number].load();
  for (const atomic<stripe*>& one : stripes_) {
    const stripe* const known = one.load();
    if (known) sum += known->files[number].load();
  }
  return sum == 0;
}

}  // namespace overture::vfs_detail
