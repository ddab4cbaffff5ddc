// SPDX-License-Identifier: Zlib
//
// What the system keeps of files in its page cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace overture::cli {

// How many bytes of a file are in the page cache, counted in whole pages. Looking warms nothing.
// Nothing if the system does not say: Linux tells only those who may write the file.
[[nodiscard]] std::optional<std::uint64_t> bytes_in_page_cache(const std::string& path);

// What became of a file, or of several.
struct dropped_files {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t kept_bytes = 0;
  std::uint64_t unknown_files = 0;  // dropped, perhaps: the system does not say
  std::uint64_t refused_files = 0;  // the system has no way

  void add(const dropped_files& more);
};

// Drops a file from the page cache.
[[nodiscard]] dropped_files drop_file_from_page_cache(const std::string& path);

}  // namespace overture::cli
