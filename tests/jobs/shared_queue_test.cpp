// SPDX-License-Identifier: Zlib
#include "jobs/queues/shared_queue.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "overture/jobs/thread_pool.hpp"
#include "support/failing_allocator.hpp"

namespace overture::jobs_detail::shared_queue_test {
namespace {

class shared_queues : public testing::Test {
 protected:
  static void push_into(shared_queue& queue, job_record& record, job_group* group) {
    bool added = false;
    queue.add([&](job_deque& deque) {
      added = deque.make_room();
      if (!added) return;
      record.arm(job([] {}), group, {}, deque.kind());
      deque.push(record);
    });
    ASSERT_TRUE(added);
  }
  void push(job_record& record) { push_into(queue_, record, nullptr); }

  parking sleepers_{default_allocator(), 1, 0};
  shared_queue queue_{job_record::urgent, default_allocator(), sleepers_};
};

TEST_F(shared_queues, give_jobs_in_the_order_they_came) {
  std::vector<job_record> records(3);
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.take(), nullptr);
  for (job_record& each : records) push(each);
  EXPECT_FALSE(queue_.empty());
  for (job_record& each : records) {
    job_record* const taken = queue_.take();
    ASSERT_EQ(taken, &each);
    EXPECT_TRUE(taken->is_of(job_record::urgent));
  }
  EXPECT_EQ(queue_.take(), nullptr);
}

TEST_F(shared_queues, skip_what_was_taken_out_of_the_middle) {
  std::vector<job_record> records(3);
  for (job_record& each : records) push(each);
  ASSERT_TRUE(records[0].claim(job_record::urgent));
  EXPECT_EQ(queue_.take_of(nullptr, UINT64_MAX), &records[1]);
  EXPECT_EQ(queue_.take(), &records[2]);
}

// More memory would be refused, and nothing added.
TEST_F(shared_queues, keep_few_hints_to_what_was_taken_out_of_the_middle) {
  thread_pool pool;
  job_group other{pool};
  failing_allocator memory(1);
  shared_queue small{job_record::urgent, memory, sleepers_};
  job_record first;
  push_into(small, first, &other);
  job_record one;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < 10 * job_deque::first_capacity; ++i) {
    push_into(small, one, nullptr);
    ASSERT_EQ(small.take_next_of(nullptr, next, 2), &one);
  }
  EXPECT_EQ(small.take(), &first);
}

TEST_F(shared_queues, add_nothing_if_memory_is_refused) {
  failing_allocator memory(0);
  shared_queue refused{job_record::usual, memory, sleepers_};
  bool called = false;
  refused.add([&](job_deque&) { called = true; });
  EXPECT_FALSE(called);
  EXPECT_EQ(refused.take(), nullptr);
  EXPECT_EQ(refused.take_of(nullptr, UINT64_MAX), nullptr);
}

TEST_F(shared_queues, give_each_job_to_one_of_several_threads) {
  constexpr int each = 20'000;
  std::vector<job_record> records(3 * each);
  atomic<int> taken{0};
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < first + each; ++i) {
      push(records[i]);
      if (i % 2 == 0 && queue_.take() != nullptr) taken.fetch_add(1);
    }
  };
  std::thread one([&] { work(0); });
  std::thread two([&] { work(each); });
  work(2 * each);
  one.join();
  two.join();
  while (queue_.take() != nullptr) taken.fetch_add(1);
  EXPECT_EQ(taken.load(), 3 * each);
}

}  // namespace
}  // namespace overture::jobs_detail::shared_queue_test
