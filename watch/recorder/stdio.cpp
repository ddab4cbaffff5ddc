// SPDX-License-Identifier: Zlib
//
// FILEs, whose own reads do not pass here. What getc() and the like have read shows at the end, by
// the place where the FILE is.
#include <fcntl.h>
#include <stdio_ext.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "watch/recorder/calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

template <class Call>
FILE* opened(std::uintptr_t caller, const char* path, const char* mode, Call call) {
  return measured(caller, call, [&](FILE* file, plain_event& event) {
    event.kind = event_kind::open;
    event.flags = plain_event::stdio;
    event.id = path_number(path);
    event.value = mode && *mode != 'r' ? O_WRONLY | O_CREAT : O_RDONLY;
    fails_if(event, file == nullptr);
    if (file) {
      const kept_errno keep;
      if (is_open(event.id)) event.flags |= plain_event::already;
      note_descriptor(fileno(file), event.id, descriptor_kind::file);
      if (event.value == O_RDONLY) note_content(event.id, event.begin_ns);
    }
    record(event);
  });
}

template <class Call>
std::size_t moved(event_kind kind, std::uintptr_t caller, FILE* file, std::size_t size, Call call) {
  return measured(caller, call, [&](std::size_t items, plain_event event) {
    note_bytes(kind, event, file, std::uint64_t{items} * size);
  });
}

template <class Call>
char* line_read(std::uintptr_t caller, FILE* file, Call call) {
  return measured(caller, call, [&](const char* line, plain_event event) {
    note_bytes(event_kind::read, event, file, line ? std::strlen(line) : 0);
  });
}

// Where it is now, which is known without a system call.
void find_place(FILE* file) noexcept {
  const kept_errno keep;
  const long place = std::ftell(file);
  if (place >= 0) {
    descriptor_of(fileno(file)).place.store(static_cast<std::uint64_t>(place), relaxed);
  }
}

// A move to where the FILE has nothing in memory reads the block there.
template <class Call>
int placed(std::uintptr_t caller, FILE* file, Call call) {
  const off_t before = file->_offset;
  return measured(caller, call, [&](int failed, plain_event& event) {
    if (failed != 0) return;
    find_place(file);
    const off_t end = file->_offset;
    const std::ptrdiff_t bytes = file->_IO_read_end - file->_IO_read_base;
    if (end == before || bytes <= 0 || end < bytes) return;
    event.kind = event_kind::seek;
    event.flags = plain_event::stdio;
    event.id = descriptor_of(fileno(file)).name.load(relaxed);
    event.value =
        at_place(static_cast<std::uint64_t>(end - bytes), static_cast<std::uint64_t>(bytes));
    record(event);
  });
}

void note_unseen(FILE* file, std::uintptr_t caller) noexcept {
  const kept_errno keep;
  const descriptor& of = descriptor_of(fileno(file));
  if (of.name.load(relaxed) == 0 || __freading(file) == 0 || !recorded_thread()) return;
  const long place = std::ftell(file);
  const std::uint64_t known = of.place.load(relaxed);
  if (place < 0 || static_cast<std::uint64_t>(place) <= known) return;
  note_bytes(event_kind::read,
             {.flags = plain_event::unseen, .begin_ns = clock_ns(), .caller = caller}, file,
             static_cast<std::uint64_t>(place) - known);
}

}  // namespace

void note_bytes(event_kind kind, plain_event event, FILE* file, std::uint64_t bytes) noexcept {
  const kept_errno keep;
  descriptor& of = descriptor_of(fileno(file));
  event.kind = kind;
  event.flags |= plain_event::stdio;
  event.id = of.name.load(relaxed);
  record_bytes(event, of.place.fetch_add(bytes, relaxed), bytes);
}

