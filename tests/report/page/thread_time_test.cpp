// SPDX-License-Identifier: Zlib
//
// Threads that wait for what is known: the page names it, and for how long.
#include "report/page/thread_time.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "overture/load/load_scope.hpp"
#include "overture/sync/wait_observer.hpp"
#include "trace/exported_json.hpp"

namespace overture::report_detail::thread_time_test {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t lock_place = 0x10;
constexpr std::uint64_t read_place = 0x20;

// A timeline in which each thread records what it is told, at the times it is told.
class known_load {
 public:
  template <class Body>
  void on_thread(const char* name, Body body) {
    std::thread([&] {
      ASSERT_TRUE(record_.attach_thread(name));
      body();
      record_.detach_thread();
    }).join();
  }
  void add(event_kind kind, const char* name, std::uint64_t begin, std::uint64_t end,
           std::uint64_t value = 0) {
    overture::record(
        {record_.start_ns() + begin, record_.start_ns() + end, name, value, no_subject, kind});
  }
  [[nodiscard]] timeline_picture picture(std::uint64_t total_ns) const {
    const std::uint64_t start = record_.start_ns();
    return picture_of(record_, {start, start + total_ns, 0}, start);
  }

 private:
  timeline record_;
};

const thread_time& of(const std::vector<thread_time>& threads, const std::string& name) {
  for (const thread_time& each : threads) {
    if (each.thread == name) return each;
  }
  static const thread_time none;
  return none;
}

time_part part(const thread_time& thread, const std::string& name) {
  for (const time_part& each : thread.parts) {
    if (each.name == name) return each;
  }
  return {};
}

void expect_whole(const std::vector<thread_time>& threads, std::uint64_t total_ns) {
  for (const thread_time& thread : threads) {
    std::uint64_t sum = 0;
    for (const time_part& each : thread.parts) sum += each.ns;
    EXPECT_EQ(sum, total_ns) << thread.thread;
  }
}

TEST(thread_time, a_lock_that_is_held_is_named_with_its_holder) {
  known_load load;
  load.on_thread("main", [&] {
    load.add(event_kind::wake, "wake", 31 * ms, 31 * ms, lock_place);
    load.add(event_kind::zone, "decode", 0, 40 * ms);
  });
  load.on_thread("worker 1", [&] {
    load.add(event_kind::wait, wait_reasons::lock, ms, 31 * ms, lock_place);
    load.add(event_kind::wake, "wake", 32 * ms, 32 * ms, lock_place);
    load.add(event_kind::zone, "unpack", 0, 40 * ms);
  });
  load.on_thread("worker 2", [&] {
    load.add(event_kind::wait, wait_reasons::lock, 2 * ms, 32 * ms, lock_place);
    load.add(event_kind::zone, "unpack", 0, 40 * ms);
  });
  const std::vector<thread_time> threads = time_of_threads(load.picture(40 * ms));
  expect_whole(threads, 40 * ms);
  const time_part first = part(of(threads, "worker 1"), wait_reasons::lock);
  EXPECT_EQ(first.ns, 30 * ms);
  EXPECT_TRUE(first.is_wait);
  EXPECT_EQ(first.ended_by, "main");
  EXPECT_EQ(part(of(threads, "worker 1"), "unpack").ns, 10 * ms) << "without the wait in it";
  const time_part second = part(of(threads, "worker 2"), wait_reasons::lock);
  EXPECT_EQ(second.ns, 30 * ms);
  EXPECT_EQ(second.ended_by, "worker 1");
}

TEST(thread_time, many_short_sleeps_add_up) {
  known_load load;
  load.on_thread("main", [&] {
    for (std::uint64_t i = 0; i < 200; ++i) {
      load.add(event_kind::wait, "sleep", i * ms, i * ms + ms / 2);
    }
  });
  const std::vector<thread_time> threads = time_of_threads(load.picture(250 * ms));
  expect_whole(threads, 250 * ms);
  const time_part sleeps = part(of(threads, "main"), "sleep");
  EXPECT_EQ(sleeps.ns, 100 * ms);
  EXPECT_EQ(sleeps.times, 200u);
  EXPECT_EQ(sleeps.ended_by, "");
  EXPECT_EQ(part(of(threads, "main"), unknown_time).ns, 150 * ms);
}

TEST(thread_time, waits_for_reads_are_ended_by_reads) {
  known_load load;
  load.on_thread("main", [&] {
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::uint64_t begin = i * 20 * ms;
      load.add(event_kind::wait, idle_reasons::read, begin, begin + 10 * ms, read_place);
      load.add(event_kind::zone, "decode", begin + 10 * ms, begin + 20 * ms);
    }
  });
  load.on_thread("io 1", [&] {
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::uint64_t begin = i * 20 * ms;
      load.add(event_kind::request, "read", begin, begin + 10 * ms - 10);
      load.add(event_kind::wake, "wake", begin + 10 * ms - 5, begin + 10 * ms - 5, read_place);
    }
  });
  const std::vector<thread_time> threads = time_of_threads(load.picture(100 * ms));
  expect_whole(threads, 100 * ms);
  const time_part waits = part(of(threads, "main"), idle_reasons::read);
  EXPECT_EQ(waits.ns, 50 * ms);
  EXPECT_EQ(waits.ended_by, "a read");
}

