// SPDX-License-Identifier: Zlib
//
// Paths for the standard library. The command has them as UTF-8 text; on Windows narrow text of a
// std::filesystem::path has another encoding.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace overture::cli {

[[nodiscard]] inline std::filesystem::path native_path(std::string_view text) {
  return {std::u8string(text.begin(), text.end())};
}

// With '/' as the separator.
[[nodiscard]] inline std::string text_of(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

// The folder that a path's last element is in.
[[nodiscard]] inline std::string folder_of(std::string_view path) {
  const std::string folder = text_of(native_path(path).parent_path());
  return folder.empty() ? std::string(1, '.') : folder;
}

}  // namespace overture::cli
