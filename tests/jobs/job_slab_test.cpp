// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_slab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace overture::jobs_detail::job_slab_test {
namespace {

TEST(job_slabs, give_each_record_to_one_taker) {
  job_slab slab(default_allocator());
  free_records from;
  std::set<job_record*> taken;
  for (std::uint32_t i = 0; i < job_slab::chunk_records * 3; ++i) {
    job_record* const record = from.take(slab);
    ASSERT_NE(record, nullptr);
    ASSERT_TRUE(taken.insert(record).second);
    ASSERT_EQ(&slab.at(record->index), record);
  }
  EXPECT_EQ(slab.size(), job_slab::chunk_records * 3);
}

TEST(job_slabs, give_what_came_back_before_they_grow) {
  job_slab slab(default_allocator());
  free_records own;
  for (int round = 0; round < 5000; ++round) {
    own.give_back(slab, *own.take(slab));
    free_records others;
    slab.give_back(*others.take(slab));
    others.give_all_back(slab);
  }
  EXPECT_EQ(slab.size(), job_slab::chunk_records);
}

// Those that are left of one word, and then others; no more than there are.
TEST(job_slabs, give_as_many_at_once_as_are_wanted) {
  job_slab slab(default_allocator(), 1);
  ASSERT_TRUE(slab.grow());
  free_records from;
  std::set<job_record*> taken{from.take(slab)};
  std::vector<job_record*> some(job_slab::word_records);
  while (taken.size() + some.size() <= slab.size()) {
    ASSERT_EQ(from.take_several(slab, some), some.size());
    for (job_record* const each : some) ASSERT_TRUE(taken.insert(each).second);
  }
  EXPECT_EQ(from.take_several(slab, {}), 0u);
  const std::size_t left = slab.size() - taken.size();
  ASSERT_LT(left, some.size());
  EXPECT_EQ(from.take_several(slab, some), left);
  taken.insert(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(left));
  EXPECT_EQ(taken.size(), slab.size());
  EXPECT_EQ(from.take_several(slab, some), 0u);
  from.give_back(slab, *some.front());
  EXPECT_EQ(from.take_several(slab, some), 1u);
}

TEST(job_slabs, stop_at_their_limit) {
  job_slab slab(default_allocator());
  for (std::uint32_t i = 0; i < job_slab::chunks_max; ++i) ASSERT_TRUE(slab.grow());
  EXPECT_FALSE(slab.grow());
  EXPECT_EQ(slab.size(), limits::jobs_queued_max);

  job_slab small(default_allocator(), job_slab::chunk_records + 1);
  EXPECT_TRUE(small.grow() && small.grow());
  EXPECT_FALSE(small.grow());
}

// Not to the thread that gave them back, unlike others.
TEST(job_slabs, get_their_spare_records_back_by_any_way) {
  tracking_allocator memory;
  {
    job_slab slab(memory, 1);
    EXPECT_TRUE(slab.grow());
    std::set<job_record*> spares;
    for (std::uint32_t i = 0; i < job_slab::word_records; ++i) {
      job_record* const spare = slab.take_spare();
      ASSERT_NE(spare, nullptr);
      ASSERT_TRUE(spares.insert(spare).second);
      EXPECT_EQ(&slab.at(spare->index), spare);
    }
    EXPECT_EQ(slab.take_spare(), nullptr);
    free_records from;
    (void)from.take(slab);
    from.give_back(slab, **spares.begin());
    EXPECT_EQ(slab.take_spare(), *spares.begin());
    slab.give_back(**spares.begin());
    EXPECT_EQ(slab.take_spare(), *spares.begin());
    from.give_all_back(slab);
  }
  EXPECT_EQ(memory.usage(memory_tag::jobs).bytes, 0u);
}

TEST(job_slabs, give_a_spare_record_to_one_thread_at_a_time) {
  job_slab slab(default_allocator());
  std::vector<int> uses(job_slab::word_records, 0);
  atomic<int> refused{0};
  const auto use = [&] {
    for (int i = 0; i < 20'000; ++i) {
      job_record* const spare = slab.take_spare();
      if (spare == nullptr) {
        refused.fetch_add(1);
        continue;
      }
      ++uses[spare->index % job_slab::word_records];
      slab.give_back(*spare);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(use);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::accumulate(uses.begin(), uses.end(), 0), 60'000);
  EXPECT_EQ(refused.load(), 0);
}

// However they came back, what one thread takes in a row lies in a row.
TEST(job_slabs, give_neighbours_again_after_any_order_of_returns) {
  job_slab slab(default_allocator());
  std::vector<job_record*> taken;
  free_records from;
  for (std::uint32_t i = 0; i < job_slab::chunk_records; ++i) taken.push_back(from.take(slab));
  std::shuffle(taken.begin(), taken.end(), std::mt19937(5));
  free_records returns;
  for (job_record* const each : taken) returns.give_back(slab, *each);
  returns.give_all_back(slab);
  std::uint32_t neighbours = 0;
  const job_record* before = from.take(slab);
  for (std::uint32_t i = 1; i < job_slab::chunk_records; ++i) {
    const job_record* const next = from.take(slab);
    neighbours += next == before + 1 ? 1 : 0;
    before = next;
  }
  EXPECT_EQ(neighbours, job_slab::chunk_records - job_slab::chunk_records / 64);
  EXPECT_EQ(slab.size(), job_slab::chunk_records);
}

TEST(job_slabs, lose_no_record_between_threads) {
  job_slab slab(default_allocator(), job_slab::chunk_records);
  const auto shuffle = [&slab](std::size_t held_max) {
    free_records own;
    std::vector<job_record*> held;
    for (int i = 0; i < 30'000; ++i) {
      if (job_record* const record = own.take(slab)) held.push_back(record);
      while (held.size() > held_max) {
        job_record* const oldest = held.front();
        held.erase(held.begin());
        if (i % 7 == 0) {
          slab.give_back(*oldest);
        } else {
          own.give_back(slab, *oldest);
        }
      }
    }
    for (job_record* const each : held) own.give_back(slab, *each);
    own.give_all_back(slab);
  };
  std::thread first([&] { shuffle(1); });
  std::thread second([&] { shuffle(70); });
  shuffle(200);
  first.join();
  second.join();
  std::set<job_record*> all;
  free_records from;
  while (job_record* const record = from.take(slab)) ASSERT_TRUE(all.insert(record).second);
  EXPECT_EQ(all.size(), job_slab::chunk_records);
}

}  // namespace
}  // namespace overture::jobs_detail::job_slab_test
