// SPDX-License-Identifier: Zlib
//
// A temporary folder for one test, removed at the end with its content.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace overture {

class temp_folder {
 public:
  temp_folder() {
    std::random_device chance;
    for (int tries = 0; tries < 100; ++tries) {
      const std::string name = "overture-" + std::to_string(chance());
      path_ = std::filesystem::temp_directory_path() / name;
      std::error_code failed;
      if (std::filesystem::create_directory(path_, failed)) return;
    }
    throw std::runtime_error("cannot make a folder for the test");
  }
  ~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The path in UTF-8, with '/' as the separator.
  [[nodiscard]] std::string name() const { return text(path_); }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return text(path_ / in_utf8(name));
  }
  // Writes a file, creating its folders; returns its path, with '/' as the separator.
  std::string write(std::string_view name, std::string_view data) const {
    const std::filesystem::path file = path_ / in_utf8(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out.write(data.data(), static_cast<std::streamsize>(data.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
    return text(file);
  }
  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream in(path_ / in_utf8(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  // Narrow text of a path has another encoding on Windows.
  static std::u8string in_utf8(std::string_view name) { return {name.begin(), name.end()}; }
  static std::string text(const std::filesystem::path& path) {
    const std::u8string whole = path.generic_u8string();
    return {whole.begin(), whole.end()};
  }

  std::filesystem::path path_;
};

}  // namespace overture
