#include "names.hpp"

#include <cstring>

#include "errors.hpp"

namespace physfs {

bool clean_name::clean(const char* name) noexcept {
  if (!name) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  bytes_ = 0;
  while (*name != '\0') {
    if (*name == '/') {
      ++name;
      continue;
    }
    const std::size_t length = std::strcspn(name, "/:\\");
    if (name[length] == ':' || name[length] == '\\') return refuse(PHYSFS_ERR_BAD_FILENAME);
    const std::string_view element(name, length);
    const std::size_t separator = bytes_ > 0 ? 1 : 0;
    if (element == "." || element == ".." || length + separator > name_bytes_max - bytes_) {
      return refuse(PHYSFS_ERR_BAD_FILENAME);
    }
    if (separator > 0) text_[bytes_++] = '/';
    std::memcpy(text_ + bytes_, name, length);
    bytes_ += length;
    name += length;
  }
  text_[bytes_] = '\0';
  return true;
}

bool joined_name::join(std::string_view front, std::string_view back) noexcept {
  const bool separated =
      !front.empty() && !back.empty() && front.back() != '/' && back.front() != '/';
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
