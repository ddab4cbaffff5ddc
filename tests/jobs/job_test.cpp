// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <new>
#include <utility>

#include "overture/jobs/job_system.hpp"
#include "support/failing_allocator.hpp"

namespace overture::job_test {
namespace {

TEST(jobs, run_what_they_were_made_of) {
  int runs = 0;
  job work([&runs] { ++runs; });
  ASSERT_TRUE(work);
  work();
  EXPECT_EQ(runs, 1);
}

TEST(jobs, are_empty_by_default) {
  EXPECT_FALSE(job());
}

TEST(jobs, hold_48_bytes_of_captures) {
  const std::array<std::uint64_t, 5> five{1, 2, 3, 4, 5};
  std::uint64_t sum = 0;
  auto add = [five, &sum] {
    for (const std::uint64_t value : five) sum += value;
  };
  static_assert(sizeof(add) == 48);
  job work(add);
  work();
  EXPECT_EQ(sum, 15u);
}

int plain_runs = 0;
void plain() {
  ++plain_runs;
}

TEST(jobs, are_made_of_functions_too) {
  plain_runs = 0;
  job work(plain);
  work();
  work = job(&plain);
  work();
  const auto large = job::allocated(default_allocator(), plain);
  EXPECT_TRUE(large);
  EXPECT_EQ(plain_runs, 2);
}

// A callable that throws when it is copied: a std::vector without memory, say.
struct uncopyable_today {
  uncopyable_today() = default;
  uncopyable_today(const uncopyable_today&) { throw std::bad_alloc(); }
  uncopyable_today(uncopyable_today&&) noexcept = default;
  void operator()() {}
};

TEST(jobs, let_an_exception_out_that_a_copy_throws) {
  uncopyable_today callable;
  EXPECT_THROW(job work(callable), std::bad_alloc);
  tracking_allocator memory;
  EXPECT_THROW((void)job::allocated(memory, callable), std::bad_alloc);
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);
  job work(std::move(callable));
  EXPECT_TRUE(work);
}

TEST(jobs, move_with_what_they_own) {
  int result = 0;
  auto owned = std::make_unique<int>(7);
  job first([owned = std::move(owned), &result] { result = *owned; });
  job second(std::move(first));
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): a moved-from job is empty
  job third;
  third = std::move(second);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move)
  third();
  EXPECT_EQ(result, 7);
}

TEST(jobs, destroy_what_they_own_exactly_once) {
  auto counted = std::make_shared<int>(0);
  {
    job first([counted] {});
    EXPECT_EQ(counted.use_count(), 2);
    job second(std::move(first));
    EXPECT_EQ(counted.use_count(), 2);
    second = job([] {});
    EXPECT_EQ(counted.use_count(), 1);
    second = job([counted] {});
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(jobs, of_any_size_take_memory_that_they_give_back) {
  tracking_allocator memory;
  const std::array<std::uint64_t, 100> many{1, 2, 3};
  auto owned = std::make_shared<int>(0);
  std::uint64_t sum = 0;
  {
    auto made = job::allocated(memory, [many, owned, &sum] {
      for (const std::uint64_t each : many) sum += each;
    });
    ASSERT_TRUE(made);
    EXPECT_EQ(memory.usage(memory_tag::jobs).allocations, 1u);
    EXPECT_GE(memory.usage(memory_tag::jobs).bytes, sizeof many);
    job moved = std::move(*made);
    moved();
    moved();
    EXPECT_EQ(sum, 12u);
    EXPECT_EQ(owned.use_count(), 2) << "moved as a whole, not copied";
  }
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(jobs, of_any_size_are_an_error_where_memory_is_refused) {
  failing_allocator memory(0);
  auto owned = std::make_shared<int>(0);
  const std::array<std::uint64_t, 100> many{};
  const auto made = job::allocated(memory, [many, owned] { (void)many; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errc::out_of_memory);
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace overture::job_test
