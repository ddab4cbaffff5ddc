// SPDX-License-Identifier: Zlib
//
// Output that is counted beyond the end of its buffer, as the return value of snprintf requires.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace overture::text {

class bounded_writer {
 public:
  bounded_writer(char* out, std::size_t room) noexcept : out_(out), room_(room) {}

  void add(std::string_view text) noexcept {
    // The data() of an empty view may be null, which memcpy() does not allow.
    if (used_ < room_ && !text.empty()) {
      const std::size_t left = room_ - used_;
      std::memcpy(out_ + used_, text.data(), text.size() < left ? text.size() : left);
    }
    used_ += text.size();
  }
  void add(char c, std::size_t count) noexcept {
    if (used_ < room_) {
      const std::size_t left = room_ - used_;
      std::memset(out_ + used_, c, count < left ? count : left);
    }
    used_ += count;
  }
  [[nodiscard]] std::size_t size() const noexcept { return used_; }

 private:
  char* out_;
  std::size_t room_;
  std::size_t used_ = 0;
};

}  // namespace overture::text
