// SPDX-License-Identifier: Zlib
//
// What the file of a program says of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace overture::cli {

struct program_head {
  bool is_elf = false;
  bool is_native = false;   // of the kind of this command
  std::string loader = {};  // empty: it is linked statically
};
[[nodiscard]] program_head head_of(const std::string& program);

// Those of another user or group, or capabilities of its file.
[[nodiscard]] bool has_more_rights(const std::string& program);

// Which of these texts, of at most 64 bytes, a file has in it.
[[nodiscard]] std::vector<bool> texts_in(const std::string& path,
                                         std::span<const std::string_view> texts);

}  // namespace overture::cli
