// SPDX-License-Identifier: Zlib
//
// Makes paths of the names that archives give their entries.
//
// Archivers write "./a", "/a", "a//b" and "a\b", and names that are not UTF-8. All formats turn
// them into normal paths here, so that each file is found by the path that its author meant.
#pragma once

#include <string_view>

#include "overture/archives/name_encoding.hpp"
#include "overture/base/path.hpp"

namespace overture::archives_detail {

// How the names of an archive are to be read.
struct name_rules {
  bool backslash_separates = true;                // folders, as '/' does
  name_encoding encoding = name_encoding::cp437;  // of names that are not UTF-8
};

struct entry_name {
  std::string_view path;       // normal, if there is no flaw
  const char* flaw = nullptr;  // why it cannot be a path
  bool is_folder = false;      // it ends with '/'
};

// Converts the name to UTF-8, makes its separators '/', and drops empty elements, "." and a leading
// '/'. What is left must be a normal path. It points into `room`, or into `name` if that is normal.
[[nodiscard]] entry_name make_entry_name(std::string_view name, const name_rules& rules,
                                         path_buffer& room) noexcept;

// Only converts the text to UTF-8 and its separators to '/': the target of a link. Returns the
// length, 0 if that is not possible.
[[nodiscard]] std::size_t convert_name(std::string_view name, const name_rules& rules,
                                       path_buffer& room) noexcept;

}  // namespace overture::archives_detail
