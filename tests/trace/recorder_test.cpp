// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "overture/base/limits.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"
#include "support/guards.hpp"

namespace overture::recorder_test {
namespace {

std::vector<trace_event> events_of(const timeline_track& track) {
  std::vector<trace_event> events;
  track.for_each_event([&](const trace_event& event) { events.push_back(event); });
  return events;
}

trace_total total_of(const timeline_track& track, event_kind kind, std::string_view name) {
  for (const trace_total& total : track.totals()) {
    if (total.kind == kind && total.name == name) return total;
  }
  return {};
}

TEST(recorder, a_thread_that_is_not_attached_records_nothing) {
  timeline record;
  {
    zone work{"work"};
  }
  count("queued_bytes", 1);
  mark("here");
  overture::record({.begin_ns = 1, .end_ns = 2, .name = "work"});
  EXPECT_EQ(record.track_count(), 0u);

  ASSERT_TRUE(record.attach_thread("main"));
  record.detach_thread();
  {
    zone work{"work"};
  }
  ASSERT_EQ(record.track_count(), 1u);
  EXPECT_TRUE(events_of(record.track(0)).empty());
  EXPECT_TRUE(record.track(0).totals().empty());
}

TEST(recorder, a_zone_records_when_it_was_and_what_it_was_about) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  const std::uint64_t before = now_ns();
  {
    zone work{"work", {.subject = 17, .bytes = 4}};
    work.set_bytes(4096);
  }
  const std::uint64_t after = now_ns();
  record.detach_thread();

  const auto events = events_of(record.track(0));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_STREQ(events[0].name, "work");
  EXPECT_EQ(events[0].kind, event_kind::zone);
  EXPECT_EQ(events[0].subject, 17u);
  EXPECT_EQ(events[0].value, 4096u);
  EXPECT_LE(before, events[0].begin_ns);
  EXPECT_LE(events[0].begin_ns, events[0].end_ns);
  EXPECT_LE(events[0].end_ns, after);
  EXPECT_LE(record.start_ns(), record.track(0).attached_ns());
  EXPECT_LE(record.track(0).attached_ns(), before);
  EXPECT_LE(after, record.track(0).detached_ns());
}

void use_cpu_for(std::uint64_t ns) {
  const std::uint64_t until = thread_cpu_ns() + ns;
  while (thread_cpu_ns() < until) {
  }
}

std::uint64_t cpu_ns_of(const timeline_track& track, std::string_view name) {
  for (const trace_total& total : track.totals()) {
    if (name == total.name) return total.cpu_ns;
  }
  return 0;
}

TEST(recorder, a_zone_has_the_cpu_time_that_is_its_own) {
  constexpr std::uint64_t some_ns = 3'000'000;
  timeline record({.cpu_times = true});
  ASSERT_TRUE(record.attach_thread("main"));
  {
    zone outer{"outer"};
    use_cpu_for(some_ns);
    {
      zone inner{"inner"};
      use_cpu_for(3 * some_ns);
    }
    mark("in between");
    use_cpu_for(some_ns);
  }
  record.detach_thread();
  const timeline_track& track = record.track(0);
  const std::uint64_t inner_ns = cpu_ns_of(track, "inner");
  const std::uint64_t outer_ns = cpu_ns_of(track, "outer");
  EXPECT_GE(inner_ns, 4 * some_ns) << "with what its thread did since the zone before";
  EXPECT_GE(outer_ns, some_ns);
  EXPECT_LE(inner_ns + outer_ns, track.cpu_ns());
  EXPECT_EQ(cpu_ns_of(track, "in between"), 0u);
}

TEST(recorder, cpu_times_are_not_read_unless_asked_for) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    zone work{"work"};
    use_cpu_for(1'000'000);
  }
  record.detach_thread();
  EXPECT_EQ(cpu_ns_of(record.track(0), "work"), 0u);
}

TEST(recorder, a_zone_ends_once) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    zone work{"work"};
    work.end();
    work.end();
  }
  EXPECT_EQ(events_of(record.track(0)).size(), 1u);
}

