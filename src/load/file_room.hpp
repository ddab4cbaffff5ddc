// SPDX-License-Identifier: Zlib
//
// The room that files in flight take of a ledger, for themselves and for their solid blocks.
#pragma once

#include <cstdint>

#include "overture/sync/memory_ledger.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::load_detail {

// Room for files of one ledger, some of it taken ahead: a ledger that many threads change for every
// small file is expensive. For one thread. Whoever makes an item wait returns the credit before, so
// that no item waits for what its own thread holds.
class room_credit {
 public:
  // `share_bytes`: so much is taken ahead at once, for files that are smaller.
  room_credit(memory_ledger& of, std::uint64_t share_bytes) noexcept
      : ledger_(of), share_bytes_(share_bytes) {}
  room_credit(const room_credit&) = delete;
  room_credit& operator=(const room_credit&) = delete;

  [[nodiscard]] memory_ledger& ledger() const noexcept { return ledger_; }
  [[nodiscard]] std::uint64_t share_bytes() const noexcept { return share_bytes_; }

  // As memory_ledger::take(). If refused, all credit was returned.
  [[nodiscard]] bool take(std::uint64_t bytes, bool& ticket) noexcept;
  // Counts memory that is in use already, whatever the limit.
  void add(std::uint64_t bytes) noexcept;
  void give_back(std::uint64_t bytes, bool has_ticket) noexcept;
  void return_all() noexcept;

 private:
  memory_ledger& ledger_;
  const std::uint64_t share_bytes_;
  std::uint64_t bytes_ = 0;
};

// What room an item waits for, in the order in which they are served: those first that hold most.
enum class lacking : std::uint8_t { asset_room, file_room, block_room, nothing };

// Takes `bytes` of room for a file and, unless it is there, for its solid block. With one ledger
// for both, the room is taken at once: blocks that wait for room for their files would fill the
// ledger.
// Returns what it lacks.
[[nodiscard]] lacking take_file_room(opened_file& file, std::uint64_t bytes, room_credit& from,
                                     memory_ledger& for_blocks, bool& ticket) noexcept;

// Of a file that is read and unpacked as a whole.
[[nodiscard]] inline std::uint64_t whole_file_bytes(const file_place& place) noexcept {
  return place.read_bytes + (place.method == compression::none ? 0 : place.bytes);
}

}  // namespace overture::load_detail
