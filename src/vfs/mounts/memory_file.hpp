// SPDX-License-Identifier: Zlib
//
// An operating_system with one file, which is in memory. Archives in memory are read from it.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "base/one_file.hpp"

namespace overture::vfs_detail {

class memory_file final : public base_detail::one_file {
 public:
  explicit memory_file(std::span<const std::byte> bytes = {}) noexcept
      : one_file("a file in memory is not a folder"), bytes_(bytes) {}

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
  result<mapping> map(os_handle) noexcept override { return mapping{bytes_.data(), bytes_.size()}; }
  void unmap(mapping) noexcept override {}

 private:
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }

  std::span<const std::byte> bytes_;
};

}  // namespace overture::vfs_detail
