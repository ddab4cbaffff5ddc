// SPDX-License-Identifier: Zlib
#include "jobs/sleep/idle_wait.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "overture/base/thread.hpp"

namespace overture::jobs_detail::idle_wait_test {
namespace {

constexpr const char* disk = "disk";
constexpr const char* memory = "memory";

// Until the clock has moved.
void pass_time() {
  const std::uint64_t now = now_ns();
  while (now_ns() == now) yield_thread();
}

// The waits of a thread on which `body` runs, by reason.
template <class Body>
std::map<std::string, std::uint64_t> waits_of(Body body) {
  timeline record;
  EXPECT_TRUE(record.attach_thread("test"));
  body();
  record.detach_thread();
  std::map<std::string, std::uint64_t> ns;
  for (const trace_total& total : record.track(0).totals()) {
    if (total.kind == event_kind::wait) ns[total.name] += total.ns;
  }
  return ns;
}

std::map<std::string, std::size_t> reasons_of(const reason_clock& clock,
                                              const reason_clock::times& times) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] != 0) known[clock.name(i) != nullptr ? clock.name(i) : "none"] = i;
  }
  return known;
}

TEST(reason_clock, knows_how_long_each_reason_held) {
  reason_clock clock;
  EXPECT_EQ(clock.now(), nullptr);
  clock.set(disk);
  pass_time();
  clock.set(memory);
  EXPECT_EQ(clock.now(), memory);
  const std::uint64_t now = now_ns();
  const reason_clock::times before = clock.until(now);
  const reason_clock::times after = clock.until(now + 1000);
  const auto index = reasons_of(clock, after);
  ASSERT_EQ(index.size(), 3u);  // none, before the first
  EXPECT_EQ(after[index.at(disk)], before[index.at(disk)]) << "the time of a past reason grows";
  EXPECT_EQ(after[index.at(memory)], before[index.at(memory)] + 1000);
}

TEST(reason_clock, counts_reasons_it_has_no_room_for_as_the_last) {
  static const char names[2 * reason_clock::reasons_max] = {};
  reason_clock clock;
  for (const char& name : names) clock.set(&name);
  EXPECT_EQ(clock.now(), &names[reason_clock::reasons_max - 2]);
}

TEST(idle_wait, is_for_what_the_thread_waits_for_now_not_for_what_it_fell_asleep_for) {
  reason_clock clock;
  const auto ns = waits_of([&] {
    const idle_wait waits(&clock, wait_reasons::no_job);
    clock.set(disk);
    pass_time();
    clock.set(memory);
    pass_time();
  });
  EXPECT_GT(ns.at(disk), 0u);
  EXPECT_GT(ns.at(memory), 0u);
}

TEST(idle_wait, is_for_its_only_reason_all_the_time) {
  reason_clock clock;
  clock.set(disk);
  const auto ns = waits_of([&] {
    const idle_wait waits(&clock, wait_reasons::no_job);
    pass_time();
  });
  EXPECT_GT(ns.at(disk), 0u);
  EXPECT_EQ(ns.count(wait_reasons::no_job), 0u);
}

TEST(idle_wait, of_a_job_is_not_for_what_the_pool_lacks) {
  const auto ns = waits_of([&] {
    const idle_wait waits(nullptr, wait_reasons::group);
    pass_time();
  });
  EXPECT_EQ(ns.size(), 1u);
  EXPECT_GT(ns.at(wait_reasons::group), 0u);
}

TEST(idle_wait, has_parts_that_are_no_longer_than_the_wait) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("test"));
  const std::uint64_t begin = now_ns();
  current_wait_observer()->wait_begins("one");
  current_wait_observer()->wait_was_for("another", std::uint64_t{1} << 60);
  current_wait_observer()->wait_ends();
  const std::uint64_t end = now_ns();
  record.detach_thread();
  std::uint64_t sum = 0;
  for (const trace_total& total : record.track(0).totals()) sum += total.ns;
  EXPECT_LE(sum, end - begin);
}

}  // namespace
}  // namespace overture::jobs_detail::idle_wait_test
