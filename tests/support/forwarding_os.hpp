// SPDX-License-Identifier: Zlib
//
// Forwards every call to the system, for tests that override some.
#pragma once

#include "overture/base/os.hpp"

namespace overture {

class forwarding_os : public operating_system {
 public:
  result<os_handle> open(const char* path) noexcept override { return system_os().open(path); }
  result<os_handle> open_below(os_handle folder, const char* path) noexcept override {
    return system_os().open_below(folder, path);
  }
  void close(os_handle handle) noexcept override { system_os().close(handle); }
  result<file_status> status(os_handle handle) noexcept override {
    return system_os().status(handle);
  }
  result<std::size_t> read_at(os_handle handle, std::uint64_t offset,
                              std::span<std::byte> bytes) noexcept override {
    return system_os().read_at(handle, offset, bytes);
  }
  result<file_status> status(const char* path, bool follow_links) noexcept override {
    return system_os().status(path, follow_links);
  }
  result<void> list(const char* path,
                    function_ref<void(const folder_entry&) noexcept> visit) noexcept override {
    return system_os().list(path, visit);
  }
  result<std::size_t> canonical_path(const char* path, std::span<char> text) noexcept override {
    return system_os().canonical_path(path, text);
  }
  result<os_handle> create(const char* path) noexcept override { return system_os().create(path); }
  result<std::size_t> write_at(os_handle handle, std::uint64_t offset,
                               std::span<const std::byte> bytes) noexcept override {
    return system_os().write_at(handle, offset, bytes);
  }
  result<void> sync(os_handle handle) noexcept override { return system_os().sync(handle); }
  result<void> rename(const char* from, const char* to) noexcept override {
    return system_os().rename(from, to);
  }
  result<void> remove_file(const char* path) noexcept override {
    return system_os().remove_file(path);
  }
  result<void> lock(os_handle file) noexcept override { return system_os().lock(file); }
  result<void> take_permissions(os_handle file, const file_status& other) noexcept override {
    return system_os().take_permissions(file, other);
  }
  result<void> take_permissions_of(os_handle file, const file_status& other, os_handle folder,
                                   const char* path) noexcept override {
    return system_os().take_permissions_of(file, other, folder, path);
  }
  result<mapping> map(os_handle handle) noexcept override { return system_os().map(handle); }
  void unmap(mapping memory) noexcept override { system_os().unmap(memory); }
  result<file_status> status_below(os_handle folder, const char* path) noexcept override {
    return system_os().status_below(folder, path);
  }
  result<os_handle> open_to_write(os_handle folder, const char* path,
                                  write_mode mode) noexcept override {
    return system_os().open_to_write(folder, path, mode);
  }
  result<void> make_folder_below(os_handle folder, const char* path) noexcept override {
    return system_os().make_folder_below(folder, path);
  }
  result<void> remove_below(os_handle folder, const char* path) noexcept override {
    return system_os().remove_below(folder, path);
  }
  result<void> rename_below(os_handle folder, const char* from, const char* to) noexcept override {
    return system_os().rename_below(folder, from, to);
  }
  result<void> rename_new_below(os_handle folder, const char* from,
                                const char* to) noexcept override {
    return system_os().rename_new_below(folder, from, to);
  }
};

}  // namespace overture
