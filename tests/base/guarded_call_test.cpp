// SPDX-License-Identifier: Zlib
#include "base/guarded_call.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace overture::guarded_call_test {
namespace {

using base_detail::guarded_call;
using base_detail::guarded_result;

TEST(a_guarded_call, says_whether_it_threw_and_reports_what) {
  std::string what;
  int reports = 0;
  const auto report = [&](const char* text) noexcept {
    ++reports;
    what = text != nullptr ? text : "(nothing)";
  };
  EXPECT_TRUE(guarded_call([] {}, report));
  EXPECT_EQ(reports, 0);
  EXPECT_FALSE(guarded_call([] { throw std::runtime_error("broken"); }, report));
  EXPECT_EQ(what, "broken");
  EXPECT_FALSE(guarded_call([] { throw 3; }, report));
  EXPECT_EQ(what, "(nothing)");
  EXPECT_EQ(reports, 2);
}

TEST(a_guarded_call, tells_refused_memory_from_what_else_is_thrown) {
  using base_detail::guarded_outcome;
  using base_detail::outcome;
  EXPECT_EQ(guarded_outcome([] {}), outcome::returned);
  EXPECT_EQ(guarded_outcome([] { throw std::runtime_error("broken"); }), outcome::threw);
  EXPECT_EQ(guarded_outcome([] { throw 3; }), outcome::threw);
  EXPECT_EQ(guarded_outcome([] { throw std::bad_alloc(); }), outcome::out_of_memory);
}

TEST(a_guarded_call, destroys_what_the_function_owns_that_throws) {
  const auto owned = std::make_shared<int>(1);
  EXPECT_FALSE(guarded_call([&] {
    const std::shared_ptr<int> second = owned;
    throw 3;
  }));
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(a_guarded_result, is_what_the_function_returns_or_the_error_threw) {
  EXPECT_EQ(guarded_result("threw", []() -> result<int> { return 7; }).value(), 7);
  EXPECT_EQ(
      guarded_result("threw", []() -> result<int> { return fail(errc::io, "disk"); }).error().code,
      errc::io);
  const result<int> thrown = guarded_result("it threw", []() -> result<int> { throw 3; });
  EXPECT_EQ(thrown.error().code, errc::threw);
  EXPECT_STREQ(thrown.error().reason, "it threw");
  const auto refuses = []() -> result<int> { throw std::bad_alloc(); };
  EXPECT_EQ(guarded_result("it threw", refuses).error().code, errc::threw);
  const result<int> refused = guarded_result("it threw", "no memory", refuses);
  EXPECT_EQ(refused.error().code, errc::out_of_memory);
  EXPECT_STREQ(refused.error().reason, "no memory");
}

}  // namespace
}  // namespace overture::guarded_call_test
