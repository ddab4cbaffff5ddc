// SPDX-License-Identifier: Zlib
#include "jobs/queues/job_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace overture::jobs_detail::job_deque_test {
namespace {

class job_deques : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(deque_.initialise(default_allocator())); }
  void push(job_record& record) {
    ASSERT_TRUE(deque_.make_room());
    deque_.push(record);
  }
  job_deque deque_;
};

TEST_F(job_deques, give_the_owner_the_newest_and_thieves_the_oldest) {
  std::vector<job_record> records(3);
  for (job_record& record : records) push(record);
  EXPECT_EQ(deque_.peek().record(), &records[2]);
  EXPECT_EQ(deque_.pop().record(), &records[2]);
  EXPECT_EQ(deque_.steal().record(), &records[0]);
  EXPECT_EQ(deque_.pop().record(), &records[1]);
  EXPECT_EQ(deque_.pop().record(), nullptr);
  EXPECT_EQ(deque_.steal().record(), nullptr);
  EXPECT_EQ(deque_.peek().record(), nullptr);
  EXPECT_TRUE(deque_.empty());
}

TEST_F(job_deques, give_several_from_outside_at_once_and_none_of_the_owners) {
  std::vector<job_record> records(5);
  for (std::size_t i = 0; i < 3; ++i) push(records[i]);
  EXPECT_TRUE(deque_.has_own());
  deque_.mark_arrivals();
  EXPECT_FALSE(deque_.has_own());
  push(records[3]);
  push(records[4]);
  std::array<job_record*, 2> taken{};
  ASSERT_EQ(deque_.steal_arrivals(taken), 2u);
  EXPECT_EQ(taken[0], &records[0]);
  EXPECT_EQ(taken[1], &records[1]);
  ASSERT_EQ(deque_.steal_arrivals(taken), 1u);
  EXPECT_EQ(taken[0], &records[2]);
  EXPECT_EQ(deque_.steal_arrivals(taken), 0u);
  EXPECT_EQ(deque_.size(), 2u);
  EXPECT_TRUE(deque_.has_own());
}

TEST_F(job_deques, grow_and_keep_their_order) {
  std::vector<job_record> records(job_deque::first_capacity * 5);
  EXPECT_TRUE(deque_.empty());
  for (std::size_t i = 0; i < 100; ++i) push(records[i]);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(deque_.steal().record(), &records[i]);
  for (job_record& record : records) push(record);
  for (job_record& record : records) ASSERT_EQ(deque_.steal().record(), &record);
}

TEST_F(job_deques, give_each_hint_to_one_thread_only) {
  constexpr int rounds = 20'000;
  std::vector<job_record> records(64);
  std::vector<int> taken(rounds, 0);
  // Each record carries its number as its index; the claim decides who counts it.
  atomic<bool> done{false};
  atomic<int> sum{0};
  const auto steal = [&] {
    while (!done.load() || !deque_.empty()) {
      if (deque_.steal().record() != nullptr) sum.fetch_add(1);
    }
  };
  std::thread first(steal);
  std::thread second(steal);
  int popped = 0;
  for (int i = 0; i < rounds; ++i) {
    push(records[static_cast<std::size_t>(i) % records.size()]);
    if (i % 3 == 0 && deque_.pop().record() != nullptr) ++popped;
  }
  done.store(true);
  first.join();
  second.join();
  EXPECT_EQ(sum.load() + popped, rounds);
}

struct no_jobs final : job_system {
  void submit(job, job_group*, const job_options&) noexcept override {}
  void wait(job_group&) noexcept override {}
  bool wait_until(job_group&, std::uint64_t) noexcept override { return true; }
  unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char*) noexcept override {}
};

