// SPDX-License-Identifier: Zlib
//
// An operating_system with one file in memory: cheap enough to mount thousands of times, and every
// call is counted and can be made to fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "overture/base/os.hpp"

namespace overture {

class memory_file_os final : public operating_system {
 public:
  explicit memory_file_os(std::string_view bytes) : bytes_(bytes) {}

  // Replaces the content of the file; does not copy the bytes.
  void change(std::string_view bytes) { bytes_ = bytes; }
  // Makes call number `call` (from 0) fail with this errno.
  void fail_call(int call, int os_error) {
    failing_call_ = call;
    os_error_ = os_error;
  }
  // Each read takes at least this long.
  void set_read_time(std::chrono::milliseconds time) { read_time_ = time; }
  // Limits each read to this many bytes.
  void limit_reads(std::size_t bytes) { read_bytes_max_ = bytes; }

  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] int open_handles() const { return open_; }

  result<os_handle> open(const char*) noexcept override {
    if (fails()) return failure();
    ++open_;
    return os_handle{1};
  }
  result<os_handle> open_below(os_handle, const char* path) noexcept override { return open(path); }
  void close(os_handle) noexcept override { --open_; }
  result<file_status> status(os_handle) noexcept override {
    if (fails()) return failure();
    return file_status{file_kind::file, bytes_.size(), 0};
  }
  result<std::size_t> read_at(os_handle, std::uint64_t offset,
                              std::span<std::byte> to) noexcept override {
    if (fails()) return failure();
    if (read_time_.count() != 0) std::this_thread::sleep_for(read_time_);
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count = std::min({to.size(), bytes_.size() - offset, read_bytes_max_});
    if (count > 0) std::memcpy(to.data(), bytes_.data() + offset, count);
    return count;
  }
  result<file_status> status(const char*, bool) noexcept override { return status(os_handle{1}); }
  result<void> list(const char*,
                    function_ref<void(const folder_entry&) noexcept>) noexcept override {
    return tl::unexpected(os_failure(ENOTDIR, "cannot list the folder"));
  }
  result<std::size_t> canonical_path(const char*, std::span<char>) noexcept override {
    return tl::unexpected(os_failure(ENOENT, "cannot resolve the path"));
  }
  result<mapping> map(os_handle) noexcept override {
    return tl::unexpected(os_failure(ENOTSUP, "cannot map"));
  }
  void unmap(mapping) noexcept override {}

 private:
  bool fails() { return calls_++ == failing_call_; }
  [[nodiscard]] tl::unexpected<error> failure() const {
    return tl::unexpected(os_failure(os_error_, "cannot read"));
  }

  std::string_view bytes_;
  std::size_t read_bytes_max_ = SIZE_MAX;
  std::chrono::milliseconds read_time_{0};
  std::atomic<int> calls_{0};  // several threads may read
  int failing_call_ = -1;
  int os_error_ = 0;
  std::atomic<int> open_{0};
};

}  // namespace overture