TEST(recorder, zones_that_were_open_while_attaching_or_detaching_are_dropped) {
  timeline record;
  {
    zone open_before{"open before"};
    ASSERT_TRUE(record.attach_thread("main"));
  }
  {
    zone open_after{"open after"};
    zone open_over_both{"open over both"};
    record.detach_thread();
    open_after.end();
    ASSERT_TRUE(record.attach_thread("main"));
  }
  record.detach_thread();
  EXPECT_TRUE(events_of(record.track(0)).empty());
  EXPECT_TRUE(events_of(record.track(1)).empty());
}

TEST(recorder, counters_marks_and_requests_are_recorded_in_order) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  count("queued_bytes", 12);
  mark("first picture", 3);
  overture::record({5, 9, "read", 100, 2, event_kind::request});
  record.detach_thread();

  const auto events = events_of(record.track(0));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, event_kind::counter);
  EXPECT_EQ(events[0].value, 12u);
  EXPECT_EQ(events[1].kind, event_kind::instant);
  EXPECT_EQ(events[1].subject, 3u);
  EXPECT_EQ(events[2].kind, event_kind::request);
  EXPECT_EQ(total_of(record.track(0), event_kind::request, "read").ns, 4u);
  EXPECT_EQ(total_of(record.track(0), event_kind::counter, "queued_bytes").ns, 0u);
}

TEST(recorder, threads_record_at_once_into_lanes_of_their_own) {
  constexpr int threads = 4;
  constexpr std::uint64_t rounds = 20'000;
  static constexpr std::array<const char*, threads> names = {"a", "b", "c", "d"};
  timeline record{{.events_per_thread = 1024}};
  std::vector<std::thread> running;
  for (const char* name : names) {
    running.emplace_back([&record, name] {
      ASSERT_TRUE(record.attach_thread(name));
      for (std::uint64_t i = 0; i < rounds; ++i) zone work{name, {.bytes = i}};
      record.detach_thread();
    });
  }
  for (std::thread& thread : running) thread.join();

  ASSERT_EQ(record.track_count(), std::size_t{threads});
  std::string seen;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    const timeline_track& track = record.track(i);
    seen += track.name();
    ASSERT_EQ(track.totals().size(), 1u);
    EXPECT_STREQ(track.totals()[0].name, track.name());
    EXPECT_EQ(track.totals()[0].count, rounds);
    EXPECT_EQ(track.totals()[0].value, rounds * (rounds - 1) / 2);
    for (const trace_event& event : events_of(track)) EXPECT_STREQ(event.name, track.name());
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, "abcd");
}

TEST(recorder, lanes_are_numbered_in_the_order_of_attaching) {
  timeline record;
  for (const char* name : {"first", "second", "third"}) {
    ASSERT_TRUE(record.attach_thread(name));
    record.detach_thread();
  }
  ASSERT_EQ(record.track_count(), 3u);
  EXPECT_STREQ(record.track(0).name(), "first");
  EXPECT_STREQ(record.track(1).name(), "second");
  EXPECT_STREQ(record.track(2).name(), "third");
}

TEST(recorder, recording_allocates_nothing_and_takes_no_lock) {
  timeline record{{.events_per_thread = 64}};
  ASSERT_TRUE(record.attach_thread("main"));
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    for (int i = 0; i < 100; ++i) {  // past the end of the ring, with new names among them
      zone work{"work", {.subject = 1}};
      observed_wait wait{wait_reasons::group};
      count("queued_bytes", 1);
      mark("here");
      overture::record({1, 2, "read", 3, 4, event_kind::request});
    }
  }
  EXPECT_EQ(total_of(record.track(0), event_kind::zone, "work").count, 100u);
}

