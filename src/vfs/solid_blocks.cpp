// SPDX-License-Identifier: Zlib
//
// What a load needs to know of solid blocks, and how a file holds the one that it is in.
#include <utility>

#include "archives/block_store.hpp"
#include "vfs/state.hpp"

namespace overture {

solid_block file_system::block_of(entry_index index) const noexcept {
  if (index >= entry_count()) return {};
  const vfs_detail::tree_entry& found = (*state_->frozen_tree())[index];
  const vfs_detail::mount& winner = state_->mount_at(found.mount);
  const archives_detail::archive& content = winner.content;
  archives_detail::block_store* const store = content.store.get();
  if (!store) return {};
  const result<archives_detail::opened_entry> opened =
      content.format->open(content, content.entries[found.entry], *winner.os);
  if (!opened || opened->handle.os() != store) return {};
  const archives_detail::block_store::extent block = store->extent_at(opened->place.offset);
  return {winner.id, block.offset, block.bytes};
}

std::uint64_t opened_file::block_room() const noexcept {
  return files_ && store_ && !holds_block_ ? store_->missing_room(place_.offset) : 0;
}

bool opened_file::hold_block(std::uint64_t room, bool& ticket) noexcept {
  if (!files_ || !store_ || holds_block_) return true;
  holds_block_ = store_->hold_block(place_.offset, room, ticket);
  return holds_block_;
}

bool opened_file::block_has_ticket() const noexcept {
  return files_ && holds_block_ && store_->has_ticket(place_.offset);
}

void opened_file::release_block() noexcept {
  if (files_ && std::exchange(holds_block_, false)) store_->release_block(place_.offset);
}

}  // namespace overture
