// SPDX-License-Identifier: Zlib
//
// Shared by the benchmarks of mounts and of files.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <overture/vfs/file_system.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace bench {

class folder_of_its_own {
 public:
  folder_of_its_own() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_vfs-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary folder");
    path_ = name;
  }
  ~folder_of_its_own() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  folder_of_its_own(const folder_of_its_own&) = delete;
  folder_of_its_own& operator=(const folder_of_its_own&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

// The real system, counting its calls.
class counting_system final : public overture::operating_system {
 public:
  std::uint64_t calls = 0;

  overture::result<overture::os_handle> open(const char* path) noexcept override {
    return count().open(path);
  }
  overture::result<overture::os_handle> open_below(overture::os_handle folder,
                                                   const char* path) noexcept override {
    return count().open_below(folder, path);
  }
  void close(overture::os_handle handle) noexcept override { count().close(handle); }
  overture::result<overture::file_status> status(overture::os_handle handle) noexcept override {
    return count().status(handle);
  }
  overture::result<std::size_t> read_at(overture::os_handle handle, std::uint64_t offset,
                                        std::span<std::byte> bytes) noexcept override {
    return count().read_at(handle, offset, bytes);
  }
  overture::result<overture::file_status> status(const char* path,
                                                 bool follow_links) noexcept override {
    return count().status(path, follow_links);
  }
  overture::result<void> list(const char* path,
                              overture::function_ref<void(const overture::folder_entry&) noexcept>
                                  visit) noexcept override {
    return count().list(path, visit);
  }
  overture::result<std::size_t> canonical_path(const char* path,
                                               std::span<char> text) noexcept override {
    return count().canonical_path(path, text);
  }
  overture::result<overture::mapping> map(overture::os_handle handle) noexcept override {
    return count().map(handle);
  }
  void unmap(overture::mapping memory) noexcept override { count().unmap(memory); }

 private:
  overture::operating_system& count() {
    ++calls;
    return overture::system_os();
  }
};

inline std::vector<std::string> names_of(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("folder" + std::to_string(i % 500) + "/some/name" + std::to_string(i) + ".dat");
  }
  return names;
}

inline overture::asset_path path_of(std::string_view text) {
  return {text, {overture::hash64(text)}};
}

template <class T>
T must(overture::result<T> outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().reason);
  return *std::move(outcome);
}
inline void must(const overture::result<void>& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().reason);
}

inline double milliseconds(const variant& measured) {
  return time_of(measured, clock::wall).median * 1e3;
}

}  // namespace bench
