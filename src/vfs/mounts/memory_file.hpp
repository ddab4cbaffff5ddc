// SPDX-License-Identifier: Zlib
//
// An operating_system with one file, which is in memory. Archives in memory are read from it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "overture/base/os.hpp"

namespace overture::vfs_detail {

class memory_file final : public operating_system {
 public:
  memory_file() = default;
  explicit memory_file(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  result<os_handle> open(const char*) noexcept override { return os_handle{1}; }
  result<os_handle> open_below(os_handle, const char*) noexcept override { return no_folder(); }
  void close(os_handle) noexcept override {}
  result<file_status> status(os_handle) noexcept override {
    return file_status{file_kind::file, bytes_.size(), 0};
  }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> to) noexcept override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t count = std::min<std::size_t>(to.size(), bytes_.size() - offset);
    if (count > 0) std::memcpy(to.data(), bytes_.data() + offset, count);
    return count;
  }
  result<std::size_t> read_cached_at(os_handle file, std::uint64_t offset,
                                     std::span<std::byte> to) noexcept override {
    return read_at(file, offset, to);
  }
  result<file_status> status(const char*, bool) noexcept override { return status(os_handle{1}); }
  result<void> list(const char*,
                    function_ref<void(const folder_entry&) noexcept>) noexcept override {
    return no_folder();
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
    return no_folder();
  }
  result<mapping> map(os_handle) noexcept override { return mapping{bytes_.data(), bytes_.size()}; }
  void unmap(mapping) noexcept override {}

 private:
  static tl::unexpected<error> no_folder() {
    return fail(errc::unsupported, "a file in memory is not a folder");
  }

  std::span<const std::byte> bytes_;
};

}  // namespace overture::vfs_detail
