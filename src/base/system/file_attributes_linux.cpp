// SPDX-License-Identifier: Zlib
#include "base/system/file_attributes_linux.hpp"

#include <fcntl.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "base/system/beneath_linux.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr const char* access_list = "system.posix_acl_access";
constexpr std::size_t value_bytes_max = 65536;  // XATTR_SIZE_MAX, and XATTR_LIST_MAX

// A file whose attributes are read.
class described_file {
 public:
  described_file(int folder, const char* path) noexcept {
    open(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (file_.get() >= 0 || errno != EACCES) return;
    // One that may not be read has a name in /proc, if that is there.
    open(folder, path, O_PATH | O_NOFOLLOW);
    (void)std::snprintf(path_, sizeof path_, "/proc/self/fd/%d", file_.get());
  }
  [[nodiscard]] bool missing() const noexcept { return file_.get() < 0; }  // errno says why
  // Returns -1 and sets errno.
  ssize_t get(const char* name, char* value) const noexcept {
    return path_[0] ? ::getxattr(path_, name, value, value_bytes_max)
                    : ::fgetxattr(file_.get(), name, value, value_bytes_max);
  }
  ssize_t list(char* names) const noexcept {
    return path_[0] ? ::listxattr(path_, names, value_bytes_max)
                    : ::flistxattr(file_.get(), names, value_bytes_max);
  }

 private:
  void open(int folder, const char* path, int flags) noexcept {
    file_.reset(folder == AT_FDCWD ? ::open(path, flags | O_CLOEXEC)
                                   : open_beneath(folder, path, flags));
  }

  owned_descriptor file_;
  char path_[40] = {};
};

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

taken_attributes take_access_list(int to, const described_file& from, char* value) noexcept {
  const ssize_t bytes = from.get(access_list, value);
  const bool has_none = bytes < 0 && (errno == ENODATA || errno == ENOTSUP);
  if (bytes >= 0 && ::fsetxattr(to, access_list, value, static_cast<std::size_t>(bytes), 0) == 0) {
    return {.group_rights = group_rights_in({value, static_cast<std::size_t>(bytes)})};
  }
  // It may have one from its folder.
  (void)::fremovexattr(to, access_list);
  return {.has_lost_list = !has_none};
}

void take_user_attributes(int to, const described_file& from, char* names, char* value) noexcept {
  const ssize_t bytes = from.list(names);
  for (ssize_t at = 0; at < bytes;) {
    const char* const name = names + at;
    at += static_cast<ssize_t>(std::strlen(name)) + 1;
    if (!std::string_view(name).starts_with("user.")) continue;
    const ssize_t size = from.get(name, value);
    if (size >= 0) (void)::fsetxattr(to, name, value, static_cast<std::size_t>(size), 0);
  }
}

}  // namespace

int base_detail::take_attributes(int to, int folder, const char* path,
                                 taken_attributes& taken) noexcept {
  const described_file from(folder, path);
  if (from.missing()) return errno;
  const std::unique_ptr<char[]> memory(new (std::nothrow) char[2 * value_bytes_max]);
  if (!memory) return ENOMEM;
  take_user_attributes(to, from, memory.get(), memory.get() + value_bytes_max);
  taken = take_access_list(to, from, memory.get());
  return 0;
}

}  // namespace overture
