// SPDX-License-Identifier: Zlib
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace overture::watch {

// Empty if it cannot be read.
[[nodiscard]] inline std::string whole_file(const std::string& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed) return {};
  std::string content(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(content.data(), static_cast<std::streamsize>(bytes));
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

}  // namespace overture::watch
