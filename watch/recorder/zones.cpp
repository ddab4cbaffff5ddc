// SPDX-License-Identifier: Zlib
//
// The functions of the table: each call becomes a zone.
#include "watch/recorder/zone_table.hpp"

#include <link.h>

#include "watch/recorder/calls.hpp"
#include "watch/recorder/needed_version.hpp"
#include "watch/recorder/next_function.hpp"

namespace overture::watch {
namespace {

// All that a call has: what it takes is in the first words, and the callee ignores the others.
// Those that are not in registers are copied from the caller's stack to the same place.
using words_function = long(long, long, long, long, long, long, long, long, long, long);

#define WORDS_TAKEN long a, long b, long c, long d, long e, long f, long g, long h, long i, long j
#define WORDS_GIVEN a, b, c, d, e, f, g, h, i, j

constinit next_function<void*(const char*, int)> next_dlopen("dlopen");

// A process may have several versions of a library.
class zone_function {
 public:
  constexpr zone_function(const char* name, words_function* ours) noexcept
      : name_(name), ours_(ours) {}

  words_function* next(std::uintptr_t caller) noexcept {
    for (binding& each : bindings_) {
      words_function* const found = each.found.load(std::memory_order_acquire);
      if (!found) return bind(caller);
      if (caller >= each.begin && caller < each.end) return found;
    }
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    return find(caller, begin, end);
  }

 private:
  struct binding {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    atomic<words_function*> found{nullptr};
  };

  __attribute__((noinline, cold)) words_function* bind(std::uintptr_t caller) noexcept {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    words_function* const found = find(caller, begin, end);
    const std::size_t place = used_.fetch_add(1);
    if (place < bindings_max) {
      bindings_[place].begin = begin;
      bindings_[place].end = end;
      bindings_[place].found.store(found, std::memory_order_release);
    }
    return found;
  }

  // As the loader does: the first definition of all in the program with the version that the
  // caller was linked with, or else that of the libraries which came with the caller.
  words_function* find(std::uintptr_t caller, std::uintptr_t& begin, std::uintptr_t& end) noexcept {
    const kept_errno keep;
    begin = 0;
    end = UINTPTR_MAX;
    dl_find_object where{};
    if (_dl_find_object(reinterpret_cast<void*>(caller), &where) != 0) {
      return reinterpret_cast<words_function*>(dlsym(RTLD_NEXT, name_));
    }
    begin = reinterpret_cast<std::uintptr_t>(where.dlfo_map_start);
    end = reinterpret_cast<std::uintptr_t>(where.dlfo_map_end);
    const char* const version = needed_version(*where.dlfo_link_map, name_);
    const char* const path = where.dlfo_link_map->l_name;
    void* found = found_in(RTLD_NEXT, version);
    if (!found) found = found_beside(path, version);
    // A library of another build may be without versions.
    if (!found && version) found = found_in(RTLD_NEXT, nullptr);
    if (!found && version) found = found_beside(path, nullptr);
    return reinterpret_cast<words_function*>(found);
  }

  void* found_in(void* where, const char* version) const noexcept {
    void* const found = version ? dlvsym(where, name_, version) : dlsym(where, name_);
    return found == reinterpret_cast<void*>(ours_) ? nullptr : found;
  }

  // In what came with a file, which is loaded already.
  void* found_beside(const char* path, const char* version) const noexcept {
    void* const file = path && *path != '\0' ? next_dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    return file ? found_in(file, version) : nullptr;
  }

  static constexpr std::size_t bindings_max = 4;
  const char* name_;
  words_function* ours_;
  binding bindings_[bindings_max];
  atomic<std::size_t> used_{0};
};

// The zone that this thread is in. A function that does not return, but jumps further up, leaves it
// behind: what is called from further up is not inside.
struct open_zone {
  const char* library = nullptr;
  std::uintptr_t frame = 0;
};
__attribute__((tls_model("initial-exec"))) thread_local constinit open_zone inside;

// What a library calls of itself is a part of what was called of it.
long zone(zone_function& of, zone_number number, const char* library, std::uintptr_t caller,
          WORDS_TAKEN) {
  words_function* const next = of.next(caller);
  if (!next) return 0;  // the program only asks whether it is there
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (inside.library == library && frame < inside.frame) return next(WORDS_GIVEN);
  const open_zone around = inside;
  inside = {library, frame};
  const long answer = measured(
      caller, [&] { return next(WORDS_GIVEN); },
      [&](long, plain_event& event) {
        event.kind = event_kind::zone;
        event.id = static_cast<std::uint32_t>(number);
        record(event);
      });
  inside = around;
  return answer;
}

}  // namespace

// One address for each name, in all rows.
constexpr bool is_same(const char* a, const char* b) {
  std::size_t i = 0;
  while (a[i] == b[i] && a[i] != '\0') ++i;
  return a[i] == b[i];
}
constexpr const char* all_libraries[] = {
#define OVERTURE_WATCH_LIBRARY(NAME, LIBRARY, WORK) LIBRARY,
    OVERTURE_WATCH_ZONES(OVERTURE_WATCH_LIBRARY)
#undef OVERTURE_WATCH_LIBRARY
};
constexpr const char* library_named(const char* name) {
  for (const char* const each : all_libraries) {
    if (is_same(each, name)) return each;
  }
  return name;
}

#define IS_A_ZONE(NAME, LIBRARY, WORK)                                                        \
  OVERTURE_WATCH_TAKES(long, NAME, (WORDS_TAKEN));                                            \
  static constinit zone_function zone_##NAME(#NAME, overture_watch_##NAME);                   \
  OVERTURE_WATCH_TAKES(long, NAME, (WORDS_TAKEN)) {                                           \
    static constexpr const char* library = library_named(LIBRARY);                            \
    return zone(zone_##NAME, zone_number::NAME, library, OVERTURE_WATCH_CALLER, WORDS_GIVEN); \
  }
OVERTURE_WATCH_ZONES(IS_A_ZONE)

}  // namespace overture::watch
