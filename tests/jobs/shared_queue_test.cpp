// SPDX-License-Identifier: Zlib
#include "jobs/queues/shared_queue.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/failing_allocator.hpp"

namespace overture::jobs_detail::shared_queue_test {
namespace {

class shared_queues : public testing::Test {
 protected:
  void push(job_record& record) {
    bool added = false;
    queue_.add([&](job_deque& deque) {
      added = deque.make_room();
      if (!added) return;
      record.arm(job([] {}), nullptr, {}, deque.kind());
      deque.push(record);
    });
    EXPECT_TRUE(added);
  }

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
  EXPECT_EQ(queue_.take_of(nullptr), &records[1]);
  EXPECT_EQ(queue_.take(), &records[2]);
}

TEST_F(shared_queues, add_nothing_if_memory_is_refused) {
  failing_allocator memory(0);
  shared_queue refused{job_record::usual, memory, sleepers_};
  bool called = false;
  refused.add([&](job_deque&) { called = true; });
  EXPECT_FALSE(called);
  EXPECT_EQ(refused.take(), nullptr);
  EXPECT_EQ(refused.take_of(nullptr), nullptr);
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
