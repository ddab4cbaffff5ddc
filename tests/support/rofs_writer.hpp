// SPDX-License-Identifier: Zlib
//
// Writes ROFS archives (Resident Evil 3) for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture {

struct rofs_file {
  std::string name = {};
  std::string data = {};
  bool packed = true;
  std::optional<std::uint32_t> stated_bytes = {};
  std::optional<std::uint32_t> stated_offset = {};  // in units of 8 bytes
  std::optional<std::uint16_t> stated_blocks = {};
};

// All files are in "DATA/PSX".
[[nodiscard]] std::string write_rofs(const std::vector<rofs_file>& files,
                                     std::optional<std::uint32_t> stated_files = {});

}  // namespace overture
