// SPDX-License-Identifier: Zlib
//
// Writes archives in the plain-table formats for tests, valid and invalid.
//
//   const std::string bytes = write_table(mount_format::pak, {{"a.txt", "hello"}, {"b.txt",
//   "you"}});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overture/vfs/file_system.hpp"

namespace overture {

struct table_file {
  std::string name = {};  // with '/' separators; "NAME.KIND" for an LFD
  std::string data = {};
  // False values to state; formats without offsets ignore the second.
  std::optional<std::uint32_t> stated_bytes = {};
  std::optional<std::uint32_t> stated_offset = {};
};

struct table_kind {
  mount_format format;
  const char* name;  // of the test
  const char* extension;
  bool has_offsets;        // otherwise files are in the order of the table
  bool has_count;          // otherwise files form a chain
  std::size_t name_bytes;  // the longest
  bool known_to_physfs;    // as of version 3.0
};

[[nodiscard]] const std::vector<table_kind>& table_kinds();

// `second`: the format's second version, if it has one (HOG2, the GOB of Jedi Knight, an LFD
// without a map).
[[nodiscard]] std::string write_table(mount_format format, const std::vector<table_file>& files,
                                      std::optional<std::uint32_t> stated_count = {},
                                      bool second = false);

}  // namespace overture
