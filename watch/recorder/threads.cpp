// SPDX-License-Identifier: Zlib
//
// Threads: how they begin, what they are called, and the end of the process.
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/types.h>

#include "watch/recorder/kernel_counts.hpp"
#include "watch/recorder/next_function.hpp"
#include "watch/recorder/recording.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

extern "C" void* overture_watch_begins_thread(void* given) {
  auto& entry = *static_cast<thread_entry*>(given);
  adopt(entry);
  return entry.routine(entry.argument);
}

int (*real_main)(int, char**, char**) = nullptr;
extern "C" int overture_watch_main(int count, char** words, char** variables) {
  note_main();
  return real_main(count, words, variables);
}

}  // namespace

constinit next_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>
    next_create("pthread_create", "GLIBC_2.34");
OVERTURE_WATCH_TAKES(int, pthread_create,
                     (pthread_t * made, const pthread_attr_t* how, void* (*routine)(void*),
                      void* argument)) {
  thread_entry* const entry = claim_thread();
  if (!entry) return next_create(made, how, routine, argument);
  entry->start.store(reinterpret_cast<std::uintptr_t>(routine), relaxed);
  entry->routine = routine;
  entry->argument = argument;
  const int failed = next_create(made, how, overture_watch_begins_thread, entry);
  if (failed == 0) entry->handle.store(*made, relaxed);
  return failed;
}

// A thread or a process past the C library. What has no thread memory of its own shares its
// maker's.
constinit next_function<int(int (*)(void*), void*, int, void*, void*, void*, void*)> next_clone(
    "clone");
OVERTURE_WATCH_TAKES(int, clone,
                     (int (*begin)(void*), void* stack, int flags, void* argument, void* parent,
                      void* memory, void* child)) {
  const bool is_thread = (flags & CLONE_VM) != 0 && (flags & CLONE_VFORK) == 0;
  if (is_thread) note_unknown(has_raw_threads);
  if (is_thread && (flags & CLONE_SETTLS) == 0) give_up_thread();
  return next_clone(begin, stack, flags, argument, parent, memory, child);
}

constinit next_function<int(const char*)> next_chroot("chroot");
OVERTURE_WATCH_TAKES(int, chroot, (const char* path)) {
  const int failed = next_chroot(path);
  if (failed == 0) note_unknown(has_other_root);
  return failed;
}

constinit next_function<int(pthread_t, void**)> next_join("pthread_join");
OVERTURE_WATCH_TAKES(int, pthread_join, (pthread_t thread, void** answer)) {
  wait_note note(event_kind::wait_join, reinterpret_cast<const void*>(thread),
                 OVERTURE_WATCH_CALLER);
  const int failed = next_join(thread, answer);
  note.end();
  return failed;
}

constinit next_function<int(pthread_t, const char*)> next_setname("pthread_setname_np");
OVERTURE_WATCH_TAKES(int, pthread_setname_np, (pthread_t thread, const char* name)) {
  const int failed = next_setname(thread, name);
  const thread_log* const log = recorded_thread();
  if (failed == 0 && log && thread == pthread_self()) set_name(*log->entry, name);
  return failed;
}
constinit next_function<int(int, unsigned long, unsigned long, unsigned long, unsigned long)>
    next_prctl("prctl");
OVERTURE_WATCH_TAKES(int, prctl,
                     (int option, unsigned long a, unsigned long b, unsigned long c,
                      unsigned long d)) {
  const int outcome = next_prctl(option, a, b, c, d);
  const thread_log* const log = option == PR_SET_NAME ? recorded_thread() : nullptr;
  if (outcome == 0 && log) set_name(*log->entry, reinterpret_cast<const char*>(a));
  return outcome;
}

// --- The process ---------------------------------------------------------------------------------

constinit next_function<int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(),
                            void (*)(), void*)>
    next_libc_start_main("__libc_start_main");
OVERTURE_WATCH_TAKES(int, __libc_start_main,
                     (int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack)) {
  real_main = main;
  return next_libc_start_main(overture_watch_main, count, words, init, fini, loader_fini, stack);
}

#define ENDS(NAME)                                       \
  constinit next_function<void(int)> next_##NAME(#NAME); \
  OVERTURE_WATCH_TAKES(void, NAME, (int status)) {       \
    note_end();                                          \
    next_##NAME(status);                                 \
    __builtin_unreachable();                             \
  }
ENDS(_exit)
ENDS(_Exit)

namespace {

__attribute__((noinline)) void note_code(const char* path, int flags,
                                         std::uintptr_t caller) noexcept {
  const kept_errno keep;
  code_has_changed();
  if (!path) return;
  record({.kind = event_kind::load_code,
          .begin_ns = clock_ns(),
          .id = name_number(path, __builtin_strlen(path)),
          .caller = caller,
          .value = static_cast<std::uint64_t>(flags)});
}

}  // namespace

// Ends with a jump, so that the loader sees who calls: it takes libraries from that file's folders.
constinit next_function<void*(const char*, int)> next_dlopen("dlopen");
OVERTURE_WATCH_TAKES(void*, dlopen, (const char* path, int flags)) {
  note_code(path, flags, OVERTURE_WATCH_CALLER);
  return next_dlopen.get()(path, flags);
}

}  // namespace overture::watch
