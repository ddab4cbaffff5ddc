// SPDX-License-Identifier: Zlib
#include "overture/base/function_ref.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

namespace overture::function_ref_test {
namespace {

int twice(int value) {
  return 2 * value;
}

int thrice(int value) noexcept {
  return 3 * value;
}

int call(function_ref<int(int)> called) {
  return called(7);
}

int call_noexcept(function_ref<int(int) noexcept> called) noexcept {
  return called(7);
}

TEST(function_ref, calls_the_callable_itself_and_no_copy) {
  int calls = 0;
  auto count = [&calls, copies = std::make_unique<int>(0)](int value) mutable {
    calls += value;
    return ++*copies;
  };
  EXPECT_EQ(call(count), 1);
  EXPECT_EQ(call(count), 2);
  EXPECT_EQ(calls, 14);
}

TEST(function_ref, calls_a_constant_and_a_temporary) {
  const auto negate = [](int value) { return -value; };
  EXPECT_EQ(call(negate), -7);
  EXPECT_EQ(call([](int value) { return value + 1; }), 8);
}

TEST(function_ref, calls_a_function_by_name_and_by_pointer) {
  int (*const pointer)(int) = twice;
  EXPECT_EQ(call(twice), 14);
  EXPECT_EQ(call(&twice), 14);
  EXPECT_EQ(call(pointer), 14);
  EXPECT_EQ(call_noexcept(thrice), 21);
}

TEST(function_ref, keeps_a_function_beyond_the_call) {
  const function_ref<int(int)> kept = twice;
  EXPECT_EQ(kept(4), 8);
}

TEST(function_ref, takes_only_what_fits_its_signature) {
  static_assert(!std::is_constructible_v<function_ref<int(int)>, int (*)(const char*)>);
  static_assert(!std::is_constructible_v<function_ref<int(int) noexcept>, int (&)(int)>);
  static_assert(std::is_constructible_v<function_ref<int(int) noexcept>, int (&)(int) noexcept>);
}

}  // namespace
}  // namespace overture::function_ref_test
