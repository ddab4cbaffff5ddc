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
  std::string date = std::string(7, '\0');  // as in the record
};

struct iso_tree {
  std::string name = {};  // empty for the root
  std::vector<iso_file> files = {};
  std::vector<iso_tree> folders = {};
  std::optional<std::uint32_t> stated_sector = {};
  std::optional<std::uint32_t> stated_bytes = {};
};

// `joliet`: adds a second tree of the same files.
[[nodiscard]] std::string write_iso(const iso_tree& root, bool joliet = false);

}  // namespace overture
