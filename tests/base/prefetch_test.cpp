// SPDX-License-Identifier: Zlib
#include "overture/base/prefetch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace overture::prefetch_test {
namespace {

// A null pointer from an empty slot, or the end of a table.
TEST(prefetches, may_be_of_any_address) {
  const char text[] = "literal";
  for (const void* const place :
       {static_cast<const void*>(nullptr), static_cast<const void*>(text + 3),
        reinterpret_cast<const void*>(UINTPTR_MAX),
        reinterpret_cast<const void*>(&prefetch_to_read)}) {
    prefetch_to_read(place);
    prefetch_to_write(place);
  }
  EXPECT_STREQ(text, "literal");
}

}  // namespace
}  // namespace overture::prefetch_test
