// SPDX-License-Identifier: Zlib
//
// What a store counts. All of it follows from the lives of its assets: an asset is taken out of the
// counts before anything of it changes, and put in again afterwards.
#pragma once

#include "assets/admission.hpp"
#include "assets/slot.hpp"

namespace overture::assets_detail {

struct counts {
  std::array<std::uint64_t, asset_state_count> in_state{};
  std::array<std::uint64_t, asset_state_count> reloads_in_state{};  // of those
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;    // of those, and of what only they keep loaded
  std::uint64_t loaded_bytes = 0;  // of what is ready
  std::uint64_t in_flight_bytes = 0;
  std::uint64_t leaving_bytes = 0;
  std::uint64_t leaving_needs_bytes = 0;  // of those, what is still loaded until it has left
  unsigned files_in_memory = 0;           // or being read
  priority_counts moving{};
  priority_counts chains{};         // decoded, and what they need is not there yet
  priority_counts waiting_reads{};  // of those, what waits for room in the ledger of the files
  // What was read and waits to be decoded: by its class, and the one in which it moves.
  std::array<priority_counts, asset_priority_class_count> waiting_decodes{};

  [[nodiscard]] std::uint64_t of(asset_state state) const noexcept {
    return in_state[static_cast<std::size_t>(state)];
  }
  // Without those that only bring another value.
  [[nodiscard]] std::uint64_t of_assets(asset_state state) const noexcept {
    return of(state) - reloads_in_state[static_cast<std::size_t>(state)];
  }
  // Whether something that was lowered waits to be decoded.
  [[nodiscard]] bool lowered_waits() const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < waiting_decodes.size(); ++i) {
      for (std::size_t as = i + 1; as < waiting_decodes.size(); ++as) sum += waiting_decodes[i][as];
    }
    return sum != 0;
  }
  void put_in(const slot& one) noexcept;
  void take_out(const slot& one) noexcept;

 private:
  template <class Change>
  void each(const slot& one, Change change) noexcept;
};

// The room of the budget that it should have.
[[nodiscard]] inline std::uint64_t room_of(const slot& one) noexcept {
  return (needs_room(one) ? one.room_bytes : 0) + (one.now.leaving ? one.leaving_bytes : 0);
}

}  // namespace overture::assets_detail
