// SPDX-License-Identifier: Zlib
#include "load/file_room.hpp"

#include <utility>

namespace overture::load_detail {

bool room_credit::take(std::uint64_t bytes, bool& ticket) noexcept {
  if (bytes > bytes_ && bytes < share_bytes_ &&
      ledger_.take_if_free(share_bytes_, memory_tag::load)) {
    bytes_ += share_bytes_;
  }
  if (bytes <= bytes_) {
    bytes_ -= bytes;
    return true;
  }
  return_all();
  return ledger_.take(bytes, memory_tag::load, ticket);
}

void room_credit::add(std::uint64_t bytes) noexcept {
  if (bytes <= bytes_) {
    bytes_ -= bytes;
  } else {
    ledger_.add(bytes, memory_tag::load);
  }
}

void room_credit::give_back(std::uint64_t bytes, bool has_ticket) noexcept {
  if (bytes_ + bytes <= 2 * share_bytes_ && !has_ticket && ledger_.used() < ledger_.limit()) {
    bytes_ += bytes;
  } else if (bytes != 0) {
    ledger_.give_back(bytes, memory_tag::load);
  }
}

void room_credit::return_all() noexcept {
  if (bytes_ != 0) ledger_.give_back(std::exchange(bytes_, 0), memory_tag::load);
}

namespace {

// For a file that needs no block, or holds it.
bool take_beside_block(const opened_file& file, std::uint64_t bytes, room_credit& from,
                       bool is_one_ledger, bool& ticket) noexcept {
  if (!is_one_ledger || !file.block_has_ticket()) return from.take(bytes, ticket);
  from.ledger().add(bytes, memory_tag::load);
  return true;
}

}  // namespace

lacking take_file_room(opened_file& file, std::uint64_t bytes, room_credit& from,
                       memory_ledger& for_blocks, bool& ticket) noexcept {
  const bool is_one_ledger = &from.ledger() == &for_blocks;
  const std::uint64_t with_block = is_one_ledger ? bytes : 0;
  for (;;) {
    const std::uint64_t block = file.block_room();
    bool block_ticket = false;
    if (block == 0) {
      if (!file.hold_block(0, block_ticket)) continue;
      return take_beside_block(file, bytes, from, is_one_ledger, ticket) ? lacking::nothing
                                                                         : lacking::file_room;
    }
    from.return_all();
    if (!for_blocks.take(block + with_block, memory_tag::vfs, block_ticket)) {
      return is_one_ledger ? lacking::file_room : lacking::block_room;
    }
    if (file.hold_block(block, block_ticket) && is_one_ledger && !block_ticket) {
      for_blocks.move(with_block, memory_tag::vfs, memory_tag::load);
      return lacking::nothing;
    }
    // Another file took room for the block meanwhile, or it was evicted, or the file's room comes
    // from another ledger.
    if (is_one_ledger) for_blocks.give_back(with_block, memory_tag::vfs);
    for_blocks.end_item(block_ticket);
  }
}

}  // namespace overture::load_detail
