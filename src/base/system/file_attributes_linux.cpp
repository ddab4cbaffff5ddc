// SPDX-License-Identifier: Zlib
#include "base/system/file_attributes_linux.hpp"

#include <fcntl.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/system/beneath_linux.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr const char* access_list = "system.posix_acl_access";
constexpr std::size_t value_bytes_max = 4096;

// A file whose attributes are read. It need not be readable itself.
class described_file {
 public:
  described_file(int folder, const char* path) noexcept {
    const int flags = O_PATH | O_NOFOLLOW;
    file_.reset(folder == AT_FDCWD ? ::open(path, flags | O_CLOEXEC)
                                   : open_beneath(folder, path, flags));
    (void)std::snprintf(path_, sizeof path_, "/proc/self/fd/%d", file_.get());
  }
  // Returns -1 and sets errno.
  ssize_t get(const char* name, char (&value)[value_bytes_max]) const noexcept {
    return ::getxattr(path_, name, value, sizeof value);
  }
  ssize_t list(char (&names)[value_bytes_max]) const noexcept {
    return ::listxattr(path_, names, sizeof names);
  }

 private:
  owned_descriptor file_;
  char path_[40];
};

// Without /proc nothing can be told; few files have a list.
bool has_no_list(int os_error) noexcept {
  return os_error == ENODATA || os_error == ENOTSUP || os_error == ENOENT;
}

// What the list allows to the group of the file, without the mask. Its form is that of the kernel.
unsigned group_rights_in(std::string_view list) noexcept {
  constexpr std::size_t head_bytes = 4;
  constexpr std::size_t entry_bytes = 8;  // tag and rights, two bytes each, and whose they are
  constexpr unsigned char group_of_file = 4;
  for (std::size_t at = head_bytes; at + entry_bytes <= list.size(); at += entry_bytes) {
    if (list[at] == group_of_file && list[at + 1] == 0) {
      return static_cast<unsigned char>(list[at + 2]) & 07u;
    }
  }
  return 0;
}

taken_attributes take_access_list(int to, const described_file& from) noexcept {
  char value[value_bytes_max];
  const ssize_t bytes = from.get(access_list, value);
  const bool has_none = bytes < 0 && has_no_list(errno);
  if (bytes >= 0 && ::fsetxattr(to, access_list, value, static_cast<std::size_t>(bytes), 0) == 0) {
    return {.group_rights = group_rights_in({value, static_cast<std::size_t>(bytes)})};
  }
  // It may have one from its folder.
  (void)::fremovexattr(to, access_list);
  return {.has_lost_list = !has_none};
}

void take_user_attributes(int to, const described_file& from) noexcept {
  char names[value_bytes_max];
  const ssize_t bytes = from.list(names);
  for (ssize_t at = 0; at < bytes;) {
    const char* const name = names + at;
    at += static_cast<ssize_t>(std::strlen(name)) + 1;
    char value[value_bytes_max];
    if (!std::string_view(name).starts_with("user.")) continue;
    const ssize_t size = from.get(name, value);
    if (size >= 0) (void)::fsetxattr(to, name, value, static_cast<std::size_t>(size), 0);
  }
}

}  // namespace

taken_attributes base_detail::take_attributes(int to, int folder, const char* path) noexcept {
  const described_file from(folder, path);
  take_user_attributes(to, from);
  return take_access_list(to, from);
}

}  // namespace overture
