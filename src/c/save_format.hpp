// SPDX-License-Identifier: Zlib
//
// The first bytes of a save: functions of their arguments only. overture/c/saves.h describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/base/hash.hpp"

namespace overture::c {

inline constexpr std::size_t save_head_bytes = 40;
using save_head_room = std::array<std::byte, save_head_bytes>;

struct save_head {
  std::uint64_t bytes = 0;  // after the head
  std::uint64_t hash = 0;   // of them
};

inline std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept {
  return hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

namespace save_detail {

inline constexpr std::string_view magic = "OVTRSAVE";
inline constexpr std::uint64_t version = 1;

inline void put(std::span<std::byte> to, std::uint64_t value) noexcept {
  for (std::byte& byte : to) {
    byte = static_cast<std::byte>(value & 0xff);
    value >>= 8;
  }
}

inline std::uint64_t get(std::span<const std::byte> from) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = from.size(); i > 0; --i) {
    value = value << 8 | std::to_integer<std::uint64_t>(from[i - 1]);
  }
  return value;
}

}  // namespace save_detail

inline save_head_room write_head(const save_head& head) noexcept {
  save_head_room room{};
  const std::span<std::byte> all(room);
  std::memcpy(room.data(), save_detail::magic.data(), save_detail::magic.size());
  save_detail::put(all.subspan(8, 4), save_detail::version);
  save_detail::put(all.subspan(16, 8), head.bytes);
  save_detail::put(all.subspan(24, 8), head.hash);
  save_detail::put(all.subspan(32, 8), hash_of(all.first(32)));
  return room;
}

// `file_bytes`: the size of the whole file. Errors: corrupt, truncated, unsupported.
inline result<save_head> read_head(std::span<const std::byte> room,
                                   std::uint64_t file_bytes) noexcept {
  const std::size_t magic_bytes = save_detail::magic.size();
  if (room.size() < magic_bytes ||
      std::memcmp(room.data(), save_detail::magic.data(), magic_bytes) != 0) {
    return fail(errc::corrupt, "this is not a save");
  }
  if (room.size() < save_head_bytes) return fail(errc::truncated, "the save is cut off");
  if (save_detail::get(room.subspan(8, 4)) > save_detail::version) {
    return fail(errc::unsupported, "the save was written by a later version");
  }
  if (save_detail::get(room.subspan(32, 8)) != hash_of(room.first(32))) {
    return fail(errc::corrupt, "the head of the save is damaged");
  }
  const save_head head{save_detail::get(room.subspan(16, 8)),
                       save_detail::get(room.subspan(24, 8))};
  const std::uint64_t there = file_bytes - save_head_bytes;
  if (there < head.bytes) return fail(errc::truncated, "the save is cut off");
  if (there > head.bytes) return fail(errc::corrupt, "the save is longer than it says");
  return head;
}

}  // namespace overture::c
