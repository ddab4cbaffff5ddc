// SPDX-License-Identifier: Zlib
#include "watch/recorder/next_function.hpp"

#include <link.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "watch/recorder/recording.hpp"
#include "watch/recorder/system_calls.hpp"

namespace overture::watch {
namespace {

// The paths of all files of code, one after the other.
struct path_list {
  static constexpr std::size_t room = std::size_t{1} << 20;
  char* text = nullptr;
  std::size_t bytes = 0;
};

int add_path(dl_phdr_info* info, std::size_t, void* to) {
  auto& list = *static_cast<path_list*>(to);
  const std::size_t bytes = info->dlpi_name ? std::strlen(info->dlpi_name) + 1 : 0;
  if (bytes <= 1 || bytes > path_list::room - list.bytes) return 0;
  std::memcpy(list.text + list.bytes, info->dlpi_name, bytes);
  list.bytes += bytes;
  return 0;
}

// The paths are copied first: whoever asks for the list holds a lock that dlopen() needs. What is
// found stays loaded, because it may be called for ever.
void* find_in_others(const char* name) noexcept {
  const auto open = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  void* const room =
      mmap(nullptr, path_list::room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!open || room == MAP_FAILED) return nullptr;
  path_list list{.text = static_cast<char*>(room)};
  (void)dl_iterate_phdr(add_path, &list);
  dl_find_object own{};
  (void)_dl_find_object(reinterpret_cast<void*>(find_next), &own);
  void* found = nullptr;
  for (std::size_t at = 0; at < list.bytes && !found; at += std::strlen(list.text + at) + 1) {
    void* const file = open(list.text + at, RTLD_LAZY | RTLD_NOLOAD);
    if (!file) continue;
    found = loader_dlsym()(file, name);
    dl_find_object where{};
    const bool is_ours =
        found && _dl_find_object(found, &where) == 0 && where.dlfo_map_start == own.dlfo_map_start;
    if (is_ours) found = nullptr;
    if (!found) dlclose(file);
  }
  (void)munmap(room, path_list::room);
  return found;
}

}  // namespace

find_of_function* loader_dlsym() noexcept {
  static constinit atomic<find_of_function*> known{nullptr};
  find_of_function* found = known.load(std::memory_order_relaxed);
  for (const char* const version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"}) {
    if (!found) found = reinterpret_cast<find_of_function*>(dlvsym(RTLD_NEXT, "dlsym", version));
  }
  known.store(found, std::memory_order_relaxed);
  return found;
}

void* find_next(const char* name, const char* version) noexcept {
  const kept_errno keep;
  void* symbol = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (!symbol) symbol = dlsym(RTLD_NEXT, name);
  return symbol ? symbol : find_in_others(name);
}

}  // namespace overture::watch
