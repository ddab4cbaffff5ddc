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
  bool is_native = false;     // of the kind of this command
  bool is_app_image = false;  // it mounts what follows it in its file, and starts a program there
  std::string loader = {};    // empty: it is linked statically
};
[[nodiscard]] program_head head_of(const std::string& program);

// Those of another user or group, or capabilities of its file.
[[nodiscard]] bool has_more_rights(const std::string& program);

// Whether a program takes one of these functions from a library, or has one for libraries.
[[nodiscard]] bool has_symbol(const std::string& program, std::span<const std::string> names);

// Which of these texts, of at most 64 bytes, a file has in it.
[[nodiscard]] std::vector<bool> texts_in(const std::string& path,
                                         std::span<const std::string_view> texts);

}  // namespace overture::cli
