// SPDX-License-Identifier: Zlib
//
// The library of overture/base/guards.hpp: interposes libc. It can be linked or preloaded, and uses
// nothing of Overture but that header.
#include "overture/base/guards.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "early_standard_error.hpp"

namespace {

constexpr int frames_max = 16;
constexpr int allocations = 0;
constexpr int locks = 1;

// One thread's counts of one kind. They increase only inside scopes.
struct watch {
  unsigned depth = 0;
  overture_guard_counts counts = {};
  const char* function = nullptr;  // the first call of the outermost scope
  int frame_count = 0;
  void* frames[frames_max] = {};
  char text[4096] = {};
};

// Counts of all threads for the whole run: OVERTURE_GUARDS=report.
struct program_totals {
  std::atomic<bool> wanted{false};
  std::atomic<std::uint64_t> calls[2] = {};
  std::atomic<std::uint64_t> frees_of_null{0};
  std::atomic<std::uint64_t> lock_ns{0};
  std::uint64_t begin_ns = 0;
};

// Initial-exec, because other models may allocate at first use, inside malloc.
__attribute__((tls_model("initial-exec"))) thread_local watch watches[2];
__attribute__((tls_model("initial-exec"))) thread_local bool inside = false;
[[maybe_unused]] constinit program_totals program;

std::uint64_t now_ns() noexcept {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

[[maybe_unused]] bool is_watched(int kind) noexcept {
  return !inside && (watches[kind].depth != 0 || program.wanted.load(std::memory_order_relaxed));
}

[[maybe_unused]] void note(int kind, const char* function, bool of_null = false) noexcept {
  if (!is_watched(kind)) return;
  if (program.wanted.load(std::memory_order_relaxed)) {
    program.calls[kind].fetch_add(1, std::memory_order_relaxed);
    if (of_null) program.frees_of_null.fetch_add(1, std::memory_order_relaxed);
  }
  watch& seen = watches[kind];
  if (seen.depth == 0) return;
  ++seen.counts.calls;
  if (of_null) ++seen.counts.frees_of_null;
  if (seen.function != nullptr) return;
  inside = true;
  seen.function = function;
  seen.frame_count = backtrace(seen.frames, frames_max);
  inside = false;
}

// Calls a locking function and adds the time it took.
template <class Call>
[[maybe_unused]] int lock_by(const char* function, Call call) noexcept {
  if (!is_watched(locks)) return call();
  note(locks, function);
  const std::uint64_t begin_ns = now_ns();
  const int outcome = call();
  const std::uint64_t spent_ns = now_ns() - begin_ns;
  if (watches[locks].depth != 0) watches[locks].counts.lock_ns += spent_ns;
  if (program.wanted.load(std::memory_order_relaxed)) {
    program.lock_ns.fetch_add(spent_ns, std::memory_order_relaxed);
  }
  return outcome;
}

const char* describe(watch& seen) noexcept {
  if (seen.function == nullptr) return "";
  const bool was_inside = inside;
  inside = true;
  int length = std::snprintf(seen.text, sizeof seen.text, "%s, called by", seen.function);
  char** const names = backtrace_symbols(seen.frames, seen.frame_count);
  for (int i = 0; names != nullptr && i < seen.frame_count; ++i) {
    // Skip this library's own frames.
    if (std::strstr(names[i], "liboverture_guards") != nullptr) continue;
    const auto used = static_cast<std::size_t>(length);
    if (used >= sizeof seen.text) break;
    length += std::snprintf(seen.text + used, sizeof seen.text - used, "\n  %s", names[i]);
  }
  std::free(static_cast<void*>(names));
  inside = was_inside;
  return seen.text;
}

void read_counts(int kind, overture_guard_counts& counts) noexcept {
  counts = watches[kind].counts;
  counts.now_ns = now_ns();
}

}  // namespace

int overture_guards_active(void) {
  overture_guard_counts before{};
  overture_guard_counts after{};
  overture_guard_begin(allocations, &before);
  const char* const first = watches[allocations].function;
  // A volatile pointer, or the compiler removes both calls.
  void* volatile probe = std::malloc(1);
  std::free(probe);
  overture_guard_read(allocations, &after);
  watch& seen = watches[allocations];
  // Outer scopes must not count the probe.
  seen.counts.calls = before.calls;
  seen.function = first;
  --seen.depth;
  return after.calls != before.calls ? 1 : 0;
}

void overture_guard_begin(int kind, overture_guard_counts* counts) {
  watch& seen = watches[kind];
  if (seen.depth++ == 0) seen.function = nullptr;
  read_counts(kind, *counts);
}

void overture_guard_read(int kind, overture_guard_counts* counts) {
  read_counts(kind, *counts);
}

const char* overture_guard_end(int kind, overture_guard_counts* counts) {
  read_counts(kind, *counts);
  watch& seen = watches[kind];
  --seen.depth;
  return describe(seen);
}

void overture_guard_print(int kind, const overture_guard_counts* since, const char* first) {
  const bool was_inside = inside;
  inside = true;
  if (kind == locks) {
    const double share = since->now_ns > 0 ? 100.0 * static_cast<double>(since->lock_ns) /
                                                 static_cast<double>(since->now_ns)
                                           : 0;
    (void)std::fprintf(stderr,
                       "overture guards: %llu locks, %.1f %% of the time in them; first %s\n",
                       static_cast<unsigned long long>(since->calls), share, first);
  } else {
    (void)std::fprintf(
        stderr, "overture guards: %llu calls of the allocator (%llu frees of null); first %s\n",
        static_cast<unsigned long long>(since->calls),
        static_cast<unsigned long long>(since->frees_of_null), first);
  }
  inside = was_inside;
}

#ifdef OVERTURE_GUARDS_COUNT
namespace {

// Serves what dlsym allocates before malloc is resolved; never freed.
alignas(std::max_align_t) std::byte early_memory[8192];
std::atomic<std::size_t> early_used{0};
__attribute__((tls_model("initial-exec"))) thread_local bool resolving = false;

void* take_early(std::size_t bytes) noexcept {
  const std::size_t rounded =
      (bytes + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
  const std::size_t offset = early_used.fetch_add(rounded);
  return offset + rounded <= sizeof early_memory ? early_memory + offset : nullptr;
}

bool is_early(const void* memory) noexcept {
  const auto* const byte = static_cast<const std::byte*>(memory);
  return byte >= early_memory && byte < early_memory + sizeof early_memory;
}

template <class Function>
class next_function {
 public:
  // Some functions also have an older version, which plain dlsym may prefer.
  constexpr explicit next_function(const char* name, const char* version = nullptr) noexcept
      : name_(name), version_(version) {}
  Function* get() noexcept {
    Function* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr && !resolving) {
      resolving = true;
      void* symbol = version_ != nullptr ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
      if (symbol == nullptr) symbol = dlsym(RTLD_NEXT, name_);
      resolving = false;
      found = reinterpret_cast<Function*>(symbol);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<Function*> found_{nullptr};
};

constinit next_function<void*(std::size_t)> next_malloc("malloc");
constinit next_function<void(void*)> next_free("free");
constinit next_function<void*(std::size_t, std::size_t)> next_calloc("calloc");
constinit next_function<void*(void*, std::size_t)> next_realloc("realloc");
constinit next_function<void*(std::size_t, std::size_t)> next_aligned_alloc("aligned_alloc");
constinit next_function<int(void**, std::size_t, std::size_t)> next_posix_memalign(
    "posix_memalign");
constinit next_function<void*(std::size_t, std::size_t)> next_memalign("memalign");
constinit next_function<void*(void*, std::size_t, std::size_t)> next_reallocarray("reallocarray");

constinit next_function<void*(std::size_t)> next_valloc("valloc");
constinit next_function<void*(std::size_t)> next_pvalloc("pvalloc");

// A function that locks or waits on a condition.
template <class... Parameters>
class lock_function {
 public:
  constexpr explicit lock_function(const char* name, const char* version = nullptr) noexcept
      : name_(name), next_(name, version) {}
  int operator()(Parameters... arguments) noexcept {
    return lock_by(name_, [&] { return next_.get()(arguments...); });
  }

 private:
  const char* name_;
  next_function<int(Parameters...)> next_;
};

using mutex_function = lock_function<pthread_mutex_t*>;
using timed_mutex_function = lock_function<pthread_mutex_t*, const timespec*>;
using clock_mutex_function = lock_function<pthread_mutex_t*, clockid_t, const timespec*>;
using rwlock_function = lock_function<pthread_rwlock_t*>;
using timed_rwlock_function = lock_function<pthread_rwlock_t*, const timespec*>;
using clock_rwlock_function = lock_function<pthread_rwlock_t*, clockid_t, const timespec*>;

constinit mutex_function mutex_lock("pthread_mutex_lock");
constinit mutex_function mutex_trylock("pthread_mutex_trylock");
constinit timed_mutex_function mutex_timedlock("pthread_mutex_timedlock");
constinit clock_mutex_function mutex_clocklock("pthread_mutex_clocklock");
constinit lock_function<pthread_spinlock_t*> spin_lock("pthread_spin_lock");
constinit lock_function<pthread_spinlock_t*> spin_trylock("pthread_spin_trylock");
constinit lock_function<mtx_t*> c11_lock("mtx_lock");
constinit lock_function<mtx_t*> c11_trylock("mtx_trylock");
constinit lock_function<mtx_t*, const timespec*> c11_timedlock("mtx_timedlock");
constinit lock_function<sem_t*> semaphore_wait("sem_wait");
constinit lock_function<sem_t*> semaphore_trywait("sem_trywait");
constinit lock_function<sem_t*, const timespec*> semaphore_timedwait("sem_timedwait");
constinit lock_function<sem_t*, clockid_t, const timespec*> semaphore_clockwait("sem_clockwait");
constinit rwlock_function rdlock("pthread_rwlock_rdlock");
constinit rwlock_function tryrdlock("pthread_rwlock_tryrdlock");
constinit timed_rwlock_function timedrdlock("pthread_rwlock_timedrdlock");
constinit clock_rwlock_function clockrdlock("pthread_rwlock_clockrdlock");
constinit rwlock_function wrlock("pthread_rwlock_wrlock");
constinit rwlock_function trywrlock("pthread_rwlock_trywrlock");
constinit timed_rwlock_function timedwrlock("pthread_rwlock_timedwrlock");
constinit clock_rwlock_function clockwrlock("pthread_rwlock_clockwrlock");
constinit lock_function<pthread_cond_t*, pthread_mutex_t*> cond_wait("pthread_cond_wait",
                                                                     "GLIBC_2.3.2");
constinit lock_function<pthread_cond_t*, pthread_mutex_t*, const timespec*> cond_timedwait(
    "pthread_cond_timedwait", "GLIBC_2.3.2");
constinit lock_function<pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*>
    cond_clockwait("pthread_cond_clockwait");

// backtrace loads a library on its first call.
[[maybe_unused]] const int primed = [] {
  void* frames[2];
  return backtrace(frames, 2);
}();

// OVERTURE_GUARDS=report: prints the counts of the whole program at exit.
class program_report {
 public:
  program_report() {
    const char* const asked = std::getenv("OVERTURE_GUARDS");
    if (asked == nullptr || std::strcmp(asked, "report") != 0) return;
    standard_error_.keep();
    program.begin_ns = now_ns();
    program.wanted.store(true, std::memory_order_relaxed);
  }
  ~program_report() {
    if (!program.wanted.exchange(false, std::memory_order_relaxed)) return;
    const auto milliseconds = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e6; };
    const auto calls = [](int kind) {
      return static_cast<unsigned long long>(program.calls[kind].load(std::memory_order_relaxed));
    };
    char text[256];
    const int bytes = std::snprintf(
        text, sizeof text,
        "overture guards: %llu calls of the allocator (%llu frees of null), %llu locks; "
        "%.1f ms in locks, of all threads together, in %.1f ms\n",
        calls(allocations),
        static_cast<unsigned long long>(program.frees_of_null.load(std::memory_order_relaxed)),
        calls(locks), milliseconds(program.lock_ns.load(std::memory_order_relaxed)),
        milliseconds(now_ns() - program.begin_ns));
    standard_error_.write(text, static_cast<std::size_t>(bytes));
  }

 private:
  overture::early_standard_error standard_error_;
};
program_report whole_program;

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  note(allocations, "malloc");
  auto* const next = next_malloc.get();
  return next != nullptr ? next(bytes) : take_early(bytes);
}

void free(void* memory) noexcept {
  if (is_early(memory)) return;
  note(allocations, "free", memory == nullptr);
  if (memory == nullptr) return;
  next_free.get()(memory);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note(allocations, "calloc");
  auto* const next = next_calloc.get();
  return next != nullptr ? next(count, bytes) : take_early(count * bytes);
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  note(allocations, "realloc");
  return next_realloc.get()(memory, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations, "aligned_alloc");
  return next_aligned_alloc.get()(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations, "posix_memalign");
  return next_posix_memalign.get()(memory, alignment, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  note(allocations, "memalign");
  return next_memalign.get()(alignment, bytes);
}

void* reallocarray(void* memory, std::size_t count, std::size_t bytes) noexcept {
  note(allocations, "reallocarray");
  return next_reallocarray.get()(memory, count, bytes);
}

void* valloc(std::size_t bytes) noexcept {
  note(allocations, "valloc");
  return next_valloc.get()(bytes);
}

void* pvalloc(std::size_t bytes) noexcept {
  note(allocations, "pvalloc");
  return next_pvalloc.get()(bytes);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return mutex_lock(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return mutex_trylock(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  return mutex_timedlock(mutex, deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
  return mutex_clocklock(mutex, clock, deadline);
}

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return spin_lock(lock);
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return spin_trylock(lock);
}

int mtx_lock(mtx_t* mutex) {
  return c11_lock(mutex);
}

int mtx_trylock(mtx_t* mutex) {
  return c11_trylock(mutex);
}

int mtx_timedlock(mtx_t* mutex, const timespec* deadline) {
  return c11_timedlock(mutex, deadline);
}

int sem_wait(sem_t* semaphore) {
  return semaphore_wait(semaphore);
}

int sem_trywait(sem_t* semaphore) noexcept {
  return semaphore_trywait(semaphore);
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  return semaphore_timedwait(semaphore, deadline);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  return semaphore_clockwait(semaphore, clock, deadline);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return rdlock(lock);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return tryrdlock(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return timedrdlock(lock, deadline);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  return clockrdlock(lock, clock, deadline);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return wrlock(lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return trywrlock(lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return timedwrlock(lock, deadline);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  return clockwrlock(lock, clock, deadline);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return cond_wait(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  return cond_timedwait(condition, mutex, deadline);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  return cond_clockwait(condition, mutex, clock, deadline);
}

}  // extern "C"
#endif
