// SPDX-License-Identifier: Zlib
//
// The guards of overture/base/guards.hpp for tests: a call inside a scope fails the test.
//
//   { no_alloc_scope no_alloc; no_lock_scope no_lock; pool.submit(...); }
//
// For test executables that link overture_guards. Under sanitizers nothing is counted and
// guards_active() is false.
#pragma once

#include <gtest/gtest.h>

#include "overture/base/guards.hpp"

namespace overture::test {

using overture::guards_active;

inline void fail_for(const guard_report& seen) noexcept {
  ADD_FAILURE() << seen.calls << (seen.kind == guard_kind::locks ? " locks" : " allocator calls")
                << " where none are allowed, first " << seen.first;
}

class no_alloc_scope : public overture::no_alloc_scope {
 public:
  no_alloc_scope() : overture::no_alloc_scope(fail_for) {}
};
class no_lock_scope : public overture::no_lock_scope {
 public:
  no_lock_scope() : overture::no_lock_scope(fail_for) {}
};

}  // namespace overture::test
