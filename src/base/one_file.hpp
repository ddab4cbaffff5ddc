// SPDX-License-Identifier: Zlib
//
// An operating_system that has one file and no folders: what derives from it says how large the
// file is and reads it.
#pragma once

#include "overture/base/os.hpp"

namespace overture::base_detail {

class one_file : public operating_system {
 public:
  // `no_folder`: the error's text where a folder is asked for.
  explicit one_file(const char* no_folder) noexcept : no_folder_(no_folder) {}

  result<os_handle> open(const char*) noexcept final { return os_handle{1}; }
  result<os_handle> open_below(os_handle, const char*) noexcept final { return no_folder(); }
  void close(os_handle) noexcept final {}
  result<file_status> status(os_handle) noexcept final {
    return file_status{file_kind::file, size(), 0};
  }
  result<file_status> status(const char*, bool) noexcept final { return status(os_handle{1}); }
  result<void> list(const char*, function_ref<void(const folder_entry&) noexcept>) noexcept final {
    return no_folder();
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept final {
    return no_folder();
  }

 protected:
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;

 private:
  [[nodiscard]] tl::unexpected<error> no_folder() const noexcept {
    return fail(errc::unsupported, no_folder_);
  }

  const char* no_folder_;
};

}  // namespace overture::base_detail
