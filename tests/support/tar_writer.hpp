// SPDX-License-Identifier: Zlib
//
// Writes tar archives for tests, valid and invalid, and packs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture {

struct tar_entry {
  std::string name = {};
  std::string data = {};
  char type = '0';
  std::string link = {};
  std::string prefix = {};
  unsigned mode = 0644;
  std::uint64_t time = 0;
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
  std::optional<std::string> stated_size = {};  // as in the header
  bool wrong_checksum = false;
};

[[nodiscard]] std::string tar_header_of(const tar_entry& entry);
// "LENGTH KEY=VALUE\n"
[[nodiscard]] std::string pax_record(const std::string& key, const std::string& value);
[[nodiscard]] std::string write_tar(const std::vector<tar_entry>& entries, bool with_end = true);

// gzip with one stored block for each 64 KiB; a name in its header.
[[nodiscard]] std::string pack_gzip(const std::string& data);
[[nodiscard]] std::string pack_xz(const std::string& data);
[[nodiscard]] std::string pack_zstd(const std::string& data);
[[nodiscard]] std::string pack_bzip2(const std::string& data);

}  // namespace overture
