// SPDX-License-Identifier: Zlib
//
// Opens what a path below an open folder names, if it does not leave that folder.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace overture::base_detail {

template <class Call>
auto retry_if_interrupted(Call call) {
  auto value = call();
  while (value < 0 && errno == EINTR) value = call();
  return value;
}

inline constexpr mode_t new_file_mode = 0666;  // before the umask

// Closes its descriptor and keeps errno.
class owned_descriptor {
 public:
  owned_descriptor() = default;
  ~owned_descriptor() { reset(-1); }
  owned_descriptor(const owned_descriptor&) = delete;
  owned_descriptor& operator=(const owned_descriptor&) = delete;

  void reset(int other) {
    const int failure = errno;
    if (descriptor_ >= 0) (void)::close(descriptor_);
    errno = failure;
    descriptor_ = other;
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Returns -1 and sets errno if it cannot be opened: to EXDEV if the path leaves the folder.
[[nodiscard]] int open_beneath(int folder, const char* path,
                               int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY) noexcept;

// Opens the folder that contains a path's last element, and names that element.
class parent_folder {
 public:
  parent_folder(int folder, const char* path) noexcept : folder_(folder), name_(path) {
    const char* const slash = std::strrchr(path, '/');
    if (!slash) return;
    char front[PATH_MAX];
    const auto length = static_cast<std::size_t>(slash - path);
    if (length >= sizeof front) {
      errno = ENAMETOOLONG;
      folder_ = -1;
      return;
    }
    std::memcpy(front, path, length);
    front[length] = '\0';
    folder_ = open_beneath(folder, front, O_PATH | O_DIRECTORY);
    opened_.reset(folder_);
    name_ = slash + 1;
  }
  parent_folder(const parent_folder&) = delete;
  parent_folder& operator=(const parent_folder&) = delete;

  [[nodiscard]] bool missing() const noexcept { return folder_ < 0; }  // errno says why
  [[nodiscard]] int descriptor() const noexcept { return folder_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }

 private:
  int folder_;
  owned_descriptor opened_;
  const char* name_;
};

}  // namespace overture::base_detail
