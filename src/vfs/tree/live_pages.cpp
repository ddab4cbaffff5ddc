// SPDX-License-Identifier: Zlib
#include "vfs/tree/live_pages.hpp"

#include <bit>
#include <iterator>
#include <new>

namespace overture::vfs_detail {

namespace {

// In a chunk each page begins at a cache line.
constexpr std::size_t chunk_alignment = 64;
constexpr std::size_t chunk_pages_max = std::size_t{32} << 10;

static_assert(alignof(live_page) == alignof(live_block));
static_assert(alignof(live_overflow) == alignof(live_block));
static_assert(sizeof(live_chunk) <= chunk_alignment);
static_assert(sizeof(live_page) % chunk_alignment == 0);

// Null if out of memory.
template <class Block>
Block* make_block(allocator& memory, std::uint64_t version, std::size_t bytes) noexcept {
  void* const room = memory.allocate(bytes, alignof(live_block), memory_tag::vfs);
  if (!room) return nullptr;
  Block* const made = ::new (room) Block{};
  static_cast<live_block&>(*made) = {nullptr, version, bytes, nullptr};
  return made;
}

void release_chunk(allocator& memory, live_chunk* chunk) noexcept {
  if (--chunk->holders != 0) return;
  memory.deallocate(chunk, chunk->bytes, chunk_alignment, memory_tag::vfs);
}

}  // namespace

void live_pages::free(allocator& memory, live_block* block) noexcept {
  if (!block) return;
  if (block->chunk) return release_chunk(memory, block->chunk);
  memory.deallocate(block, block->bytes, alignof(live_block), memory_tag::vfs);
}

void live_pages::take_chunks(std::size_t pages) noexcept {
  pages_at_once_ = std::min(pages, chunk_pages_max);
  if (pages == 0 && chunk_) release_chunk(memory_, std::exchange(chunk_, nullptr));
  chunk_left_ = 0;
}

bool live_pages::take_chunk() noexcept {
  const std::size_t bytes = chunk_alignment + pages_at_once_ * sizeof(live_page);
  void* const room = memory_.allocate(bytes, chunk_alignment, memory_tag::vfs);
  if (!room) return false;
  if (chunk_) release_chunk(memory_, chunk_);
  chunk_ = ::new (room) live_chunk{bytes, 1};
  chunk_left_ = pages_at_once_;
  return true;
}

// Null if out of memory.
live_page* live_pages::make() noexcept {
  if (pages_at_once_ == 0) return make_block<live_page>(memory_, version_, sizeof(live_page));
  if (chunk_left_ == 0 && !take_chunk()) return nullptr;
  char* const end = reinterpret_cast<char*>(chunk_) + chunk_->bytes;
  auto* const made = ::new (static_cast<void*>(end - chunk_left_ * sizeof(live_page))) live_page{};
  static_cast<live_block&>(*made) = {nullptr, version_, 0, chunk_};
  --chunk_left_;
  ++chunk_->holders;
  return made;
}

live_page* live_pages::copy(live_page* known) noexcept {
  live_page* const made = make();
  if (!made || !known) return made;
  made->overflow = known->overflow;
  std::copy(std::begin(known->slots), std::end(known->slots), made->slots);
  std::copy(std::begin(known->numbers), std::end(known->numbers), made->numbers);
  replace(known);
  return made;
}

live_overflow* live_pages::writable_overflow(live_page& of, std::uint32_t more) noexcept {
  live_overflow* const known = of.overflow;
  const bool own = known && owns(*known);
  const std::uint32_t count = known ? known->count : 0;
  if (own && count + more <= known->capacity) return known;
  const std::uint32_t capacity = std::max<std::uint32_t>(4, std::bit_ceil(count + more));
  live_overflow* const made = make_block<live_overflow>(
      memory_, version_, sizeof(live_overflow) + capacity * sizeof(live_item));
  if (!made) return nullptr;
  made->capacity = capacity;
  of.overflow = made;
  if (!known) return made;
  made->count = count;
  made->paths_without_slot = known->paths_without_slot;
  std::copy(known->items(), known->items() + count, made->items());
  if (own) {
    free(memory_, known);
  } else {
    replace(known);
  }
  return made;
}

}  // namespace overture::vfs_detail