TEST(recorder, a_full_ring_keeps_the_newest_events_and_exact_totals) {
  timeline record{{.events_per_thread = 16}};
  ASSERT_TRUE(record.attach_thread("main"));
  for (std::uint64_t i = 0; i < 100; ++i) {
    overture::record({i, 2 * i, i % 2 == 0 ? "even" : "odd", i, no_subject, event_kind::zone});
  }
  record.detach_thread();

  const timeline_track& track = record.track(0);
  const auto events = events_of(track);
  ASSERT_EQ(events.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(events[i].value, 84 + i);
  EXPECT_EQ(track.events_lost(), 84u);
  ASSERT_EQ(track.totals().size(), 2u);
  const trace_total even = total_of(track, event_kind::zone, "even");
  EXPECT_EQ(even.count, 50u);
  EXPECT_EQ(even.ns, 2450u);
  EXPECT_EQ(even.value, 2450u);
  EXPECT_EQ(total_of(track, event_kind::zone, "odd").value, 2500u);
}

TEST(recorder, the_size_of_a_ring_is_rounded_up_to_a_power_of_two) {
  timeline record{{.events_per_thread = 5}};
  ASSERT_TRUE(record.attach_thread("main"));
  for (int i = 0; i < 8; ++i) mark("here");
  EXPECT_EQ(record.track(0).events_lost(), 0u);
  mark("here");
  EXPECT_EQ(record.track(0).events_lost(), 1u);
}

TEST(recorder, without_room_for_events_there_are_totals_only) {
  timeline record{{.events_per_thread = 0}};
  ASSERT_TRUE(record.attach_thread("main"));
  for (int i = 0; i < 3; ++i) zone work{"work"};
  EXPECT_TRUE(events_of(record.track(0)).empty());
  EXPECT_EQ(record.track(0).events_lost(), 0u);
  EXPECT_EQ(total_of(record.track(0), event_kind::zone, "work").count, 3u);
}

TEST(recorder, totals_tell_kinds_of_one_name_apart) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  static constexpr char name[] = "read";
  overture::record({0, 1, name, 0, no_subject, event_kind::zone});
  overture::record({0, 2, name, 0, no_subject, event_kind::wait});
  overture::record({0, 4, name, 0, no_subject, event_kind::request});
  EXPECT_EQ(total_of(record.track(0), event_kind::zone, "read").ns, 1u);
  EXPECT_EQ(total_of(record.track(0), event_kind::wait, "read").ns, 2u);
  EXPECT_EQ(total_of(record.track(0), event_kind::request, "read").ns, 4u);
}

TEST(recorder, names_beyond_the_table_are_summed_by_kind_as_other) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("name " + std::to_string(i));
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  for (int round = 0; round < 3; ++round) {
    for (const std::string& name : names) {
      overture::record({0, 1, name.c_str(), 1, no_subject, event_kind::zone});
      overture::record({0, 1, name.c_str(), 1, no_subject, event_kind::wait});
    }
  }
  const timeline_track& track = record.track(0);
  EXPECT_LE(track.totals().size(), limits::timeline_totals_max);
  std::uint64_t zones = 0;
  std::uint64_t waits = 0;
  for (const trace_total& total : track.totals()) {
    (total.kind == event_kind::zone ? zones : waits) += total.count;
    if (total.name != std::string_view("other")) {
      EXPECT_EQ(total.count, 3u) << total.name;
    }
  }
  EXPECT_EQ(zones, 600u);
  EXPECT_EQ(waits, 600u);
  EXPECT_GT(total_of(track, event_kind::zone, "other").count, 0u);
  EXPECT_GT(total_of(track, event_kind::wait, "other").count, 0u);
}

TEST(recorder, an_event_that_ends_before_it_begins_has_no_duration) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  overture::record({9, 5, "work", 0, no_subject, event_kind::zone});
  EXPECT_EQ(total_of(record.track(0), event_kind::zone, "work").ns, 0u);
}

TEST(recorder, a_thread_records_into_one_timeline_at_a_time) {
  timeline first;
  timeline second;
  ASSERT_TRUE(first.attach_thread("main"));
  EXPECT_EQ(first.attach_thread("again").error().code, errc::busy);
  EXPECT_EQ(second.attach_thread("main").error().code, errc::busy);
  second.detach_thread();  // not attached there: keeps recording to the first
  mark("here");
  first.detach_thread();
  EXPECT_EQ(events_of(first.track(0)).size(), 1u);
  EXPECT_TRUE(second.attach_thread("main"));
  EXPECT_EQ(first.track_count(), 1u);
  EXPECT_EQ(second.track_count(), 1u);
}

TEST(recorder, the_end_of_a_timeline_detaches_the_calling_thread) {
  {
    timeline record;
    ASSERT_TRUE(record.attach_thread("main"));
  }
  mark("here");
  {
    observed_wait wait{"wait"};
  }
  timeline record;
  EXPECT_TRUE(record.attach_thread("main"));
}

