// SPDX-License-Identifier: Zlib
#include "terminal/text_file.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "system/native_path.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

std::optional<std::string> read_text_file(const std::string& path, const char* what) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(native_path(path), failed);
  if (!std::filesystem::is_regular_file(status)) {
    const bool is_there = std::filesystem::exists(status);
    print_error(fmt::format("{}: cannot read {}: {}", printable(path), what,
                            is_there || !failed ? "not a regular file" : failed.message()));
    return {};
  }
  std::ifstream file(native_path(path), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file) return text;
  print_error(fmt::format("{}: cannot read {}", printable(path), what));
  return {};
}

}  // namespace overture::cli
