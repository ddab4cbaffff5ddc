#include "jobs/job_slab.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace overture {
namespace {

TEST(job_slabs, give_each_record_to_one_taker) {
  job_slab slab(default_allocator());
  std::set<job_record*> taken;
  for (std::uint32_t i = 0; i < job_slab::chunk_records * 3; ++i) {
    job_record* const record = slab.take(1).first;
    ASSERT_NE(record, nullptr);
    ASSERT_TRUE(taken.insert(record).second);
    ASSERT_EQ(&slab.at(record->index), record);
  }
  EXPECT_EQ(slab.size(), job_slab::chunk_records * 3);
}

TEST(job_slabs, give_what_came_back_before_they_grow) {
  job_slab slab(default_allocator());
  for (int round = 0; round < 5000; ++round) slab.give_back(*slab.take(1).first);
  EXPECT_EQ(slab.size(), job_slab::chunk_records);
}

TEST(job_slabs, stop_at_their_limit) {
  job_slab slab(default_allocator());
  for (std::uint32_t i = 0; i < job_slab::chunks_max; ++i) ASSERT_TRUE(slab.grow());
  EXPECT_FALSE(slab.grow());
  EXPECT_EQ(slab.size(), limits::jobs_queued_max);
}

TEST(record_stacks, keep_the_order_of_a_chain) {
  job_slab slab(default_allocator());
  const record_chain chain = slab.take(5);
  ASSERT_EQ(chain.count, 5u);
  std::vector<job_record*> order;
  for (job_record* at = chain.first; at != nullptr; at = slab.next_of(*at)) order.push_back(at);
  record_stack stack;
  stack.push(chain);
  const record_chain two = stack.pop(slab, 2);
  EXPECT_EQ(two.count, 2u);
  EXPECT_EQ(two.first, order[0]);
  EXPECT_EQ(two.last, order[1]);
  EXPECT_EQ(slab.next_of(*two.last), nullptr);
  const record_chain rest = stack.take_all(slab);
  EXPECT_EQ(rest.count, 3u);
  EXPECT_EQ(rest.first, order[2]);
  EXPECT_EQ(rest.last, order[4]);
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(stack.pop(slab, 1).first, nullptr);
}

TEST(record_stacks, take_the_top_only_if_nothing_has_changed) {
  job_slab slab(default_allocator());
  const record_chain chain = slab.take(1);
  record_stack stack;
  stack.push(chain);
  const record_stack::head seen = stack.top();
  // The same record lies on top again, but it has been away.
  ASSERT_EQ(stack.pop(slab, 1).first, chain.first);
  stack.push(*chain.first);
  EXPECT_FALSE(stack.pop_exactly(slab, seen));
  EXPECT_TRUE(stack.pop_exactly(slab, stack.top()));
  EXPECT_TRUE(stack.empty());
}

TEST(record_stacks, lose_no_record_between_threads) {
  job_slab slab(default_allocator());
  ASSERT_TRUE(slab.grow());
  record_stack stack;
  stack.push(slab.take(50));
  const auto shuffle = [&](std::uint32_t at_once) {
    for (int i = 0; i < 20'000; ++i) {
      const record_chain chain = i % 100 == 0 ? stack.take_all(slab) : stack.pop(slab, at_once);
      if (chain.first != nullptr) stack.push(chain);
    }
  };
  std::thread first([&] { shuffle(1); });
  std::thread second([&] { shuffle(2); });
  shuffle(7);
  first.join();
  second.join();
  EXPECT_EQ(stack.take_all(slab).count, 50u);
}

TEST(job_records, are_claimed_once) {
  job_record record;
  EXPECT_FALSE(record.claim());
  record.arm(job([] {}), nullptr, {}, 0);
  EXPECT_TRUE(record.claim());
  EXPECT_FALSE(record.claim());
  EXPECT_TRUE(record.end());
  record.arm(job([] {}), nullptr, {}, 0);
  EXPECT_TRUE(record.claim());
}

TEST(job_records, are_freed_by_the_later_of_run_and_unlink) {
  job_record record;
  record.arm(job([] {}), nullptr, {}, job_record::linked);
  ASSERT_TRUE(record.claim());
  EXPECT_FALSE(record.end());
  EXPECT_TRUE(record.unlink());

  record.arm(job([] {}), nullptr, {}, job_record::linked);
  ASSERT_TRUE(record.claim());
  EXPECT_FALSE(record.unlink());
  EXPECT_TRUE(record.end());
}

}  // namespace
}  // namespace overture
