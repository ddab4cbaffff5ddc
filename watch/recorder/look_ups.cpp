// SPDX-License-Identifier: Zlib
//
// Names that are looked up, and folders that are listed.
#include <dirent.h>
#include <fcntl.h>

#include <type_traits>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

template <class Call>
auto looked_up(std::uintptr_t caller, int folder, const char* path, Call call) {
  return measured(caller, call, [&](auto answer, plain_event& event) {
    event.kind = event_kind::look_up;
    event.id = path_number(path, folder == AT_FDCWD ? 0 : descriptor_of(folder).name.load(relaxed));
    if constexpr (std::is_pointer_v<decltype(answer)>) {
      fails_if(event, answer == nullptr);
    } else {
      fails_if(event, answer < 0);
    }
    record(event);
  });
}

// `event`: of its opening.
void note_folder(DIR* folder, std::uint32_t name, const plain_event& event) noexcept {
  if (!folder) return;
  const int file = dirfd(folder);
  note_descriptor(file, name, descriptor_kind::folder);
  descriptor_of(file).list_ns.store(event.took_ns, relaxed);
}

template <class Entry, class Call>
Entry* listed(DIR* folder, Call call) {
  if (!recorded_thread()) return call();
  const std::uint64_t begin_ns = clock_ns();
  Entry* const entry = call();
  const kept_errno keep;
  descriptor& of = descriptor_of(dirfd(folder));
  of.list_ns.fetch_add(clock_ns() - begin_ns, relaxed);
  if (entry) of.place.fetch_add(1, relaxed);
  return entry;
}

void note_listing(DIR* folder, std::uintptr_t caller) noexcept {
  const kept_errno keep;
  const int file = dirfd(folder);
  descriptor& of = descriptor_of(file);
  if (of.kind.load(relaxed) != descriptor_kind::folder) return;
  // The time of all its calls, as if it were one that has just ended.
  const std::uint64_t took_ns = of.list_ns.load(relaxed);
  record({.kind = event_kind::list,
          .begin_ns = clock_ns() - took_ns,
          .took_ns = took_ns,
          .id = of.name.load(relaxed),
          .caller = caller,
          .value = of.place.load(relaxed)});
  forget_descriptor(file);
}

}  // namespace

// What takes a path and, after it, at most a number and a place for the answer.
#define LOOKS_UP(NAME)                                                             \
  constinit next_function<int(const char*, void*, void*)> next_##NAME(#NAME);      \
  OVERTURE_WATCH_TAKES(int, NAME, (const char* path, void* first, void* second)) { \
    return looked_up(OVERTURE_WATCH_CALLER, AT_FDCWD, path,                        \
                     [&] { return next_##NAME(path, first, second); });            \
  }
LOOKS_UP(stat)
LOOKS_UP(stat64)
LOOKS_UP(lstat)
LOOKS_UP(lstat64)
LOOKS_UP(access)
LOOKS_UP(euidaccess)

// The same of programs that were built with an old glibc: a version comes first.
#define LOOKS_UP_VERSIONED(NAME)                                               \
  constinit next_function<int(int, const char*, void*)> next_##NAME(#NAME);    \
  OVERTURE_WATCH_TAKES(int, NAME, (int version, const char* path, void* to)) { \
    return looked_up(OVERTURE_WATCH_CALLER, AT_FDCWD, path,                    \
                     [&] { return next_##NAME(version, path, to); });          \
  }
LOOKS_UP_VERSIONED(__xstat)
LOOKS_UP_VERSIONED(__xstat64)
LOOKS_UP_VERSIONED(__lxstat)
LOOKS_UP_VERSIONED(__lxstat64)

#define LOOKS_UP_AT(NAME)                                                                        \
  constinit next_function<int(int, const char*, void*, void*, void*)> next_##NAME(#NAME);        \
  OVERTURE_WATCH_TAKES(int, NAME,                                                                \
                       (int folder, const char* path, void* first, void* second, void* third)) { \
    return looked_up(OVERTURE_WATCH_CALLER, folder, path,                                        \
                     [&] { return next_##NAME(folder, path, first, second, third); });           \
  }
LOOKS_UP_AT(fstatat)
LOOKS_UP_AT(fstatat64)
LOOKS_UP_AT(faccessat)
LOOKS_UP_AT(statx)

constinit next_function<long(const char*, char*, std::size_t)> next_readlink("readlink");
OVERTURE_WATCH_TAKES(long, readlink, (const char* path, char* to, std::size_t room)) {
  return looked_up(OVERTURE_WATCH_CALLER, AT_FDCWD, path,
                   [&] { return next_readlink(path, to, room); });
}
constinit next_function<char*(const char*, char*)> next_realpath("realpath", "GLIBC_2.3");
OVERTURE_WATCH_TAKES(char*, realpath, (const char* path, char* to)) {
  return looked_up(OVERTURE_WATCH_CALLER, AT_FDCWD, path, [&] { return next_realpath(path, to); });
}

constinit next_function<DIR*(const char*)> next_opendir("opendir");
OVERTURE_WATCH_TAKES(DIR*, opendir, (const char* path)) {
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_opendir(path); },
      [&](DIR* folder, plain_event& event) {
        event.kind = event_kind::look_up;
        event.id = path_number(path);
        fails_if(event, folder == nullptr);
        if (folder) {
          note_folder(folder, event.id, event);
        } else {
          record(event);
        }
      });
}
constinit next_function<DIR*(int)> next_fdopendir("fdopendir");
OVERTURE_WATCH_TAKES(DIR*, fdopendir, (int file)) {
  const std::uint32_t name = descriptor_of(file).name.load(relaxed);
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_fdopendir(file); },
      [&](DIR* folder, plain_event& event) { note_folder(folder, name, event); });
}
constinit next_function<dirent*(DIR*)> next_readdir("readdir");
OVERTURE_WATCH_TAKES(dirent*, readdir, (DIR * folder)) {
  return listed<dirent>(folder, [&] { return next_readdir(folder); });
}
constinit next_function<dirent64*(DIR*)> next_readdir64("readdir64");
OVERTURE_WATCH_TAKES(dirent64*, readdir64, (DIR * folder)) {
  return listed<dirent64>(folder, [&] { return next_readdir64(folder); });
}
constinit next_function<int(DIR*)> next_closedir("closedir");
OVERTURE_WATCH_TAKES(int, closedir, (DIR * folder)) {
  if (folder) note_listing(folder, OVERTURE_WATCH_CALLER);
  return next_closedir(folder);
}

#define SCANS(NAME)                                                                              \
  constinit next_function<int(const char*, void*, void*, void*)> next_##NAME(#NAME);             \
  OVERTURE_WATCH_TAKES(int, NAME, (const char* path, void* list, void* choose, void* compare)) { \
    return measured(                                                                             \
        OVERTURE_WATCH_CALLER, [&] { return next_##NAME(path, list, choose, compare); },         \
        [&](int count, plain_event& event) {                                                     \
          event.kind = event_kind::list;                                                         \
          event.id = path_number(path);                                                          \
          fails_if(event, count < 0);                                                            \
          event.value = static_cast<std::uint64_t>(count < 0 ? 0 : count);                       \
          record(event);                                                                         \
        });                                                                                      \
  }
SCANS(scandir)
SCANS(scandir64)

}  // namespace overture::watch
