// SPDX-License-Identifier: Zlib
//
// The behaviour of a read queue, step by step, on a disk in virtual time.
#include "io/queue/read_core.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <vector>

#include "overture/io/simulated_disk.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"

namespace overture::read_core_test {
namespace {

struct asked {
  std::vector<std::byte> bytes;
  read_request request;
  int completions = 0;
  std::vector<asked*>* order = nullptr;

  asked(source_id source, std::uint64_t offset, std::size_t size,
        read_priority priority = read_priority::normal)
      : bytes(size) {
    request.source = source;
    request.offset = offset;
    request.destination = bytes;
    request.priority = priority;
    request.done = {completed, this};
  }
  static void completed(void* self) {
    auto& mine = *static_cast<asked*>(self);
    ++mine.completions;
    if (mine.order) mine.order->push_back(&mine);
  }
  asked(const asked&) = delete;
  asked& operator=(const asked&) = delete;
};

class read_core_test : public testing::Test {
 protected:
  asked& ask(std::uint64_t offset, std::size_t size,
             read_priority priority = read_priority::normal) {
    all_.push_back(std::make_unique<asked>(file, offset, size, priority));
    all_.back()->order = &order;
    return *all_.back();
  }
  asked& submit(read_queue& to, std::uint64_t offset, std::size_t size,
                read_priority priority = read_priority::normal) {
    asked& made = ask(offset, size, priority);
    to.submit({&made.request, 1});
    return made;
  }
  void expect_done(const asked& each) {
    EXPECT_EQ(each.completions, 1);
    ASSERT_TRUE(each.request.outcome);
    EXPECT_TRUE(disk.holds(each.request.source, each.request.offset, each.bytes));
  }

