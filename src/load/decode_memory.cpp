// SPDX-License-Identifier: Zlib
#include "load/decode_memory.hpp"

namespace overture::load_detail {

// Makes the room at least `bytes`.
bool decode_memory::grant(std::uint64_t bytes) noexcept {
  const sync_detail::scoped_lock hold(lock_);
  const std::uint64_t before = granted_.load(std::memory_order_relaxed);
  if (bytes <= before) return true;
  if (!load_.ledger.take(bytes - before, memory_tag::decode, item_.ticket)) return false;
  granted_.store(bytes, std::memory_order_relaxed);
  return true;
}

void* decode_memory::allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept {
  const bool large = bytes >= large_bytes_;
  if (large) {
    const std::uint64_t wanted = large_in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (!grant(wanted)) {
      large_in_use_.fetch_sub(bytes, std::memory_order_relaxed);
      refused_.store(wanted, std::memory_order_relaxed);
      return nullptr;
    }
  }
  void* const block = load_.memory.allocate(bytes, alignment, tag);
  if (!block && large) large_in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  return block;
}

void decode_memory::deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                               memory_tag tag) noexcept {
  if (memory && bytes >= large_bytes_) {
    large_in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  load_.memory.deallocate(memory, bytes, alignment, tag);
}

}  // namespace overture::load_detail