TEST(recorder, a_thread_without_memory_does_not_record) {
  failing_allocator memory{0};
  {
    timeline record{{.memory = &memory}};
    EXPECT_EQ(record.attach_thread("main").error().code, errc::out_of_memory);
    mark("here");
    EXPECT_EQ(record.track_count(), 0u);
    EXPECT_EQ(current_wait_observer(), nullptr);
    EXPECT_TRUE(record.attach_thread("main"));  // the second allocation succeeds
    mark("here");
    EXPECT_EQ(events_of(record.track(0)).size(), 1u);
  }
  EXPECT_EQ(memory.live_bytes(), 0);
}

TEST(recorder, more_events_than_the_limit_are_refused) {
  timeline record{{.events_per_thread = limits::timeline_events_max + 1}};
  EXPECT_EQ(record.attach_thread("main").error().code, errc::limit);
}

TEST(recorder, long_names_of_threads_are_cut) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("a thread with a very long name"));
  EXPECT_STREQ(record.track(0).name(), "a thread with a very lo");
}

// The clock may tick every 16 ms, so that of a young thread is at zero.
bool has_thread_cpu_clock() {
  const std::uint64_t start = now_ns();
  while (thread_cpu_ns() == 0) {
    if (now_ns() - start > 10'000'000'000) return false;
  }
  return true;
}

TEST(recorder, the_cpu_time_between_attach_and_detach_is_known) {
  if (!has_thread_cpu_clock()) GTEST_SKIP() << "the system has no thread CPU clock";
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  const std::uint64_t start = thread_cpu_ns();
  while (thread_cpu_ns() - start < 1'000'000) {
  }
  EXPECT_EQ(record.track(0).cpu_ns(), 0u);
  record.detach_thread();
  EXPECT_GE(record.track(0).cpu_ns(), 1'000'000u);
}

// Remembers its calls, and can lower a barricade once a thread waits.
class listening_observer final : public wait_observer {
 public:
  void wait_begins(const char* reason) noexcept override {
    reasons.emplace_back(reason);
    if (opened_by_wait) opened_by_wait->lower();
  }
  void wait_ends() noexcept override { ++ends; }

  std::vector<std::string> reasons;
  int ends = 0;
  barricade* opened_by_wait = nullptr;
};

TEST(recorder, waits_are_recorded_with_their_reason) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    observed_wait wait{wait_reasons::drain};
  }
  {
    observed_wait wait{wait_reasons::no_job};
  }
  record.detach_thread();
  const auto events = events_of(record.track(0));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, event_kind::wait);
  EXPECT_STREQ(events[0].name, wait_reasons::drain);
  EXPECT_STREQ(events[1].name, wait_reasons::no_job);
  EXPECT_LE(events[0].end_ns, events[1].begin_ns);
}

TEST(recorder, a_wait_for_a_barricade_is_recorded) {
  barricade door;
  barricade go;
  timeline record;
  listening_observer listener;
  listener.opened_by_wait = &go;
  std::thread waiter{[&] {
    (void)set_wait_observer(&listener);
    ASSERT_TRUE(record.attach_thread("waiter"));
    zone work{"work"};
    door.wait({.reason = "the door"});
    work.end();
    record.detach_thread();
  }};
  go.wait();  // lowered when the waiter is about to block
  door.lower();
  waiter.join();

  auto events = events_of(record.track(0));
  std::erase_if(events, [](const trace_event& each) { return each.kind == event_kind::wake; });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, event_kind::wait);
  EXPECT_STREQ(events[0].name, "the door");
  EXPECT_LE(events[1].begin_ns, events[0].begin_ns);  // inside the zone
  EXPECT_LE(events[0].end_ns, events[1].end_ns);
}

TEST(recorder, an_earlier_observer_still_hears_and_is_restored) {
  listening_observer listener;
  (void)set_wait_observer(&listener);
  {
    timeline record;
    ASSERT_TRUE(record.attach_thread("main"));
    EXPECT_NE(current_wait_observer(), &listener);
    {
      observed_wait wait{wait_reasons::lock};
    }
    EXPECT_EQ(listener.reasons, std::vector<std::string>{wait_reasons::lock});
    EXPECT_EQ(listener.ends, 1);
    record.detach_thread();
    EXPECT_EQ(current_wait_observer(), &listener);
  }
  EXPECT_EQ(set_wait_observer(nullptr), &listener);
}

}  // namespace
}  // namespace overture::recorder_test
