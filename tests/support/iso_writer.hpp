// SPDX-License-Identifier: Zlib
//
// Writes ISO 9660 images for tests, valid and invalid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture {

struct iso_file {
  std::string name = {};  // ASCII, used unchanged; the same in Joliet
  std::string data = {};
  std::optional<std::uint32_t> stated_sector = {};
  std::optional<std::uint32_t> stated_bytes = {};
  std::uint8_t flags = 0;
  std::uint8_t gap = 0;
  std::string use = {};                     // the record's system use area
  std::string date = std::string(7, '\0');  // as in the record
};

struct iso_tree {
  std::string name = {};  // empty for the root
  std::vector<iso_file> files = {};
  std::vector<iso_tree> folders = {};
  std::optional<std::uint32_t> stated_sector = {};
  std::optional<std::uint32_t> stated_bytes = {};
  std::string use = {};       // the record's system use area
  std::string self_use = {};  // that of its record of itself
};

// Fields of Rock Ridge, for system use areas. Neither Joliet's records have them nor those of "..".
[[nodiscard]] std::string susp_field(const std::string& name, const std::string& data);
[[nodiscard]] std::string rock_ridge_begin();              // SP and PX, of the root
[[nodiscard]] std::string rock_ridge_mode(unsigned mode);  // PX
[[nodiscard]] std::string rock_ridge_name(const std::string& name, unsigned flags = 0);  // NM
[[nodiscard]] std::string rock_ridge_link(const std::string& target);  // PX and SL
[[nodiscard]] std::string rock_ridge_child(std::uint32_t sector);      // CL
[[nodiscard]] std::string rock_ridge_continued(std::uint32_t sector, std::uint32_t offset,
                                               std::uint32_t bytes);  // CE
// ZF. A block has 32 KiB.
[[nodiscard]] std::string rock_ridge_packed(std::uint32_t bytes, const std::string& method = "pz",
                                            unsigned log2 = 15);
// The data of a packed file. Blocks of zeros are left out.
[[nodiscard]] std::string write_zisofs(const std::string& data);

// `joliet`: adds a second tree of the same files.
[[nodiscard]] std::string write_iso(const iso_tree& root, bool joliet = false);

}  // namespace overture