// Each thread holds the lock for 5 ms and hands it on to the next.
TEST(thread_time, a_convoy_is_seen_from_thread_to_thread) {
  known_load load;
  constexpr std::uint64_t held = 5 * ms;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::string name = "worker " + std::to_string(i + 1);
    load.on_thread(name.c_str(), [&] {
      if (i > 0) load.add(event_kind::wait, wait_reasons::lock, 0, i * held, lock_place);
      load.add(event_kind::zone, "decode", i * held, (i + 1) * held);
      load.add(event_kind::wake, "wake", (i + 1) * held, (i + 1) * held, lock_place);
    });
  }
  const std::vector<thread_time> threads = time_of_threads(load.picture(4 * held));
  expect_whole(threads, 4 * held);
  for (std::uint64_t i = 1; i < 4; ++i) {
    const thread_time& thread = of(threads, "worker " + std::to_string(i + 1));
    EXPECT_EQ(part(thread, wait_reasons::lock).ns, i * held);
    EXPECT_EQ(part(thread, wait_reasons::lock).ended_by, "worker " + std::to_string(i));
  }
}

TEST(thread_time, a_spin_that_is_not_recorded_is_unknown) {
  known_load load;
  load.on_thread("main", [&] {
    load.add(event_kind::zone, "decode", 0, 10 * ms);
    load.add(event_kind::zone, "decode", 30 * ms, 40 * ms);
  });
  const std::vector<thread_time> threads = time_of_threads(load.picture(40 * ms));
  expect_whole(threads, 40 * ms);
  const thread_time& main = of(threads, "main");
  EXPECT_EQ(part(main, unknown_time).ns, 20 * ms);
  EXPECT_EQ(part(main, unknown_time).times, 1u);
  EXPECT_EQ(part(main, "decode").times, 2u);
}

TEST(thread_time, only_the_time_of_the_load_counts) {
  timeline_picture picture;
  picture.names = {{"decode", false}};
  picture.load_begin_ns = 100;
  picture.total_ns = 200;
  picture.lanes.resize(2);
  picture.lanes[0].spans = {{0, 150, 0, no_subject}, {120, 130, 0, no_subject}};
  const std::vector<thread_time> threads = time_of_threads(picture);
  expect_whole(threads, 100);
  EXPECT_EQ(threads[0].parts.size(), 2u);
  EXPECT_EQ(threads[1].parts.at(0).name, unknown_time);
}

// Of a thread that began late and ended early nothing is unknown before and after.
TEST(time_of_threads, is_of_the_time_in_which_a_thread_was_there) {
  timeline_picture picture;
  picture.total_ns = 100 * ms;
  picture.names = {{"decode", false}};
  picture.lanes = {{.name = "loader",
                    .spans = {{20 * ms, 30 * ms, 0, no_subject}},
                    .begin_ns = 20 * ms,
                    .end_ns = 32 * ms}};
  const std::vector<thread_time> threads = time_of_threads(picture);
  ASSERT_EQ(threads.size(), 1u);
  ASSERT_EQ(threads[0].parts.size(), 2u);
  EXPECT_EQ(threads[0].parts[0].ns, 10 * ms);
  EXPECT_EQ(threads[0].parts[1].name, unknown_time);
  EXPECT_EQ(threads[0].parts[1].ns, 2 * ms);
}

}  // namespace
}  // namespace overture::report_detail::thread_time_test
