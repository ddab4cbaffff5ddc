// SPDX-License-Identifier: Zlib
#include "overture/base/allocator.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/aligned_memory.hpp"
#include "base/large_pages.hpp"

namespace overture {
namespace {

// The tables of a mount are filled once, front to back, and then accessed at random. Decoders'
// output gets none: it is often freed before all of it has been touched.
std::size_t alignment_for(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept {
  if (tag != memory_tag::vfs) return alignment;
  return std::max(alignment, base_detail::large_page_alignment(bytes));
}

class system_allocator final : public allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, memory_tag tag) noexcept override {
    void* const memory = base_detail::allocate_aligned(bytes, alignment_for(bytes, alignment, tag));
    if (memory && tag == memory_tag::vfs) base_detail::prefer_large_pages(memory, bytes);
    return memory;
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  memory_tag tag) noexcept override {
    base_detail::free_aligned(memory, alignment_for(bytes, alignment, tag));
  }
};

}  // namespace

const char* to_string(memory_tag tag) noexcept {
  static constexpr const char* names[memory_tag_count] = {"base", "trace", "jobs",   "io",
                                                          "vfs",  "load",  "decode", "host"};
  const auto index = static_cast<std::size_t>(tag);
  return index < memory_tag_count ? names[index] : "unknown";
}

allocator& default_allocator() noexcept {
  // Never destroyed: static objects of the host may still free memory at exit.
  alignas(system_allocator) static std::byte place[sizeof(system_allocator)];
  static allocator* const instance = ::new (static_cast<void*>(place)) system_allocator;
  return *instance;
}

void tracking_allocator::counters::add(std::uint64_t amount) noexcept {
  const std::uint64_t now = bytes.fetch_add(amount, std::memory_order_relaxed) + amount;
  allocations.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

memory_usage tracking_allocator::counters::read() const noexcept {
  return {bytes.load(std::memory_order_relaxed), peak_bytes.load(std::memory_order_relaxed),
          allocations.load(std::memory_order_relaxed)};
}

void* tracking_allocator::allocate(std::size_t bytes, std::size_t alignment,
                                   memory_tag tag) noexcept {
  void* memory = upstream_.allocate(bytes, alignment, tag);
  if (memory) {
    by_tag_[static_cast<std::size_t>(tag)].add(bytes);
    total_.add(bytes);
  }
  return memory;
}

void tracking_allocator::deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                                    memory_tag tag) noexcept {
  if (!memory) return;
  by_tag_[static_cast<std::size_t>(tag)].bytes.fetch_sub(bytes, std::memory_order_relaxed);
  total_.bytes.fetch_sub(bytes, std::memory_order_relaxed);
  upstream_.deallocate(memory, bytes, alignment, tag);
}

memory_usage tracking_allocator::usage(memory_tag tag) const noexcept {
  return by_tag_[static_cast<std::size_t>(tag)].read();
}

memory_usage tracking_allocator::total() const noexcept {
  return total_.read();
}

}  // namespace overture
