// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "overture/sync/barricade.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"
#include "trace/exported_json.hpp"

namespace overture::wakes_test {
namespace {

constexpr std::uint64_t door = 0x1000;
constexpr std::uint64_t gate = 0x2000;

trace_event wait_at(std::uint64_t place, std::uint64_t begin, std::uint64_t end) {
  return {begin, end, "wait", place, no_subject, event_kind::wait};
}
trace_event wake_at(std::uint64_t place, std::uint64_t at) {
  return {at, at, "wake", place, no_subject, event_kind::wake};
}

// A thread records these events; times in ns since the start.
void on_thread(timeline& record, const std::vector<trace_event>& events) {
  std::thread([&] {
    ASSERT_TRUE(record.attach_thread("thread"));
    for (trace_event event : events) {
      event.begin_ns += record.start_ns();
      event.end_ns += record.start_ns();
      overture::record(event);
    }
    record.detach_thread();
  }).join();
}

// "0@38 -> 1@42", for each wait.
std::string wakes(const timeline& record) {
  std::string text;
  const result<void> done = for_each_wake(record, [&](const wake_flow& flow) {
    if (!text.empty()) text += ", ";
    text += std::to_string(flow.from_track) + "@" +
            std::to_string(flow.from_ns - record.start_ns()) + (flow.request ? "r" : "") + " -> " +
            std::to_string(flow.to_track) + "@" + std::to_string(flow.to_ns - record.start_ns());
  });
  EXPECT_TRUE(done);
  return text;
}

TEST(wakes, a_wait_ends_with_the_last_wake_at_its_place) {
  timeline record;
  on_thread(record, {wake_at(door, 5), wake_at(door, 20), wake_at(gate, 35), wake_at(door, 38),
                     wake_at(door, 50)});
  on_thread(record, {wait_at(door, 10, 42), wait_at(door, 60, 70), wait_at(gate, 71, 72)});
  EXPECT_EQ(wakes(record), "0@38 -> 1@42");
}

TEST(wakes, one_wake_may_end_many_waits) {
  timeline record;
  on_thread(record, {wait_at(door, 1, 12)});
  on_thread(record, {wake_at(door, 10)});
  on_thread(record, {wait_at(door, 2, 11), wait_at(door, 13, 14)});
  EXPECT_EQ(wakes(record), "1@10 -> 0@12, 1@10 -> 2@11");
}

TEST(wakes, a_lock_goes_from_hand_to_hand) {
  timeline record;
  on_thread(record, {wake_at(door, 10)});
  on_thread(record, {wait_at(door, 1, 12), wake_at(door, 20)});
  on_thread(record, {wait_at(door, 2, 22), wake_at(door, 30)});
  on_thread(record, {wait_at(door, 3, 33)});
  EXPECT_EQ(wakes(record), "0@10 -> 1@12, 1@20 -> 2@22, 2@30 -> 3@33");
}

TEST(wakes, no_thread_wakes_itself) {
  timeline record;
  on_thread(record, {wake_at(door, 5)});
  on_thread(record, {wake_at(door, 10), wait_at(door, 1, 12)});
  EXPECT_EQ(wakes(record), "0@5 -> 1@12");
}

TEST(wakes, a_wait_for_several_reasons_is_one) {
  timeline record;
  on_thread(record, {wake_at(door, 15)});
  on_thread(record, {wait_at(door, 10, 20), wait_at(door, 20, 30), wait_at(door, 31, 40)});
  EXPECT_EQ(wakes(record), "0@15 -> 1@30");
}

TEST(wakes, of_a_thread_that_has_just_finished_a_read_come_from_the_read) {
  timeline record;
  on_thread(record, {{1, 9, "read", 0, 4, event_kind::request},
                     {2, 9, "normal", 0, 0, event_kind::service},
                     wake_at(door, 10),
                     wake_at(gate, 11),
                     {12, 13, "decode", 0, 4, event_kind::zone},
                     wake_at(door, 14)});
  on_thread(record, {wait_at(door, 5, 10), wait_at(gate, 11, 12), wait_at(door, 13, 20)});
  EXPECT_EQ(wakes(record), "0@10r -> 1@10, 0@11r -> 1@12, 0@14 -> 1@20");
}

TEST(wakes, without_memory_or_with_a_visitor_that_throws_they_end_with_an_error) {
  failing_allocator memory(UINT64_MAX);
  timeline record{{.memory = &memory}};
  on_thread(record, {wake_at(door, 15)});
  on_thread(record, {wait_at(door, 10, 20)});
  EXPECT_EQ(
      for_each_wake(record, [](const wake_flow&) { throw std::runtime_error("no"); }).error().code,
      errc::threw);
  memory.refuse_from_now();
  EXPECT_EQ(for_each_wake(record, [](const wake_flow&) {}).error().code, errc::out_of_memory);
  EXPECT_EQ(for_each_wake(timeline(), [](const wake_flow&) {}).has_value(), true);
}

TEST(wakes, who_lowers_a_barricade_wakes_who_waits_there) {
  barricade closed;
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  atomic<bool> sleeps{false};
  class told final : public wait_observer {
   public:
    explicit told(atomic<bool>& into) : sleeps_(into) {}
    void wait_begins(const char*) noexcept override {}
    void wait_ends() noexcept override {}
    void sleeps_at(const void*) noexcept override { sleeps_.store(true); }

   private:
    atomic<bool>& sleeps_;
  } first(sleeps);
  std::thread waiter([&] {
    (void)set_wait_observer(&first);
    ASSERT_TRUE(record.attach_thread("waiter"));
    closed.wait({.spin = spin_policy::none()});
    record.detach_thread();
  });
  while (!sleeps.load()) std::this_thread::yield();
  closed.lower();
  waiter.join();
  record.detach_thread();
  std::size_t count = 0;
  (void)for_each_wake(record, [&](const wake_flow& flow) {
    ++count;
    EXPECT_STREQ(record.track(flow.from_track).name(), "main");
    EXPECT_STREQ(record.track(flow.to_track).name(), "waiter");
  });
  // The waiter may not have fallen asleep before it was let through.
  EXPECT_LE(count, 1u);
}

TEST(wakes, are_flows_between_spans) {
  timeline record;
  on_thread(record, {{30, 39, "unpack", 0, 1, event_kind::zone}, wake_at(door, 38)});
  on_thread(record, {wait_at(door, 10, 42), {42, 60, "decode", 0, 1, event_kind::zone}});
  on_thread(record, {{1, 45, "read", 0, 4, event_kind::request}, wake_at(gate, 46)});
  on_thread(record, {wait_at(gate, 10, 48)});
  const json trace = exported(record);
  const std::vector<json> begins = events_of(trace, "s");
  const std::vector<json> ends = events_of(trace, "f");
  ASSERT_EQ(begins.size(), 2u);
  ASSERT_EQ(ends.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(begins[i]["id"], ends[i]["id"]);
    EXPECT_EQ(begins[i]["cat"], "wake");
    EXPECT_EQ(begins[i]["name"], ends[i]["name"]);
  }
  EXPECT_NE(begins[0]["id"], begins[1]["id"]);
  // Inside the span that woke; before the next one of the thread that was woken.
  EXPECT_EQ(begins[0]["tid"], 1);
  EXPECT_EQ(to_ns(begins[0]["ts"]), 37);
  EXPECT_EQ(ends[0]["tid"], 2);
  EXPECT_EQ(to_ns(ends[0]["ts"]), 41);
  // Inside the read.
  EXPECT_EQ(name_of_track(trace, begins[1]["tid"]), "read 0");
  EXPECT_EQ(to_ns(begins[1]["ts"]), 44);
  EXPECT_EQ(ends[1]["tid"], 4);
  for (const json& span : events_of(trace, "X")) EXPECT_FALSE(span["args"].contains("bytes"));
}

}  // namespace
}  // namespace overture::wakes_test
