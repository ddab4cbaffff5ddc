// SPDX-License-Identifier: Zlib
#include "overture/base/blob.hpp"

#include <bit>

#include "base/index_stack.hpp"
#include "base/vec.hpp"
#include "overture/base/contracts.hpp"

namespace overture {
namespace {

constexpr std::size_t block_alignment = 64;
// Decoders write, and vector code reads, a little past the end.
constexpr std::size_t slack_bytes = 32;

// Size classes: 1 KiB times 1, 1.25, 1.5, 1.75, 2, 2.5, ... so at most a fifth is wasted.
constexpr unsigned smallest_shift = 10;
constexpr unsigned steps_per_doubling = 4;
constexpr unsigned class_count = 38 * steps_per_doubling;

constexpr std::size_t class_bytes(unsigned index) noexcept {
  const std::size_t base = std::size_t{1} << (smallest_shift + index / steps_per_doubling);
  return base + base / steps_per_doubling * (index % steps_per_doubling);
}

constexpr unsigned class_of(std::size_t bytes) noexcept {
  if (bytes <= class_bytes(0)) return 0;
  const auto doubling = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1 - smallest_shift;
  unsigned index = doubling * steps_per_doubling;
  while (class_bytes(index) < bytes) ++index;
  return index;
}
static_assert(class_bytes(class_of(1025)) == 1280 && class_bytes(class_of(2048)) == 2048);

struct block {
  std::byte* memory = nullptr;
  std::uint32_t size_class = 0;
  atomic<std::uint32_t> link{base_detail::index_stack::none};
};

// Descriptors live in chunks that are freed only with the pool: base_detail::index_stack may read
// stale ones.
constexpr std::uint32_t chunk_blocks = 256;
constexpr std::uint32_t chunks_max = 4096;

}  // namespace

struct buffer_pool::state {
  base_detail::index_stack free_by_class[class_count];
  base_detail::index_stack unused_blocks;  // descriptors without memory
  atomic<block*> chunks[chunks_max] = {};
  atomic<std::uint32_t> chunk_count{0};
  atomic<std::size_t> kept_bytes{0};

  block& at(std::uint32_t index) noexcept {
    return chunks[index / chunk_blocks].load(std::memory_order_acquire)[index % chunk_blocks];
  }
  auto links() noexcept {
    return [this](std::uint32_t index) -> atomic<std::uint32_t>& { return at(index).link; };
  }
  // Blocks that blobs hold, once all free ones have gone back to the allocator.
  [[nodiscard]] bool has_memory() noexcept {
    for (std::uint32_t i = 0; i < chunk_count.load(std::memory_order_relaxed) * chunk_blocks; ++i) {
      if (at(i).memory != nullptr) return true;
    }
    return false;
  }

  // A descriptor without memory, or base_detail::index_stack::none.
  std::uint32_t take_descriptor(allocator& memory, memory_tag tag) noexcept {
    const std::uint32_t reused = unused_blocks.pop(links());
    if (reused != base_detail::index_stack::none) return reused;
    void* const place = memory.allocate(sizeof(block) * chunk_blocks, alignof(block), tag);
    if (!place) return base_detail::index_stack::none;
    const std::uint32_t chunk = chunk_count.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks_max) {
      chunk_count.fetch_sub(1, std::memory_order_relaxed);
      memory.deallocate(place, sizeof(block) * chunk_blocks, alignof(block), tag);
      return base_detail::index_stack::none;
    }
    auto* const blocks = static_cast<block*>(place);
    for (std::uint32_t i = 0; i < chunk_blocks; ++i) ::new (static_cast<void*>(blocks + i)) block;
    chunks[chunk].store(blocks, std::memory_order_release);
    const std::uint32_t first = chunk * chunk_blocks;
    for (std::uint32_t i = 1; i < chunk_blocks; ++i) unused_blocks.push(first + i, links());
    return first;
  }
};

buffer_pool::buffer_pool(const buffer_pool_config& config) noexcept : config_(config) {
  if (!config_.memory) config_.memory = &default_allocator();
  (void)find_state();
}

