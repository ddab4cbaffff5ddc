// Guards: proof that a piece of code allocates nothing and takes no lock, in a debug build too.
//
//   {
//     overture::no_alloc_scope no_alloc;
//     overture::no_lock_scope no_lock;
//     save_the_game(buffer);
//   }   // says on standard error how many calls there were, and where the first came from
//
// Link overture::guards, or preload it into a program that does not:
//
//   LD_PRELOAD=/usr/lib/liboverture_guards.so ./game
//
// It stands in front of malloc, free and their relatives and of the locks of pthread, and counts
// the calls of a thread that is inside of a scope, and the time that it spends in locks. free() of
// null counts too: it does nothing here and takes the lock of the heap elsewhere. Scopes may stay
// in the code: without the library they do nothing, and guards_active() is false.
//
//   OVERTURE_GUARDS=report LD_PRELOAD=... ./game
//
// needs no scope at all: at the end it prints the counts of the whole program, and the time that
// its threads spent in locks, to what standard error was at the start. A program that ends by
// _exit() or a signal prints nothing.
//
// A report of one's own, for a test that shall fail say:
//
//   overture::no_alloc_scope guard([](const overture::guard_report& seen) { FAIL() << seen.first;
//   });
//
// Cost: two tests of thread-local words for each call that is counted; inside of a scope the first
// call also takes a trace of its stack, and each lock two readings of the clock.
//
// Limits: Linux with glibc, or another system with ELF and an interposable C library. What libc
// locks inside of itself (in stdio, in its heap) is not seen as a lock; that such a call allocates
// is. Sanitizers put themselves in the same place; under them nothing is counted. Scopes belong to
// the thread that made them, and may nest.
#pragma once

#include <cstdint>

extern "C" {
// What the library exports. Kinds: 0 for the heap, 1 for locks.
struct overture_guard_counts {
  std::uint64_t calls;          // of this kind
  std::uint64_t frees_of_null;  // among them
  std::uint64_t lock_ns;        // the time spent in them; locks only
  std::uint64_t now_ns;         // when this was taken
};
#if defined(__ELF__)
// Weak: null where nobody brings them.
__attribute__((weak)) int overture_guards_active(void);
__attribute__((weak)) void overture_guard_begin(int kind, struct overture_guard_counts* counts);
__attribute__((weak)) void overture_guard_read(int kind, struct overture_guard_counts* counts);
// Returns the first call of the outermost scope, and its stack.
__attribute__((weak)) const char* overture_guard_end(int kind,
                                                     struct overture_guard_counts* counts);
__attribute__((weak)) void overture_guard_print(int kind, const struct overture_guard_counts* since,
                                                const char* first);
#endif
}

namespace overture {

enum class guard_kind : int { allocations = 0, locks = 1 };

// What a thread did since a scope began.
struct guard_report {
  guard_kind kind = guard_kind::allocations;
  std::uint64_t calls = 0;          // of the allocator, free() among them; or of locks
  std::uint64_t frees_of_null = 0;  // among them
  std::uint64_t lock_ns = 0;        // spent in locks
  std::uint64_t scope_ns = 0;       // since the scope began
  // The first call and its stack, of the outermost scope where scopes nest. Until the next scope of
  // this thread.
  const char* first = "";

  // The share of the scope's time that was spent in locks, from 0 to 1.
  [[nodiscard]] double lock_share() const noexcept {
    return scope_ns > 0 ? static_cast<double>(lock_ns) / static_cast<double>(scope_ns) : 0;
  }
};

// Gets the report of a scope in which there was a call, on the thread of the scope. What it does
// itself only a scope around that one counts.
using guard_handler = void (*)(const guard_report&);

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

// True if calls are counted: the library is there, and no sanitizer in its place. Any thread.
[[nodiscard]] inline bool guards_active() noexcept {
  return detail::is_there(detail::guards.active) && detail::guards.active() != 0;
}

// Use the two names below.
template <guard_kind Kind>
class guard_scope {
 public:
  // Without a handler the report goes to standard error.
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

  // So far, without the stack. The thread of the scope.
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
