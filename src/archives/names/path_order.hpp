// SPDX-License-Identifier: Zlib
//
// The order in which paths are listed: byte order, but '/' comes first. This way a folder's entries
// directly follow the position of its name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/vec.hpp"

namespace overture::archives_detail {

[[nodiscard]] bool path_before(std::string_view a, std::string_view b) noexcept;

// A path to be sorted, and eight of its bytes.
struct ordered_path {
  std::uint64_t key;
  const char* text;
  std::uint32_t number;
  std::uint16_t length;

  [[nodiscard]] std::string_view path() const noexcept { return {text, length}; }
};

// Sorts normalised paths. False if out of memory.
//
// A radix sort of strings (McIlroy, Bostic, McIlroy, "Engineering radix sort", 1993), eight bytes
// at a time: each text is read once per eight bytes and not once per comparison, because with a
// million names every read is a cache miss. Within eight bytes it sorts by those that differ, last
// byte first, so the time per name does not grow with the number of names.
[[nodiscard]] bool sort_paths(base_detail::vec<ordered_path>& paths) noexcept;

}  // namespace overture::archives_detail
