// Proof, not opinion, that a path allocates nothing and takes no lock.
//
//   { no_alloc_scope no_alloc; no_lock_scope no_lock; pool.submit(...); }
//
// A test executable that links overture_guards has its calls to the C allocator and to the locks
// of pthread counted, thread by thread. A scope fails the test if the thread that made it has
// called one of them before the scope ended, and names the first call. Sanitizers put themselves
// in the same place; under them nothing is counted and guards_active() is false.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

extern "C" {
enum overture_guard_kind { overture_guard_allocations = 0, overture_guard_locks = 1 };

int overture_guards_active(void);
// Begins to watch this thread. Scopes of one kind may nest.
void overture_guard_begin(enum overture_guard_kind kind);
// Ends that: the number of calls since, and a description of the first one ("" if there was none),
// which lives until the next begin on this thread.
std::uint64_t overture_guard_end(enum overture_guard_kind kind, const char** first_call);
}

namespace overture::test {

// True if calls are counted in this build. Checks it with a real allocation.
[[nodiscard]] inline bool guards_active() {
  return overture_guards_active() != 0;
}

template <overture_guard_kind Kind>
class guard_scope {
 public:
  guard_scope() { overture_guard_begin(Kind); }
  ~guard_scope() {
    const char* first_call = "";
    const std::uint64_t calls = overture_guard_end(Kind, &first_call);
    if (calls == 0) return;
    ADD_FAILURE() << calls << (Kind == overture_guard_locks ? " locks" : " allocator calls")
                  << " where there must be none, first " << first_call;
  }
  guard_scope(const guard_scope&) = delete;
  guard_scope& operator=(const guard_scope&) = delete;
};

using no_alloc_scope = guard_scope<overture_guard_allocations>;
using no_lock_scope = guard_scope<overture_guard_locks>;

}  // namespace overture::test
