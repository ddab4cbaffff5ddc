// SPDX-License-Identifier: Zlib
#include "io/schedule/packed_item.hpp"

#include <new>
#include <utility>

namespace overture::io_detail {
namespace {

constexpr std::size_t room_begin = (sizeof(packed_item) + 63) / 64 * 64;

}  // namespace

packed_item* packed_item::make(buffer_pool& pool, std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX / 2) return nullptr;
  result<blob> block = pool.take(room_begin + bytes);
  if (!block) return nullptr;
  auto* const made = ::new (static_cast<void*>(block->data())) packed_item;
  made->block_ = std::move(*block);
  made->packed = made->room();
  return made;
}

std::span<std::byte> packed_item::room() noexcept {
  return block_.span().subspan(room_begin);
}

void packed_item::destroy() noexcept {
  const blob block = std::move(block_);
  this->~packed_item();
}

}  // namespace overture::io_detail
