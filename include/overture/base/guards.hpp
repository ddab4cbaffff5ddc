// SPDX-License-Identifier: Zlib
//
// Guards: proof that a piece of code allocates nothing and takes no lock, in debug builds too.
//
//   {
//     overture::no_alloc_scope no_alloc;
//     overture::no_lock_scope no_lock;
//     save_the_game(buffer);
//   }   // reports to standard error how many calls there were, and the stack of the first
//
// Link overture::guards, or preload it into a program that is not linked with it:
//
//   LD_PRELOAD=/usr/lib/liboverture_guards.so ./game
//
// The library interposes malloc, free and their relatives and the pthread locks. It counts the
// calls of threads that are inside a scope, and the time they spend in locks. free(null) counts
// too: it is a no-op here, but takes the heap's lock on other systems. Scopes may stay in shipped
// code: without the library they do nothing, and guards_active() is false.
//
//   OVERTURE_GUARDS=report LD_PRELOAD=... ./game
//
// needs no scopes: on exit it prints the counts of the whole program and the time all threads spent
// in locks, to the standard error the program started with. Programs that end by _exit() or a
// signal print nothing.
//
// A test can pass a handler of its own:
//
//   overture::no_alloc_scope guard([](const overture::guard_report& seen) noexcept {
//     FAIL() << seen.first;
//   });
//
// Cost: two tests of thread-local words for each interposed call. Inside a scope, also a stack
// trace for the first call and two clock reads for each lock.
//
// Limits: Linux with glibc, or another ELF system whose C library can be interposed. Locks that
// libc takes internally (in stdio, in its heap) are not seen; its allocations are. Sanitizers
// interpose the same functions, so with them nothing is counted. A scope belongs to the thread that
// made it; scopes may nest.
#pragma once

#include <cstdint>

extern "C" {
// The library's exports. Kind 0 is the heap, kind 1 locks.
struct overture_guard_counts {
  std::uint64_t calls;          // of this kind
  std::uint64_t frees_of_null;  // of these calls
  std::uint64_t lock_ns;        // time spent in locks
  std::uint64_t now_ns;         // when the counts were read
};
#if defined(__ELF__)
// Weak: null if the library is not loaded.
__attribute__((weak)) int overture_guards_active(void);
__attribute__((weak)) void overture_guard_begin(int kind, struct overture_guard_counts* counts);
__attribute__((weak)) void overture_guard_read(int kind, struct overture_guard_counts* counts);
// Returns the first call of the outermost scope and its stack.
__attribute__((weak)) const char* overture_guard_end(int kind,
                                                     struct overture_guard_counts* counts);
__attribute__((weak)) void overture_guard_print(int kind, const struct overture_guard_counts* since,
                                                const char* first);
#endif
}

namespace overture {

enum class guard_kind : int { allocations = 0, locks = 1 };

// What a thread has done since a scope began.
struct guard_report {
  guard_kind kind = guard_kind::allocations;
  std::uint64_t calls = 0;          // allocator calls including free(), or lock calls
  std::uint64_t frees_of_null = 0;  // of these calls
  std::uint64_t lock_ns = 0;        // time spent in locks
  std::uint64_t scope_ns = 0;       // time since the scope began
  // The first call and its stack; of nested scopes, the outermost one's. Valid until this thread's
  // next scope.
  const char* first = "";

  // The fraction of the scope's time spent in locks, 0 to 1.
  [[nodiscard]] double lock_share() const noexcept {
    return scope_ns > 0 ? static_cast<double>(lock_ns) / static_cast<double>(scope_ns) : 0;
  }
};

// Receives the report of a scope in which anything was counted, on the scope's thread. The
// handler's own calls are counted only by an enclosing scope.
using guard_handler = void (*)(const guard_report&) noexcept;

namespace detail {

struct guard_functions {
  int (*active)();
  void (*begin)(int kind, overture_guard_counts* counts);
  void (*read)(int kind, overture_guard_counts* counts);
  const char* (*end)(int kind, overture_guard_counts* counts);
  void (*print)(int kind, const overture_guard_counts* since, const char* first);
};
#if defined(__ELF__)
inline const guard_functions guards = {&overture_guards_active, &overture_guard_begin,
                                       &overture_guard_read, &overture_guard_end,
                                       &overture_guard_print};
#else
inline const guard_functions guards = {};
#endif

template <class Function>
inline bool is_there(Function* function) noexcept {
  return function != nullptr;
}

}  // namespace detail

// True if calls are counted: the library is loaded, and no sanitizer interposes. Any thread.
[[nodiscard]] inline bool guards_active() noexcept {
  return detail::is_there(detail::guards.active) && detail::guards.active() != 0;
}

// Use no_alloc_scope and no_lock_scope below.
template <guard_kind Kind>
class guard_scope {
 public:
  // Without a handler, reports go to standard error.
  explicit guard_scope(guard_handler handler = nullptr) noexcept : handler_(handler) {
    if (detail::is_there(detail::guards.begin)) detail::guards.begin(kind, &begin_);
  }
  ~guard_scope() {
    if (!detail::is_there(detail::guards.end)) return;
    overture_guard_counts now = begin_;
    const char* const first = detail::guards.end(kind, &now);
    guard_report seen = since_begin(now);
    if (seen.calls == 0) return;
    seen.first = first;
    if (handler_) {
      handler_(seen);
      return;
    }
    const overture_guard_counts since{seen.calls, seen.frees_of_null, seen.lock_ns, seen.scope_ns};
    detail::guards.print(kind, &since, first);
  }
  guard_scope(const guard_scope&) = delete;
  guard_scope& operator=(const guard_scope&) = delete;

  // The report so far, without the stack. Call on the scope's thread.
  [[nodiscard]] guard_report report() const noexcept {
    overture_guard_counts now = begin_;
    if (detail::is_there(detail::guards.read)) detail::guards.read(kind, &now);
    return since_begin(now);
  }

 private:
  static constexpr int kind = static_cast<int>(Kind);

  [[nodiscard]] guard_report since_begin(const overture_guard_counts& now) const noexcept {
    return {.kind = Kind,
            .calls = now.calls - begin_.calls,
            .frees_of_null = now.frees_of_null - begin_.frees_of_null,
            .lock_ns = now.lock_ns - begin_.lock_ns,
            .scope_ns = now.now_ns - begin_.now_ns};
  }

  guard_handler handler_;
  overture_guard_counts begin_{};
};

using no_alloc_scope = guard_scope<guard_kind::allocations>;
using no_lock_scope = guard_scope<guard_kind::locks>;

}  // namespace overture