  simulated_disk disk{{.seek_ns = 1'000'000, .latency_ns = 1'000}};
  source_id file = *disk.add_file(1 << 20);
  std::vector<asked*> order;

 private:
  std::deque<std::unique_ptr<asked>> all_;
};

TEST_F(read_core_test, adjacent_requests_are_one_read) {
  read_queue reads(disk, {.disk = &disk});
  std::vector<asked*> mine;
  for (const std::uint64_t i : {3u, 1u, 0u, 2u})
    mine.push_back(&submit(reads, 1'000 + i * 100, 100));
  reads.drain();
  EXPECT_EQ(disk.stats().reads, 1u);
  for (const asked* each : mine) {
    expect_done(*each);
    EXPECT_TRUE(each->request.merged);
  }
  EXPECT_EQ(reads.stats().merged, 4u);
}

TEST_F(read_core_test, overlapping_requests_are_read_once_and_gaps_thrown_away) {
  read_queue reads(disk, {.disk = &disk});
  std::vector<asked*> mine;
  for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {1'000, 100}, {1'050, 100}, {1'050, 10}, {1'000, 100}, {1'020, 500}, {2'000, 7}}) {
    mine.push_back(&submit(reads, offset, size));
  }
  reads.drain();
  for (const asked* each : mine) expect_done(*each);
  EXPECT_EQ(disk.stats().reads, 1u);
  EXPECT_EQ(disk.stats().bytes, 1'007u);
}

TEST_F(read_core_test, merging_keeps_its_limits) {
  read_queue reads(disk, {.merge_bytes_max = 250, .merge_gap_max = 10, .disk = &disk});
  std::vector<asked*> mine;
  for (const std::uint64_t offset : {0u, 100u, 200u, 311u, 500u}) {
    mine.push_back(&submit(reads, offset, 100));
  }
  reads.drain();
  for (const asked* each : mine) expect_done(*each);
  EXPECT_EQ(disk.stats().reads, 4u) << "0+100, 200, 311 after too large a gap, 500";
  read_queue never(disk, {.merge_bytes_max = 0, .disk = &disk});
  submit(never, 0, 10);
  submit(never, 10, 10);
  never.drain();
  EXPECT_EQ(disk.stats().reads, 6u);
}

TEST_F(read_core_test, one_bad_member_does_not_spoil_the_others) {
  disk.truncate(file, 1'150);
  read_queue reads(disk, {.disk = &disk});
  asked& good = submit(reads, 1'000, 100);
  asked& beyond = submit(reads, 1'100, 100);
  asked& also_good = submit(reads, 1'100, 50);
  reads.drain();
  expect_done(good);
  expect_done(also_good);
  ASSERT_FALSE(beyond.request.outcome);
  EXPECT_EQ(beyond.request.outcome.error().code, errc::truncated);
  EXPECT_EQ(beyond.request.outcome.error().source, file);
  EXPECT_EQ(beyond.request.outcome.error().offset, 1'150u);
  EXPECT_EQ(reads.stats().failed, 1u);
}

TEST_F(read_core_test, offsets_that_no_file_has_fail) {
  read_queue reads(disk, {.disk = &disk});
  asked& over = submit(reads, UINT64_MAX - 10, 100);
  asked& far = submit(reads, std::uint64_t{1} << 62, 100);
  reads.drain();
  EXPECT_EQ(over.request.outcome.error().code, errc::truncated);
  EXPECT_EQ(far.request.outcome.error().code, errc::truncated);
}

TEST(read_core_sharing, bytes_in_flight_are_read_once) {
  simulated_disk disk({.depth = 4});
  const source_id file = *disk.add_file(100'000);
  read_queue reads(disk, {.disk = &disk});
  asked first(file, 0, 1'000, read_priority::high);
  asked twin(file, 0, 1'000, read_priority::low);
  asked other(file, 50'000, 1'000, read_priority::low);
  for (asked* each : {&first, &twin, &other}) reads.submit({&each->request, 1});
  reads.drain();
  EXPECT_EQ(disk.stats().reads, 2u);
  for (asked* each : {&first, &twin, &other}) {
    ASSERT_TRUE(each->request.outcome);
    EXPECT_EQ(each->completions, 1);
    EXPECT_TRUE(disk.holds(file, each->request.offset, each->bytes));
  }
  EXPECT_TRUE(twin.request.shared);
  EXPECT_EQ(reads.stats().shared, 1u);
}

TEST_F(read_core_test, a_high_request_among_ten_thousand_low_ones_starts_within_two_completions) {
  read_queue reads(disk, {.merge_bytes_max = 0, .disk = &disk});
  for (std::uint64_t i = 0; i < 10'000; ++i)
    submit(reads, i * 100 % (1 << 20), 1, read_priority::low);
  for (int i = 0; i < 10; ++i) (void)reads.poll();
  const std::size_t before = order.size();
  asked& urgent = submit(reads, 7, 1, read_priority::high);
  while (urgent.completions == 0) (void)reads.poll();
  EXPECT_LE(order.size() - before, 2u);
  reads.drain();
  EXPECT_EQ(order.size(), 10'001u);
}

TEST_F(read_core_test, cancel_completes_before_it_returns_and_only_once) {
  read_queue reads(disk, {.disk = &disk});
  asked& a = submit(reads, 0, 10);
  EXPECT_TRUE(reads.cancel(a.request));
  EXPECT_EQ(a.completions, 1);
  EXPECT_EQ(a.request.outcome.error().code, errc::cancelled);
  EXPECT_FALSE(reads.cancel(a.request));
  reads.drain();
  EXPECT_EQ(a.completions, 1);
  EXPECT_EQ(disk.stats().reads, 0u);
}

TEST_F(read_core_test, the_priority_of_a_tag_is_that_of_all_that_wait_with_it) {
  read_queue reads(disk, {.disk = &disk});
  for (std::uint64_t i = 0; i < 6; ++i) {
    asked& made = ask(i, 1);
    made.request.tag = 0xab00 | (i % 2);
    reads.submit({&made.request, 1});
  }
  EXPECT_EQ(reads.set_tag_priority(0xff0f, 0xab01, read_priority::low), 3u);
  EXPECT_EQ(reads.set_tag_priority(~0ull, 7, read_priority::high), 0u);
  EXPECT_EQ(reads.stats().queued[static_cast<std::size_t>(read_priority::low)], 3u);
  EXPECT_EQ(reads.stats().queued[static_cast<std::size_t>(read_priority::normal)], 3u);
  reads.drain();
  EXPECT_EQ(order.size(), 6u);
}

TEST_F(read_core_test, ten_thousand_of_a_tag_are_cancelled_and_the_others_stay) {
  read_queue reads(disk, {.disk = &disk});
  std::vector<asked*> mine;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    asked& made = ask(i, 1);
    made.request.tag = 0xab00 | (i % 2);
    mine.push_back(&made);
    reads.submit({&made.request, 1});
  }
  EXPECT_EQ(reads.cancel_tag(0xff0f, 0xab01), 5'000u);
  const std::size_t at_once = order.size();
  EXPECT_EQ(at_once, 5'000u);
  reads.drain();
  EXPECT_EQ(order.size(), 10'000u);
  for (const asked* each : mine) {
    EXPECT_EQ(each->completions, 1);
    EXPECT_EQ(each->request.outcome.has_value(), each->request.tag == 0xab00);
  }
}

TEST_F(read_core_test, close_source_gives_up_its_requests) {
  const source_id second = *disk.add_file(1'000);
  read_queue reads(disk, {.disk = &disk});
  asked& a = submit(reads, 0, 10);
  asked& b = ask(0, 10);
  b.request.source = second;
  reads.submit({&b.request, 1});
  EXPECT_EQ(reads.close_source(file), 1u);
  EXPECT_EQ(a.request.outcome.error().code, errc::cancelled);
  reads.drain();
  expect_done(b);
}

TEST_F(read_core_test, the_timeline_tells_how_each_read_was_served) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  read_queue reads(disk, {.disk = &disk});
  submit(reads, 500, 10, read_priority::high);
  submit(reads, 510, 10, read_priority::high);
  asked& given_up = submit(reads, 900'000, 10, read_priority::low);
  EXPECT_TRUE(reads.cancel(given_up.request));
  reads.drain();
  record.detach_thread();
  std::vector<trace_event> events;
  record.track(0).for_each_event([&](const trace_event& event) {
    if (event.kind == event_kind::request || event.kind == event_kind::service) {
      events.push_back(event);
    }
  });
  ASSERT_EQ(events.size(), 6u);
  EXPECT_STREQ(events[1].name, "low");
  EXPECT_EQ(events[1].flags, request_flags::cancelled);
  const trace_event& served = events[5];
  EXPECT_EQ(events[4].kind, event_kind::request);
  EXPECT_EQ(served.kind, event_kind::service);
  EXPECT_STREQ(served.name, "high");
  EXPECT_EQ(served.value, 510u);
  EXPECT_EQ(served.subject, file.index);
  EXPECT_EQ(served.flags, request_flags::merged);
  EXPECT_LE(events[4].begin_ns, served.begin_ns);
}

TEST_F(read_core_test, nothing_begins_while_suspended) {
  read_queue reads(disk, {.disk = &disk});
  reads.suspend();
  asked& a = submit(reads, 0, 10);
  EXPECT_EQ(reads.poll(), 0u);
  EXPECT_EQ(a.completions, 0);
  reads.resume();
  EXPECT_EQ(reads.poll(), 1u);
  expect_done(a);
}

TEST_F(read_core_test, end_completes_what_is_queued_even_while_suspended) {
  asked a(file, 0, 10);
  {
    read_queue reads(disk, {.disk = &disk});
    reads.suspend();
    reads.submit({&a.request, 1});
  }
  EXPECT_EQ(a.completions, 1);
  EXPECT_EQ(a.request.outcome.error().code, errc::cancelled);
}

TEST_F(read_core_test, a_completion_may_submit) {
  read_queue reads(disk, {.disk = &disk});
  struct chain {
    read_queue* reads;
    read_request request;
    std::byte byte{};
    int left = 100;
    static void next(void* self) {
      auto& mine = *static_cast<chain*>(self);
      if (--mine.left == 0) return;
      mine.request.offset += 1;
      mine.reads->submit({&mine.request, 1});
    }
  } links{.reads = &reads, .request = {.source = file}};
  links.request.destination = {&links.byte, 1};
  links.request.done = {chain::next, &links};
  reads.submit({&links.request, 1});
  reads.drain();
  EXPECT_EQ(links.left, 0);
  EXPECT_EQ(reads.stats().requests, 100u);
}

TEST_F(read_core_test, a_batch_is_counted_down_together) {
  read_queue reads(disk, {.disk = &disk});
  countdown left(3);
  std::vector<asked*> mine{&ask(0, 10), &ask(500, 10), &ask(1'000, 10)};
  std::vector<read_request> batch;
  for (asked* each : mine) {
    batch.push_back(std::move(each->request));
    batch.back().done = {};
    batch.back().counter = &left;
  }
  reads.submit(batch);
  EXPECT_FALSE(left.is_done());
  reads.drain();
  EXPECT_TRUE(left.is_done());
  for (const read_request& each : batch) EXPECT_TRUE(each.outcome);
}

// Notes what it is told to expect.
class expecting final : public job_system {
 public:
  void submit(job, job_group*, const job_options&) noexcept override {}
  void wait(job_group&) noexcept override {}
  bool wait_until(job_group&, std::uint64_t) noexcept override { return true; }
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char*) noexcept override {}
  void expect_work(std::uint64_t at_ns) noexcept override { expected.push_back(at_ns); }
  std::vector<std::uint64_t> expected;
};

TEST_F(read_core_test, tells_the_job_system_when_reads_will_end) {
  expecting jobs;
  read_queue reads(disk, {.merge_bytes_max = 0, .wake_ahead = &jobs, .disk = &disk});
  for (int i = 0; i < 40; ++i) {
    submit(reads, 500, 1);
    reads.drain();
  }
  ASSERT_FALSE(jobs.expected.empty());
  // The head stays where it is, so each takes as long as the last.
  const read_queue_stats stats = reads.stats();
  const std::uint64_t usual = stats.service_ns / stats.requests;
  EXPECT_GE(jobs.expected.back(), disk.now_ns() - usual);
  EXPECT_LE(jobs.expected.back(), disk.now_ns() + usual);
}

TEST_F(read_core_test, counts_what_it_does) {
  read_queue reads(disk, {.merge_bytes_max = 0, .disk = &disk});
  submit(reads, 0, 100, read_priority::high);
  submit(reads, 1'000, 100, read_priority::low);
  submit(reads, 2'000, 100, read_priority::low);
  read_queue_stats before = reads.stats();
  EXPECT_EQ(before.queued[static_cast<std::size_t>(read_priority::low)], 2u);
  EXPECT_EQ(before.queued[static_cast<std::size_t>(read_priority::high)], 1u);
  EXPECT_EQ(before.in_flight_max, 3u);
  reads.drain();
  EXPECT_EQ(reads.stats().before_first_frame, 3u);
  reads.mark_first_frame();
  submit(reads, 5'000, 100);
  reads.mark_first_frame();
  EXPECT_EQ(reads.stats().before_first_frame, 3u);
  EXPECT_EQ(reads.cancel_tag(0, 0), 1u);
  const read_queue_stats after = reads.stats();
  EXPECT_EQ(after.requests, 4u);
  EXPECT_EQ(after.reads, 3u);
  EXPECT_EQ(after.bytes, 300u);
  EXPECT_EQ(after.bytes_in_flight, 0u);
  EXPECT_GT(after.queue_ns, 0u);
  EXPECT_GE(after.service_ns, 3'000u);
  for (const std::uint64_t queued : after.queued) EXPECT_EQ(queued, 0u);
}

TEST_F(read_core_test, refused_memory_fails_the_request_alone) {
  for (std::uint64_t refused = 1; refused < 30; ++refused) {
    failing_allocator memory(refused);
    read_queue reads(disk, {.memory = &memory, .disk = &disk});
    std::deque<asked> mine;
    for (std::uint64_t i = 0; i < 100; ++i) {
      mine.emplace_back(file, i * 50 % 999, 1);
      reads.submit({&mine.back().request, 1});
    }
    reads.drain();
    for (const asked& each : mine) {
      EXPECT_EQ(each.completions, reads.status() ? 1 : 0);
      if (reads.status() && !each.request.outcome) {
        EXPECT_EQ(each.request.outcome.error().code, errc::out_of_memory);
      }
    }
  }
}

}  // namespace
}  // namespace overture::read_core_test
