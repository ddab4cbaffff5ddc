// SPDX-License-Identifier: Zlib
//
// Tests that are written in C: C_TEST(suite, name) runs the C_CASE of that name.
#pragma once

#include <gtest/gtest.h>

#include "c_test.h"

namespace overture {

// Makes the files of c_test.h in a folder of its own, and removes them.
class c_test_files {
 public:
  c_test_files();
  ~c_test_files();
  c_test_files(const c_test_files&) = delete;
  c_test_files& operator=(const c_test_files&) = delete;
};

}  // namespace overture

#define C_TEST(suite, name)             \
  extern "C" void suite##_##name(void); \
  GTEST_TEST(suite, name) {             \
    const overture::c_test_files files; \
    suite##_##name();                   \
  }
