// SPDX-License-Identifier: Zlib
//
// Which asset may begin: a function of its arguments only.
//
// The budget bounds what is read, decoded, not finalized yet, or waits to be unloaded. Each
// class of priority has a share of it, the higher ones a larger one, so urgent assets never wait
// for a pile of others. An asset that does not fit goes alone: once no other of its priority or
// above is moving. What waits for others does not move, so an asset that others wait for always
// goes on; an asset that no other waits for goes alone only beside no chain of its class that has
// needs to be read. What was lowered still counts in the class in which it took its room: see
// note_class().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "assets/lists.hpp"

namespace overture::assets_detail {

// By class of priority.
using priority_counts = std::array<std::uint32_t, asset_priority_class_count>;

enum class admission : std::uint8_t {
  refused,
  fits,   // within the budget
  alone,  // past it
};

// What a loader says of an asset, as far as it counts: sums of these do not wrap.
[[nodiscard]] constexpr std::uint64_t counted(std::uint64_t stated_bytes) noexcept {
  return std::min(stated_bytes, std::uint64_t{1} << 40);
}

// A quarter more of the budget for each class.
[[nodiscard]] constexpr std::uint64_t share_of(std::uint64_t budget_bytes,
                                               asset_priority priority) noexcept {
  const std::uint64_t quarters = class_of(priority) + 1;
  return budget_bytes / 4 * quarters + budget_bytes % 4 * quarters / 4;
}

struct budget_use {
  std::uint64_t budget_bytes = 0;
  std::uint64_t used_bytes = 0;
  priority_counts moving = {};  // assets, those whose values leave included
};

// May an asset begin that will take so many bytes? 0 bytes: it is not known how many.
[[nodiscard]] constexpr admission admit(const budget_use& now, asset_priority priority,
                                        std::uint64_t bytes) noexcept {
  const std::uint64_t share = share_of(now.budget_bytes, priority);
  if (now.used_bytes < share && bytes <= share - now.used_bytes) return admission::fits;
  for (std::size_t i = class_of(priority); i < now.moving.size(); ++i) {
    if (now.moving[i] != 0) return admission::refused;
  }
  return admission::alone;
}

// May one more file be read, beside so many? Background ones leave most of the room to others.
[[nodiscard]] constexpr bool has_place(unsigned files_max, unsigned files_in_memory,
                                       asset_priority priority) noexcept {
  const unsigned all = std::max(files_max, 1u);
  const unsigned room = class_of(priority) == background_class ? std::max(all / 4, 1u) : all;
  return files_in_memory < room;
}

}  // namespace overture::assets_detail
