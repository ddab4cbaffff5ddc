// The order in which paths are listed: by bytes, but that '/' comes first, so that a folder's
// entries follow where its name belongs.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/vec.hpp"

namespace overture::vfs {

[[nodiscard]] bool path_before(std::string_view a, std::string_view b) noexcept;

// A path to be put in order, eight bytes of which stand beside it.
struct ordered_path {
  std::uint64_t key;
  const char* text;
  std::uint32_t number;
  std::uint16_t length;

  [[nodiscard]] std::string_view path() const noexcept { return {text, length}; }
};

// Puts normal paths in order; false if the memory was refused. Looks at the text of each once for
// eight bytes, not once for each comparison: with a million names each look is a cache miss. Sorts
// by the bytes of the key that differ, the last first, so that a million names take as long for
// each as a thousand. A radix sort of strings (McIlroy, Bostic, McIlroy, "Engineering radix sort",
// 1993) with eight bytes at a time.
[[nodiscard]] bool sort_paths(vec<ordered_path>& paths) noexcept;

}  // namespace overture::vfs
