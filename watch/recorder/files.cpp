// SPDX-License-Identifier: Zlib
//
// Descriptors: opening, reading, writing, mapping.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

template <class Call>
int opened(std::uintptr_t caller, int folder, const char* path, int flags, Call call) {
  return measured(caller, call, [&](int file, plain_event& event) {
    const std::uint32_t above = folder == AT_FDCWD ? 0 : descriptor_of(folder).name.load(relaxed);
    event.kind = event_kind::open;
    event.id = path_number(path, above);
    event.value = static_cast<std::uint64_t>(static_cast<unsigned>(flags));
    fails_if(event, file < 0);
    if (file >= 0 && is_open(event.id)) event.flags |= plain_event::already;
    note_descriptor(file, event.id,
                    (flags & O_DIRECTORY) != 0 ? descriptor_kind::folder : descriptor_kind::file);
    if (file >= 0 && reads_content(flags)) note_content(event.id, event.begin_ns);
    record(event);
  });
}

// An eventfd is a semaphore: who reads it waits, and who writes wakes.
void note_event(event_kind kind, plain_event event, int file) noexcept {
  event.kind = kind == event_kind::read ? event_kind::wait_semaphore : event_kind::release;
  event.value = reinterpret_cast<std::uintptr_t>(event_address(file));
  record(event);
}

// `place`: negative for where the descriptor is.
template <class Call>
ssize_t moved(event_kind kind, std::uintptr_t caller, int file, std::int64_t place, Call call) {
  return measured(caller, call, [&](ssize_t bytes, plain_event& event) {
    descriptor& of = descriptor_of(file);
    const descriptor_kind is = of.kind.load(relaxed);
    if (is == descriptor_kind::event) return note_event(kind, event, file);
    const bool is_socket = is == descriptor_kind::socket;
    event.kind = is_socket && kind == event_kind::read ? event_kind::wait_reply : kind;
    event.id = of.name.load(relaxed);
    fails_if(event, bytes < 0);
    const auto count = static_cast<std::uint64_t>(bytes > 0 ? bytes : 0);
    const std::uint64_t at =
        place >= 0 ? static_cast<std::uint64_t>(place) : of.place.fetch_add(count, relaxed);
    record_bytes(event, at, count);
  });
}

template <class Call>
int synced(std::uintptr_t caller, int file, Call call) {
  return measured(caller, call, [&](int failed, plain_event& event) {
    event.kind = event_kind::sync;
    event.id = descriptor_of(file).name.load(relaxed);
    fails_if(event, failed != 0);
    record(event);
  });
}

template <class Call>
void* mapped(std::uintptr_t caller, std::size_t bytes, int flags, int file, long place, Call call) {
  if (file < 0 || (flags & MAP_ANONYMOUS) != 0) return call();
  return measured(caller, call, [&](void* at, plain_event& event) {
    event.kind = event_kind::map;
    event.id = descriptor_of(file).name.load(relaxed);
    fails_if(event, at == MAP_FAILED);
    event.value = at_place(static_cast<std::uint64_t>(place), bytes);
    record(event);
  });
}

template <class Call>
int closed(std::uintptr_t caller, int file, Call call) {
  const std::uint32_t name = name_of_file(file);
  forget_descriptor(file);
  if (name == 0) return call();
  return measured(caller, call, [&](int failed, plain_event& event) {
    event.kind = event_kind::close;
    event.id = name;
    fails_if(event, failed != 0);
    record(event);
  });
}

template <class Call>
off_t placed(int file, Call call) {
  const off_t place = call();
  if (place >= 0) descriptor_of(file).place.store(static_cast<std::uint64_t>(place), relaxed);
  return place;
}

}  // namespace

void record_bytes(plain_event event, std::uint64_t place, std::uint64_t bytes) noexcept {
  for (;;) {
    event.value = at_place(place, bytes);
    record(event);
    if (bytes <= piece_bytes_max) return;
    place += piece_bytes_max;
    bytes -= piece_bytes_max;
    event.begin_ns += event.took_ns;
    event.took_ns = 0;
  }
}