#define OPENS(NAME)                                                                            \
  constinit next_function<FILE*(const char*, const char*)> next_##NAME(#NAME);                 \
  OVERTURE_WATCH_TAKES(FILE*, NAME, (const char* path, const char* mode)) {                    \
    return opened(OVERTURE_WATCH_CALLER, path, mode, [&] { return next_##NAME(path, mode); }); \
  }
OPENS(fopen)
OPENS(fopen64)

constinit next_function<int(FILE*)> next_fclose("fclose");
OVERTURE_WATCH_TAKES(int, fclose, (FILE * file)) {
  std::uint32_t name = 0;
  if (file) {
    note_unseen(file, OVERTURE_WATCH_CALLER);
    const kept_errno keep;
    name = name_of_file(fileno(file));
    forget_descriptor(fileno(file));
  }
  if (name == 0) return next_fclose(file);
  return measured(
      OVERTURE_WATCH_CALLER, [&] { return next_fclose(file); },
      [&](int failed, plain_event& event) {
        event.kind = event_kind::close;
        event.flags = plain_event::stdio;
        event.id = name;
        fails_if(event, failed != 0);
        record(event);
      });
}

namespace {

// Whether the next bytes are in memory. Such a read takes less than a clock: it has none, but for
// one of so many, which stands for all of them.
constexpr std::uint64_t sampled = 64;
// What takes longer had no core: it does not stand for others.
constexpr std::uint64_t common_ns = 1'000;
bool is_in_memory(const FILE* file, std::uint64_t bytes) noexcept {
  return bytes <= tiny_bytes_max &&
         file->_IO_read_end - file->_IO_read_ptr >= static_cast<std::ptrdiff_t>(bytes);
}
__attribute__((tls_model("initial-exec"))) thread_local constinit std::uint64_t read_in_memory = 0;

template <class Call>
std::size_t read_items(std::uintptr_t caller, FILE* file, std::size_t size, std::size_t count,
                       Call call) {
  const std::uint64_t bytes = std::uint64_t{size} * count;
  if (!is_in_memory(file, bytes) || !recorded_thread()) {
    return moved(event_kind::read, caller, file, size, call);
  }
  const kept_errno keep;
  descriptor& of = descriptor_of(fileno(file));
  const std::uint64_t place = of.place.load(relaxed);
  plain_event event{.kind = event_kind::read,
                    .flags = plain_event::stdio,
                    .id = of.name.load(relaxed),
                    .caller = caller,
                    .value = at_place(place, bytes)};
  std::uint64_t begin_ns = 0;
  const bool is_sampled = ++read_in_memory % sampled == 0;
  if (is_sampled) begin_ns = clock_ns();
  const std::size_t items = call();
  if (is_sampled) {
    const std::uint64_t measured_ns = clock_ns() - begin_ns;
    const std::uint64_t took_ns = measured_ns < clock_cost_ns ? 0 : measured_ns - clock_cost_ns;
    event.took_ns = took_ns > common_ns ? took_ns : took_ns * sampled;
  }
  of.place.fetch_add(bytes, relaxed);
  if (!repeats(event)) {
    event.begin_ns = clock_ns();
    record(event);
  }
  return items;
}

}  // namespace

#define READS(NAME)                                                                                \
  constinit next_function<std::size_t(void*, std::size_t, std::size_t, FILE*)> next_##NAME(#NAME); \
  OVERTURE_WATCH_TAKES(std::size_t, NAME,                                                          \
                       (void* to, std::size_t size, std::size_t count, FILE* file)) {              \
    return read_items(OVERTURE_WATCH_CALLER, file, size, count,                                    \
                      [&] { return next_##NAME(to, size, count, file); });                         \
  }
READS(fread)
READS(fread_unlocked)
constinit next_function<std::size_t(void*, std::size_t, std::size_t, std::size_t, FILE*)>
    next_fread_chk("__fread_chk");
OVERTURE_WATCH_TAKES(std::size_t, __fread_chk,
                     (void* to, std::size_t room, std::size_t size, std::size_t count,
                      FILE* file)) {
  return read_items(OVERTURE_WATCH_CALLER, file, size, count,
                    [&] { return next_fread_chk(to, room, size, count, file); });
}

constinit next_function<char*(char*, int, FILE*)> next_fgets("fgets");
OVERTURE_WATCH_TAKES(char*, fgets, (char* to, int room, FILE* file)) {
  return line_read(OVERTURE_WATCH_CALLER, file, [&] { return next_fgets(to, room, file); });
}
constinit next_function<char*(char*, std::size_t, int, FILE*)> next_fgets_chk("__fgets_chk");
OVERTURE_WATCH_TAKES(char*, __fgets_chk, (char* to, std::size_t size, int room, FILE* file)) {
  return line_read(OVERTURE_WATCH_CALLER, file,
                   [&] { return next_fgets_chk(to, size, room, file); });
}

constinit next_function<std::size_t(const void*, std::size_t, std::size_t, FILE*)> next_fwrite(
    "fwrite");
OVERTURE_WATCH_TAKES(std::size_t, fwrite,
                     (const void* from, std::size_t size, std::size_t count, FILE* file)) {
  return moved(event_kind::write, OVERTURE_WATCH_CALLER, file, size,
               [&] { return next_fwrite(from, size, count, file); });
}

#define SEEKS(NAME)                                                                          \
  constinit next_function<int(FILE*, long, int)> next_##NAME(#NAME);                         \
  OVERTURE_WATCH_TAKES(int, NAME, (FILE * file, long by, int from)) {                        \
    return placed(OVERTURE_WATCH_CALLER, file, [&] { return next_##NAME(file, by, from); }); \
  }
SEEKS(fseek)
SEEKS(fseeko)
SEEKS(fseeko64)

constinit next_function<void(FILE*)> next_rewind("rewind");
OVERTURE_WATCH_TAKES(void, rewind, (FILE * file)) {
  next_rewind(file);
  const kept_errno keep;
  descriptor_of(fileno(file)).place.store(0, relaxed);
}

#define SETS_PLACE(NAME)                                                                  \
  constinit next_function<int(FILE*, const void*)> next_##NAME(#NAME);                    \
  OVERTURE_WATCH_TAKES(int, NAME, (FILE * file, const void* place)) {                     \
    return placed(OVERTURE_WATCH_CALLER, file, [&] { return next_##NAME(file, place); }); \
  }
SETS_PLACE(fsetpos)
SETS_PLACE(fsetpos64)

}  // namespace overture::watch
