// The counting side of guards.hpp: a shared library that stands in front of libc. It can be linked
// or preloaded, and includes nothing of the tests.
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" {
enum overture_guard_kind { overture_guard_allocations = 0, overture_guard_locks = 1 };
int overture_guards_active(void);
void overture_guard_begin(enum overture_guard_kind kind);
std::uint64_t overture_guard_end(enum overture_guard_kind kind, const char** first_call);
}

namespace {

constexpr int frames_max = 16;

struct watch {
  unsigned depth = 0;
  std::uint64_t calls = 0;
  const char* function = nullptr;
  int frame_count = 0;
  void* frames[frames_max] = {};
  char text[4096] = {};
};

// Initial-exec: any other model may allocate on first use, in the middle of malloc.
__attribute__((tls_model("initial-exec"))) thread_local watch watches[2];
__attribute__((tls_model("initial-exec"))) thread_local bool inside = false;

[[maybe_unused]] void note(overture_guard_kind kind, const char* function) noexcept {
  watch& seen = watches[kind];
  if (seen.depth == 0 || inside) return;
  ++seen.calls;
  if (seen.function != nullptr) return;
  inside = true;
  seen.function = function;
  seen.frame_count = backtrace(seen.frames, frames_max);
  inside = false;
}

const char* describe(watch& seen) noexcept {
  if (seen.function == nullptr) return "";
  inside = true;
  int length = std::snprintf(seen.text, sizeof seen.text, "%s, called by", seen.function);
  char** const names = backtrace_symbols(seen.frames, seen.frame_count);
  // The first two frames are this library's own.
  for (int i = 2; names != nullptr && i < seen.frame_count; ++i) {
    const auto used = static_cast<std::size_t>(length);
    if (used >= sizeof seen.text) break;
    length += std::snprintf(seen.text + used, sizeof seen.text - used, "\n  %s", names[i]);
  }
  std::free(names);
  inside = false;
  return seen.text;
}

}  // namespace

int overture_guards_active(void) {
  overture_guard_begin(overture_guard_allocations);
  // Through a volatile pointer, or the compiler leaves both calls out.
  void* volatile probe = std::malloc(1);
  std::free(probe);
  const char* first_call = nullptr;
  return overture_guard_end(overture_guard_allocations, &first_call) != 0 ? 1 : 0;
}

void overture_guard_begin(overture_guard_kind kind) {
  watch& seen = watches[kind];
  if (seen.depth++ != 0) return;
  seen.calls = 0;
  seen.function = nullptr;
}

std::uint64_t overture_guard_end(overture_guard_kind kind, const char** first_call) {
  watch& seen = watches[kind];
  --seen.depth;
  *first_call = describe(seen);
  return seen.calls;
}

#ifdef OVERTURE_GUARDS_COUNT
namespace {

// What dlsym itself allocates before malloc is known; never given back.
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
  // Some functions have an older version as well, which plain dlsym may prefer.
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
constinit next_function<int(void**, std::size_t, std::size_t)> next_memalign("posix_memalign");

constinit next_function<int(pthread_mutex_t*)> next_lock("pthread_mutex_lock");
constinit next_function<int(pthread_mutex_t*)> next_trylock("pthread_mutex_trylock");
constinit next_function<int(pthread_rwlock_t*)> next_rdlock("pthread_rwlock_rdlock");
constinit next_function<int(pthread_rwlock_t*)> next_wrlock("pthread_rwlock_wrlock");
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*)> next_wait("pthread_cond_wait",
                                                                          "GLIBC_2.3.2");
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> next_timedwait(
    "pthread_cond_timedwait", "GLIBC_2.3.2");
constinit next_function<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
    next_clockwait("pthread_cond_clockwait");

// backtrace loads a library on its first call.
[[maybe_unused]] const int primed = [] {
  void* frames[2];
  return backtrace(frames, 2);
}();

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  note(overture_guard_allocations, "malloc");
  auto* const next = next_malloc.get();
  return next != nullptr ? next(bytes) : take_early(bytes);
}

void free(void* memory) noexcept {
  if (memory == nullptr || is_early(memory)) return;
  note(overture_guard_allocations, "free");
  next_free.get()(memory);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note(overture_guard_allocations, "calloc");
  auto* const next = next_calloc.get();
  return next != nullptr ? next(count, bytes) : take_early(count * bytes);
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  note(overture_guard_allocations, "realloc");
  return next_realloc.get()(memory, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(overture_guard_allocations, "aligned_alloc");
  return next_aligned_alloc.get()(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  note(overture_guard_allocations, "posix_memalign");
  return next_memalign.get()(memory, alignment, bytes);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  note(overture_guard_locks, "pthread_mutex_lock");
  return next_lock.get()(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  note(overture_guard_locks, "pthread_mutex_trylock");
  return next_trylock.get()(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  note(overture_guard_locks, "pthread_rwlock_rdlock");
  return next_rdlock.get()(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  note(overture_guard_locks, "pthread_rwlock_wrlock");
  return next_wrlock.get()(lock);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  note(overture_guard_locks, "pthread_cond_wait");
  return next_wait.get()(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  note(overture_guard_locks, "pthread_cond_timedwait");
  return next_timedwait.get()(condition, mutex, deadline);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  note(overture_guard_locks, "pthread_cond_clockwait");
  return next_clockwait.get()(condition, mutex, clock, deadline);
}

}  // extern "C"
#endif