TEST_F(job_deques, give_a_job_of_a_group_and_leave_those_of_others) {
  no_jobs system;
  job_group wanted{system};
  job_group other{system};
  std::vector<job_record> records(5);
  job_group* const groups[] = {&other, &wanted, &wanted, &other, &wanted};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arm(job([] {}), groups[i], {}, job_record::usual);
    push(records[i]);
  }
  EXPECT_EQ(deque_.take_of(&wanted, 1), nullptr) << "one of another group lies on top";
  EXPECT_TRUE(records[0].claim());  // it has run, so its hint is no longer needed
  EXPECT_TRUE(records[1].claim());
  EXPECT_EQ(deque_.take_of(&wanted, 1), &records[2]);
  EXPECT_EQ(deque_.size(), 2u);
  EXPECT_EQ(deque_.take_of(&wanted, 1), nullptr);
  EXPECT_EQ(deque_.take_of(&wanted, 2), &records[4]) << "out of the middle";
  EXPECT_EQ(deque_.size(), 2u);
}

TEST_F(job_deques, count_dead_hints_and_remove_them) {
  parking sleepers(default_allocator(), 1, 0);
  no_jobs system;
  job_group wanted{system};
  job_group other{system};
  std::vector<job_record> records(100);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arm(job([] {}), i % 10 == 0 ? &other : &wanted, {}, job_record::usual);
    push(records[i]);
  }
  std::uint64_t dead = 0;
  while (deque_.take_of(&wanted, UINT64_MAX, &dead) != nullptr) dead = 0;
  EXPECT_EQ(dead, 90u);
  EXPECT_TRUE(deque_.has_many_dead(dead));
  deque_.remove_dead(sleepers);
  EXPECT_EQ(deque_.size(), 10u);
  for (std::size_t i = 0; i < records.size(); i += 10) {
    ASSERT_EQ(deque_.claim_arrival(), &records[i]) << "in their order";
  }
}

TEST_F(job_deques, give_their_owner_what_came_from_outside_in_its_order) {
  std::vector<job_record> records(30);
  for (job_record& each : records) {
    each.arm(job([] {}), nullptr, {}, job_record::usual);
    push(each);
  }
  deque_.mark_arrivals();
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(deque_.claim_arrival(), &records[i]);
  // Thieves may come across hints to those, which lead nowhere.
  job_record* stolen = nullptr;
  while (stolen == nullptr) {
    job_record* const met = deque_.steal().record();
    ASSERT_NE(met, nullptr);
    if (met->claim()) stolen = met;
  }
  EXPECT_EQ(stolen, &records[3]);
  EXPECT_TRUE(records[5].claim());  // out of the middle
  ASSERT_EQ(deque_.claim_arrival(), &records[4]);
  for (std::size_t i = 6; i < records.size(); ++i) {
    ASSERT_FALSE(deque_.empty());
    ASSERT_EQ(deque_.claim_arrival(), &records[i]);
  }
  EXPECT_TRUE(deque_.empty()) << "before the last one runs";
  EXPECT_EQ(deque_.claim_arrival(), nullptr);
}

TEST_F(job_deques, keep_few_hints_to_what_their_owner_has_claimed) {
  std::vector<job_record> records(100);
  for (job_record& each : records) {
    each.arm(job([] {}), nullptr, {}, job_record::usual);
    push(each);
  }
  deque_.mark_arrivals();
  for (std::uint64_t i = 1; i < records.size(); ++i) {
    ASSERT_NE(deque_.claim_arrival(), nullptr);
    ASSERT_LT(i - deque_.oldest(), sizes::hints_removed_at_once);
  }
}

TEST_F(job_deques, give_their_owner_no_arrival_after_one_of_another_group) {
  no_jobs system;
  job_group wanted{system};
  job_group other{system};
  std::vector<job_record> records(5);
  job_group* const groups[] = {&wanted, &other, &wanted, &other, &wanted};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arm(job([] {}), groups[i], {}, job_record::usual);
    push(records[i]);
  }
  deque_.mark_arrivals();
  EXPECT_TRUE(records[1].claim());  // it has run
  EXPECT_EQ(deque_.claim_arrival_of(&wanted), &records[0]);
  EXPECT_EQ(deque_.claim_arrival_of(&wanted), &records[2]);
  EXPECT_EQ(deque_.claim_arrival_of(&wanted), nullptr);
  EXPECT_EQ(deque_.steal().record(), &records[3]) << "the first one still needed";
  EXPECT_EQ(deque_.claim_arrival_of(&wanted), &records[4]);
  EXPECT_TRUE(deque_.empty());
}

