// SPDX-License-Identifier: Zlib
#include "system/names.hpp"

#include <cstring>

#include "errors.hpp"
#include "system/platform.hpp"

namespace physfs {

bool clean_name::clean(const char* name) noexcept {
  bytes_ = 0;
  if (!name) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  std::string_view rest(name);
  if (rest.size() > name_bytes_max || rest.find(':') != rest.npos || rest.find('\\') != rest.npos) {
    return refuse(PHYSFS_ERR_BAD_FILENAME);
  }
  while (!rest.empty()) {
    const std::string_view element = rest.substr(0, rest.find('/'));
    rest.remove_prefix(element.size() == rest.size() ? element.size() : element.size() + 1);
    if (element.empty()) continue;
    if (element == "." || element == "..") return refuse(PHYSFS_ERR_BAD_FILENAME);
    if (bytes_ > 0) text_[bytes_++] = '/';
    std::memcpy(text_ + bytes_, element.data(), element.size());
    bytes_ += element.size();
  }
  text_[bytes_] = '\0';
  return true;
}

bool joined_name::join(std::string_view front, std::string_view back) noexcept {
  const bool separated =
      !front.empty() && !back.empty() && !is_separator(front.back()) && !is_separator(back.front());
  bytes_ = 0;
  if (front.size() + back.size() + 2 > sizeof text_) return refuse(PHYSFS_ERR_BAD_FILENAME);
  if (!front.empty()) std::memcpy(text_, front.data(), front.size());
  bytes_ = front.size();
  if (separated) text_[bytes_++] = '/';
  if (!back.empty()) std::memcpy(text_ + bytes_, back.data(), back.size());
  bytes_ += back.size();
  text_[bytes_] = '\0';
  return true;
}

}  // namespace physfs
