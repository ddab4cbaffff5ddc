// SPDX-License-Identifier: Zlib
//
// Owns an open file or folder: closes it in the destructor.
#pragma once

#include <utility>

#include "overture/base/os.hpp"

namespace overture::archives_detail {

class owned_handle {
 public:
  owned_handle() = default;
  owned_handle(operating_system& os, os_handle handle) noexcept : os_(&os), handle_(handle) {}
  owned_handle(owned_handle&& other) noexcept
      : os_(other.os_), handle_(std::exchange(other.handle_, os_handle{})) {}
  owned_handle& operator=(owned_handle&& other) noexcept {
    owned_handle taken(std::move(other));
    std::swap(os_, taken.os_);
    std::swap(handle_, taken.handle_);
    return *this;
  }
  owned_handle(const owned_handle&) = delete;
  owned_handle& operator=(const owned_handle&) = delete;
  ~owned_handle() {
    if (handle_.valid()) os_->close(handle_);
  }

  [[nodiscard]] operating_system* os() const noexcept { return os_; }
  [[nodiscard]] os_handle get() const noexcept { return handle_; }
  [[nodiscard]] os_handle release() noexcept { return std::exchange(handle_, os_handle{}); }

 private:
  operating_system* os_ = nullptr;
  os_handle handle_;
};

}  // namespace overture::archives_detail
