// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <span>

#include "base/threads/processor_quota.hpp"

namespace overture::base_detail {
namespace {

constexpr std::size_t text_bytes = 4096;

// What fits of a file; empty if it cannot be read.
std::string_view read_text(const char* path, std::span<char> room) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = read(file, room.data(), room.size());
  close(file);
  return {room.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

std::string_view read_in(const char* root, std::string_view group, const char* name,
                         std::span<char> room) noexcept {
  char path[PATH_MAX];
  const int length = std::snprintf(path, sizeof path, "%s%.*s/%s", root,
                                   static_cast<int>(group.size()), group.data(), name);
  return length > 0 && length < PATH_MAX ? read_text(path, room) : std::string_view();
}

unsigned lower(unsigned a, unsigned b) noexcept {
  return a == 0 || (b != 0 && b < a) ? b : a;
}

// Of the group and those above it. A container may see its group's path from outside, which does
// not exist inside: there the root is its group.
template <class Read>
unsigned least_of(std::string_view group, Read processors) noexcept {
  unsigned least = 0;
  for (;;) {
    while (group.ends_with('/')) group.remove_suffix(1);
    least = lower(least, processors(group));
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/') + 1);
  }
}

unsigned of_version_1(const char* root, std::string_view group) noexcept {
  return least_of(group, [root](std::string_view at) noexcept {
    char quota[64];
    char period[64];
    return processors_of_cfs(read_in(root, at, "cpu.cfs_quota_us", quota),
                             read_in(root, at, "cpu.cfs_period_us", period));
  });
}

}  // namespace

unsigned processors_granted() noexcept {
  char room[text_bytes];
  const std::string_view groups = read_text("/proc/self/cgroup", room);
  const unsigned granted = least_of(group_of(groups, ""), [](std::string_view at) noexcept {
    char text[64];
    return processors_of_cpu_max(read_in("/sys/fs/cgroup", at, "cpu.max", text));
  });
  return lower(granted, of_version_1("/sys/fs/cgroup/cpu", group_of(groups, "cpu")));
}

}  // namespace overture::base_detail
