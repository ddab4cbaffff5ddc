// Writes archives of the formats that are plain tables, for tests: good ones, and ones that lie.
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
  std::string name = {};  // with '/' between folders; "NAME.KIND" for an LFD
  std::string data = {};
  // What to state instead of the truth; formats without offsets take no notice of the second.
  std::optional<std::uint32_t> stated_bytes = {};
  std::optional<std::uint32_t> stated_offset = {};
};

struct table_kind {
  mount_format format;
  const char* name;  // of a test
  const char* extension;
  bool has_offsets;        // or else the files lie in the order of the table
  bool has_count;          // or else the files are a chain
  std::size_t name_bytes;  // the longest
  bool known_to_physfs;    // to version 3.0
};

[[nodiscard]] const std::vector<table_kind>& table_kinds();

// `second`: the format's other version, if it has one (HOG2, the GOB of Jedi Knight, an LFD without
// a map).
[[nodiscard]] std::string write_table(mount_format format, const std::vector<table_file>& files,
                                      std::optional<std::uint32_t> stated_count = {},
                                      bool second = false);

}  // namespace overture