#define OPENS(NAME)                                                             \
  constinit next_function<int(const char*, int, mode_t)> next_##NAME(#NAME);    \
  OVERTURE_WATCH_TAKES(int, NAME, (const char* path, int flags, mode_t mode)) { \
    return opened(OVERTURE_WATCH_CALLER, AT_FDCWD, path, flags,                 \
                  [&] { return next_##NAME(path, flags, mode); });              \
  }
OPENS(open)
OPENS(open64)
OPENS(__open_2)
OPENS(__open64_2)

#define OPENS_AT(NAME)                                                                      \
  constinit next_function<int(int, const char*, int, mode_t)> next_##NAME(#NAME);           \
  OVERTURE_WATCH_TAKES(int, NAME, (int folder, const char* path, int flags, mode_t mode)) { \
    return opened(OVERTURE_WATCH_CALLER, folder, path, flags,                               \
                  [&] { return next_##NAME(folder, path, flags, mode); });                  \
  }
OPENS_AT(openat)
OPENS_AT(openat64)
OPENS_AT(__openat_2)
OPENS_AT(__openat64_2)

#define CREATES(NAME)                                                                  \
  constinit next_function<int(const char*, mode_t)> next_##NAME(#NAME);                \
  OVERTURE_WATCH_TAKES(int, NAME, (const char* path, mode_t mode)) {                   \
    return opened(OVERTURE_WATCH_CALLER, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, \
                  [&] { return next_##NAME(path, mode); });                            \
  }
CREATES(creat)
CREATES(creat64)

constinit next_function<int(int)> next_close("close");
OVERTURE_WATCH_TAKES(int, close, (int file)) {
  return closed(OVERTURE_WATCH_CALLER, file, [&] { return next_close(file); });
}

constinit next_function<int(int)> next_dup("dup");
OVERTURE_WATCH_TAKES(int, dup, (int file)) {
  const int copy = next_dup(file);
  const descriptor& of = descriptor_of(file);
  note_descriptor(copy, of.name.load(relaxed), of.kind.load(relaxed));
  return copy;
}

constinit next_function<ssize_t(int, void*, std::size_t)> next_read("read");
OVERTURE_WATCH_TAKES(ssize_t, read, (int file, void* to, std::size_t bytes)) {
  return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, -1,
               [&] { return next_read(file, to, bytes); });
}
constinit next_function<ssize_t(int, void*, std::size_t, std::size_t)> next_read_chk("__read_chk");
OVERTURE_WATCH_TAKES(ssize_t, __read_chk,
                     (int file, void* to, std::size_t bytes, std::size_t room)) {
  return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, -1,
               [&] { return next_read_chk(file, to, bytes, room); });
}
#define READS_AT(NAME)                                                                        \
  constinit next_function<ssize_t(int, void*, std::size_t, off_t)> next_##NAME(#NAME);        \
  OVERTURE_WATCH_TAKES(ssize_t, NAME, (int file, void* to, std::size_t bytes, off_t place)) { \
    return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, place,                        \
                 [&] { return next_##NAME(file, to, bytes, place); });                        \
  }
READS_AT(pread)
READS_AT(pread64)
#define READS_AT_CHECKED(NAME)                                                                   \
  constinit next_function<ssize_t(int, void*, std::size_t, off_t, std::size_t)> next_##NAME(     \
      #NAME);                                                                                    \
  OVERTURE_WATCH_TAKES(ssize_t, NAME,                                                            \
                       (int file, void* to, std::size_t bytes, off_t place, std::size_t room)) { \
    return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, place,                           \
                 [&] { return next_##NAME(file, to, bytes, place, room); });                     \
  }
READS_AT_CHECKED(__pread_chk)
READS_AT_CHECKED(__pread64_chk)

constinit next_function<ssize_t(int, const iovec*, int)> next_readv("readv");
OVERTURE_WATCH_TAKES(ssize_t, readv, (int file, const iovec* parts, int count)) {
  return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, -1,
               [&] { return next_readv(file, parts, count); });
}
#define READS_PARTS_AT(NAME)                                                                    \
  constinit next_function<ssize_t(int, const iovec*, int, off_t)> next_##NAME(#NAME);           \
  OVERTURE_WATCH_TAKES(ssize_t, NAME, (int file, const iovec* parts, int count, off_t place)) { \
    return moved(event_kind::read, OVERTURE_WATCH_CALLER, file, place,                          \
                 [&] { return next_##NAME(file, parts, count, place); });                       \
  }
READS_PARTS_AT(preadv)
READS_PARTS_AT(preadv64)

constinit next_function<ssize_t(int, const void*, std::size_t)> next_write("write");
OVERTURE_WATCH_TAKES(ssize_t, write, (int file, const void* from, std::size_t bytes)) {
  return moved(event_kind::write, OVERTURE_WATCH_CALLER, file, -1,
               [&] { return next_write(file, from, bytes); });
}
#define WRITES_AT(NAME)                                                                      \
  constinit next_function<ssize_t(int, const void*, std::size_t, off_t)> next_##NAME(#NAME); \
  OVERTURE_WATCH_TAKES(ssize_t, NAME,                                                        \
                       (int file, const void* from, std::size_t bytes, off_t place)) {       \
    return moved(event_kind::write, OVERTURE_WATCH_CALLER, file, place,                      \
                 [&] { return next_##NAME(file, from, bytes, place); });                     \
  }
WRITES_AT(pwrite)
WRITES_AT(pwrite64)

#define SEEKS(NAME)                                                   \
  constinit next_function<off_t(int, off_t, int)> next_##NAME(#NAME); \
  OVERTURE_WATCH_TAKES(off_t, NAME, (int file, off_t by, int from)) { \
    return placed(file, [&] { return next_##NAME(file, by, from); }); \
  }
SEEKS(lseek)
SEEKS(lseek64)

#define SYNCS(NAME)                                                                \
  constinit next_function<int(int)> next_##NAME(#NAME);                            \
  OVERTURE_WATCH_TAKES(int, NAME, (int file)) {                                    \
    return synced(OVERTURE_WATCH_CALLER, file, [&] { return next_##NAME(file); }); \
  }
SYNCS(fsync)
SYNCS(fdatasync)
SYNCS(syncfs)

#define MAPS(NAME)                                                                                \
  constinit next_function<void*(void*, std::size_t, int, int, int, off_t)> next_##NAME(#NAME);    \
  OVERTURE_WATCH_TAKES(                                                                           \
      void*, NAME, (void* at, std::size_t bytes, int rights, int flags, int file, off_t place)) { \
    return mapped(OVERTURE_WATCH_CALLER, bytes, flags, file, place,                               \
                  [&] { return next_##NAME(at, bytes, rights, flags, file, place); });            \
  }
MAPS(mmap)
MAPS(mmap64)

constinit next_function<int(const char*)> next_chdir("chdir");
OVERTURE_WATCH_TAKES(int, chdir, (const char* path)) {
  const int failed = next_chdir(path);
  if (failed == 0) note_current_folder();
  return failed;
}
constinit next_function<int(int)> next_fchdir("fchdir");
OVERTURE_WATCH_TAKES(int, fchdir, (int folder)) {
  const int failed = next_fchdir(folder);
  if (failed == 0) note_current_folder();
  return failed;
}

}  // namespace overture::watch
