// SPDX-License-Identifier: Zlib
#include "base/system/file_attributes_linux.hpp"

#include <fcntl.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/system/beneath_linux.hpp"
#include "base/vec.hpp"
#include "overture/base/function_ref.hpp"

namespace overture {
using namespace base_detail;

namespace {

constexpr const char* access_list = "system.posix_acl_access";

using text = vec<char>;

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
  // Returns an errno. An attribute that grows meanwhile counts as one that cannot be read.
  int get(const char* name, text& value) const noexcept {
    return fill(value, [&](char* to, std::size_t room) {
      return path_[0] ? ::getxattr(path_, name, to, room)
                      : ::fgetxattr(file_.get(), name, to, room);
    });
  }
  int list(text& names) const noexcept {
    return fill(names, [&](char* to, std::size_t room) {
      return path_[0] ? ::listxattr(path_, to, room) : ::flistxattr(file_.get(), to, room);
    });
  }

 private:
  void open(int folder, const char* path, int flags) noexcept {
    file_.reset(folder == AT_FDCWD ? ::open(path, flags | O_CLOEXEC)
                                   : open_beneath(folder, path, flags));
  }

  static int fill(text& into, function_ref<ssize_t(char* to, std::size_t room)> get) noexcept {
    const ssize_t size = get(nullptr, 0);
    if (size < 0) return errno;
    if (!into.resize_for_overwrite(static_cast<std::size_t>(size))) return ENOMEM;
    const ssize_t got = size == 0 ? 0 : get(into.data(), into.size());
    if (got < 0) return errno;
    return into.resize_for_overwrite(static_cast<std::size_t>(got)) ? 0 : ENOMEM;
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

taken_attributes take_access_list(int to, const described_file& from, text& value) noexcept {
  const int failed = from.get(access_list, value);
  const bool has_none = failed == ENODATA || failed == ENOTSUP;
  if (failed == 0 && ::fsetxattr(to, access_list, value.data(), value.size(), 0) == 0) {
    return {.group_rights = group_rights_in({value.data(), value.size()})};
  }
  // It may have one from its folder.
  (void)::fremovexattr(to, access_list);
  return {.has_lost_list = !has_none};
}

void take_user_attributes(int to, const described_file& from, text& value) noexcept {
  text names(default_allocator(), memory_tag::base);
  if (from.list(names) != 0) return;
  for (std::size_t at = 0; at < names.size();) {
    const char* const name = names.data() + at;
    at += std::strlen(name) + 1;
    if (!std::string_view(name).starts_with("user.") || from.get(name, value) != 0) continue;
    (void)::fsetxattr(to, name, value.data(), value.size(), 0);
  }
}

}  // namespace

int base_detail::take_attributes(int to, int folder, const char* path,
                                 taken_attributes& taken) noexcept {
  const described_file from(folder, path);
  if (from.missing()) return errno;
  text value(default_allocator(), memory_tag::base);
  take_user_attributes(to, from, value);
  taken = take_access_list(to, from, value);
  return 0;
}

}  // namespace overture