buffer_pool::state* buffer_pool::find_state() noexcept {
  state* found = state_.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  state* const made = base_detail::make_object<state>(*config_.memory, config_.tag);
  if (state_.compare_exchange_strong(found, made, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
    return made;
  }
  base_detail::destroy_object(*config_.memory, config_.tag, made);
  return found;
}

buffer_pool::~buffer_pool() {
  state* const all = state_.load(std::memory_order_acquire);
  if (all == nullptr) return;
  trim();
  if constexpr (detail::contracts) {
    detail::expects(!all->has_memory(),
                    "a buffer_pool was destroyed while a blob holds one of its buffers: destroy or "
                    "reset the blobs first");
  }
  for (atomic<block*>& chunk : all->chunks) {
    config_.memory->deallocate(chunk.load(std::memory_order_relaxed), sizeof(block) * chunk_blocks,
                               alignof(block), config_.tag);
  }
  base_detail::destroy_object(*config_.memory, config_.tag, all);
}

result<blob> buffer_pool::take(std::size_t bytes) noexcept {
  constexpr std::size_t largest = class_bytes(class_count - 1) - slack_bytes;
  const auto no_memory = [bytes] {
    return fail(errc::out_of_memory, "out of memory for a file's content", {}, bytes);
  };
  state* const all = find_state();
  if (all == nullptr || bytes > largest) return no_memory();
  const unsigned wanted = class_of(bytes + slack_bytes);
  std::uint32_t index = all->free_by_class[wanted].pop(all->links());
  if (index != base_detail::index_stack::none) {
    all->kept_bytes.fetch_sub(class_bytes(wanted), std::memory_order_relaxed);
  } else {
    index = all->take_descriptor(*config_.memory, config_.tag);
    if (index == base_detail::index_stack::none) return no_memory();
    block& fresh = all->at(index);
    fresh.size_class = wanted;
    fresh.memory = static_cast<std::byte*>(
        config_.memory->allocate(class_bytes(wanted), block_alignment, config_.tag));
    if (!fresh.memory) {
      all->unused_blocks.push(index, all->links());
      return no_memory();
    }
  }
  blob taken;
  taken.pool_ = this;
  taken.block_ = index;
  taken.data_ = all->at(index).memory;
  taken.size_ = bytes;
  return taken;
}

void buffer_pool::give_back(std::uint32_t index) noexcept {
  state* const all = state_.load(std::memory_order_acquire);
  block& returned = all->at(index);
  const std::size_t bytes = class_bytes(returned.size_class);
  if (bytes <= config_.block_bytes_max) {
    const std::size_t kept = all->kept_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (kept <= config_.kept_bytes_max) {
      all->free_by_class[returned.size_class].push(index, all->links());
      return;
    }
    all->kept_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  }
  config_.memory->deallocate(returned.memory, bytes, block_alignment, config_.tag);
  returned.memory = nullptr;
  all->unused_blocks.push(index, all->links());
}

std::size_t buffer_pool::kept_bytes() const noexcept {
  const state* const all = state_.load(std::memory_order_acquire);
  return all != nullptr ? all->kept_bytes.load(std::memory_order_relaxed) : 0;
}

void buffer_pool::trim() noexcept {
  state* const all = state_.load(std::memory_order_acquire);
  if (all == nullptr) return;
  for (unsigned size_class = 0; size_class < class_count; ++size_class) {
    for (;;) {
      const std::uint32_t index = all->free_by_class[size_class].pop(all->links());
      if (index == base_detail::index_stack::none) break;
      block& dropped = all->at(index);
      const std::size_t bytes = class_bytes(size_class);
      all->kept_bytes.fetch_sub(bytes, std::memory_order_relaxed);
      config_.memory->deallocate(dropped.memory, bytes, block_alignment, config_.tag);
      dropped.memory = nullptr;
      all->unused_blocks.push(index, all->links());
    }
  }
}

void blob::reset() noexcept {
  if (!pool_) return;
  std::exchange(pool_, nullptr)->give_back(block_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace overture
