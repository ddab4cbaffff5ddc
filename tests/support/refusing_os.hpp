// SPDX-License-Identifier: Zlib
//
// An operating_system that refuses every call; tests override what they need.
#pragma once

#include "overture/base/os.hpp"

namespace overture::test {

class refusing_os : public operating_system {
 public:
  result<os_handle> open(const char*) noexcept override { return none(); }
  result<os_handle> open_below(os_handle, const char*) noexcept override { return none(); }
  void close(os_handle) noexcept override {}
  result<file_status> status(os_handle) noexcept override { return none(); }
  result<std::size_t> read_at(os_handle, std::uint64_t, std::span<std::byte>) noexcept override {
    return none();
  }
  result<file_status> status(const char*, bool) noexcept override { return none(); }
  result<void> list(const char*,
                    function_ref<void(const folder_entry&) noexcept>) noexcept override {
    return none();
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
    return none();
  }
  result<mapping> map(os_handle) noexcept override { return none(); }
  void unmap(mapping) noexcept override {}

 private:
  static tl::unexpected<error> none() { return fail(errc::unsupported, ""); }
};

}  // namespace overture::test