TEST_F(job_deques, look_for_a_group_from_a_position_on) {
  no_jobs system;
  job_group wanted{system};
  job_group other{system};
  std::vector<job_record> records(7);
  job_group* const groups[] = {&wanted, &other, &other, &wanted, &other, &wanted, &other};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arm(job([] {}), groups[i], {}, job_record::usual);
    push(records[i]);
  }
  std::uint64_t next = 3;
  EXPECT_EQ(deque_.claim_next_of(&wanted, next, 1), &records[3]);
  EXPECT_EQ(next, 4u);
  EXPECT_EQ(deque_.claim_next_of(&wanted, next, 1), nullptr) << "one of another group comes first";
  EXPECT_EQ(next, 5u) << "and is not looked at again";
  EXPECT_EQ(deque_.claim_next_of(&wanted, next, 1), &records[5]);
  EXPECT_EQ(deque_.claim_next_of(&wanted, next, 100), nullptr);
  EXPECT_EQ(next, 7u);
  EXPECT_EQ(deque_.claim_next_of(&wanted, next, 100), nullptr) << "the end";
  next = 0;
  EXPECT_EQ(deque_.steal().record(), &records[0]);
  EXPECT_EQ(deque_.steal().record(), &records[1]);
  EXPECT_EQ(deque_.claim_next_of(&other, next, 1), &records[2]) << "the first that is there";
}

// Their records may hold another job by then, which only some threads may run.
TEST_F(job_deques, remove_hints_whose_records_are_in_other_queues_by_now) {
  no_jobs system;
  job_group wanted{system};
  std::vector<job_record> records(3);
  const auto arm_and_push = [&] {
    for (job_record& each : records) {
      each.arm(job([] {}), &wanted, {}, job_record::usual);
      push(each);
    }
    deque_.mark_arrivals();
    for (job_record* const each : {&records[0], &records[1]}) {
      ASSERT_TRUE(each->claim());
      each->arm(job([] {}), &wanted, {}, job_record::of_main);
    }
  };
  arm_and_push();
  EXPECT_EQ(deque_.claim_of(&wanted, false), &records[2]);
  EXPECT_EQ(deque_.take_of(&wanted, 1), nullptr);
  EXPECT_TRUE(deque_.empty());
  EXPECT_TRUE(records[0].claim(job_record::of_main) && records[1].claim(job_record::of_main));

  arm_and_push();
  EXPECT_EQ(deque_.take_of(&wanted, 1), &records[2]);
  EXPECT_TRUE(deque_.empty());
}

TEST_F(job_deques, let_a_group_be_found_in_their_middle) {
  no_jobs system;
  job_group wanted{system};
  job_group other{system};
  std::vector<job_record> records(4);
  job_group* const groups[] = {&other, &wanted, &wanted, nullptr};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arm(job([] {}), groups[i], {}, job_record::usual);
    push(records[i]);
  }
  EXPECT_EQ(deque_.claim_of(&wanted, false, 1), nullptr);  // the first is another one's
  EXPECT_EQ(deque_.claim_of(&wanted, true), &records[2]);
  EXPECT_EQ(deque_.claim_of(&wanted, false), &records[1]);
  EXPECT_EQ(deque_.claim_of(&wanted, true), nullptr);
  // The hints stay, but lead nowhere.
  EXPECT_FALSE(records[1].claim());
  EXPECT_TRUE(records[0].claim());
}

}  // namespace
}  // namespace overture::jobs_detail::job_deque_test
