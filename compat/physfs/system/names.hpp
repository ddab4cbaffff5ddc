// SPDX-License-Identifier: Zlib
//
// Names of files as games give them.
#pragma once

#include <string_view>

#include "overture/base/limits.hpp"

namespace physfs {

inline constexpr std::size_t name_bytes_max = overture::limits::path_bytes_max;

// Elements with single '/' between them and none at the ends, NUL-terminated; the root is empty.
class clean_name {
 public:
  // False, and the error BAD_FILENAME, for names with ':' or '\' or with an element "." or "..",
  // and for names that are too long; INVALID_ARGUMENT for null.
  [[nodiscard]] bool clean(const char* name) noexcept;

  [[nodiscard]] const char* c_str() const noexcept { return text_; }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, bytes_}; }

 private:
  std::size_t bytes_ = 0;
  char text_[name_bytes_max + 1];
};

// "front", a '/' where both sides have something and neither has a separator, "back". False, and
// the error BAD_FILENAME, if that is too long.
class joined_name {
 public:
  [[nodiscard]] bool join(std::string_view front, std::string_view back) noexcept;
  [[nodiscard]] const char* c_str() const noexcept { return text_; }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, bytes_}; }

 private:
  std::size_t bytes_ = 0;
  char text_[2 * name_bytes_max + 2];
};

}  // namespace physfs
