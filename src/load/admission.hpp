// SPDX-License-Identifier: Zlib
//
// Admission: which file begins next, and when.
//
//   a file waits for     in load_state::lines, until there is room in   and holds meanwhile
//   room for its asset   asset_room            the ledger               its unpacked content
//   room for itself      file_room             the ledger               nothing
//   room for its block   block_room            the ledger for blocks    nothing
//
// Served are those first that hold most, then files that have not begun, as long as no file lacks
// room. Room that is made has the lines looked at again.
#pragma once

#include "load/load_state.hpp"

namespace overture::load_detail {

// Whether a loader that begins now would find something to do.
[[nodiscard]] bool can_begin(load_state& load) noexcept;

// Tells the job system what its idle threads wait for now. Call it when that may have changed.
void tell_idle_reason(load_state& load) noexcept;

// Of one loader.
class admission {
 public:
  explicit admission(load_state& load) noexcept : load_(load) { look_at_rooms(); }
  admission(const admission&) = delete;
  admission& operator=(const admission&) = delete;

  // The next item to advance, or null: one that waited for room, or with a new file.
  [[nodiscard]] load_item* next() noexcept;
  // The item waits for the room that it lacks. Another loader may have it when this returns.
  void wait(load_item& item) noexcept;
  // The item of a file that has ended, for the next.
  void free(load_item& item) noexcept;
  void return_spare() noexcept;

 private:
  void look_at_rooms() noexcept;
  [[nodiscard]] load_item* next_waiting() noexcept;
  static void note_wait(const load_room& room, const load_item& item) noexcept;
  [[nodiscard]] load_item* next_new() noexcept;
  [[nodiscard]] std::uint32_t next_file() noexcept;

  load_state& load_;
  load_item* spare_ = nullptr;
  // load_room::made() of each line before the current item asked for room.
  std::uint64_t seen_[load_state::line_count];
};

}  // namespace overture::load_detail
