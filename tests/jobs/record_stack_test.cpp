#include "jobs/queues/record_stack.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace overture::jobs_detail {
namespace {

class record_stacks : public testing::Test {
 protected:
  // Linked in this order.
  record_chain take(std::uint32_t count) {
    record_chain taken;
    for (; count != 0; --count) taken.append(*from_.take(slab_));
    return taken;
  }
  std::vector<job_record*> list(job_record* first) {
    std::vector<job_record*> all;
    for (; first != nullptr; first = slab_.next_of(*first)) all.push_back(first);
    return all;
  }

  job_slab slab_{default_allocator()};
  free_records from_;
  record_stack stack_;
};

TEST_F(record_stacks, keep_the_order_of_a_chain) {
  const record_chain chain = take(5);
  std::vector<job_record*> order = list(chain.first);
  ASSERT_EQ(order.size(), 5u);
  stack_.push(chain);
  EXPECT_EQ(stack_.pop(slab_), order[0]);
  EXPECT_EQ(stack_.pop(slab_), order[1]);
  order.erase(order.begin(), order.begin() + 2);
  EXPECT_EQ(list(stack_.take_all(slab_)), order);
  EXPECT_TRUE(stack_.empty());
  EXPECT_EQ(stack_.pop(slab_), nullptr);
}

TEST_F(record_stacks, put_the_newest_chain_on_top) {
  const record_chain older = take(2);
  const record_chain newer = take(2);
  std::vector<job_record*> order = list(newer.first);
  for (job_record* const each : list(older.first)) order.push_back(each);
  stack_.push(older);
  stack_.push(newer);
  EXPECT_EQ(list(stack_.take_all(slab_)), order);
}

TEST_F(record_stacks, take_the_top_only_if_nothing_has_changed) {
  const record_chain chain = take(1);
  stack_.push(chain);
  const record_stack::head seen = stack_.top();
  // The same record is on top again, but it has been away.
  ASSERT_EQ(stack_.pop(slab_), chain.first);
  stack_.push(chain);
  EXPECT_FALSE(stack_.pop_exactly(slab_, seen));
  EXPECT_TRUE(stack_.pop_exactly(slab_, stack_.top()));
  EXPECT_TRUE(stack_.empty());
}

TEST_F(record_stacks, lose_no_record_between_threads) {
  stack_.push(take(50));
  const auto shuffle = [this](int all_every) {
    for (int i = 0; i < 20'000; ++i) {
      record_chain moved;
      if (i % all_every == 0) {
        for (job_record* const each : list(stack_.take_all(slab_))) moved.append(*each);
      } else if (job_record* const one = stack_.pop(slab_)) {
        moved.append(*one);
      }
      if (moved.first != nullptr) stack_.push(moved);
    }
  };
  std::thread first([&] { shuffle(100); });
  std::thread second([&] { shuffle(70); });
  shuffle(30);
  first.join();
  second.join();
  EXPECT_EQ(list(stack_.take_all(slab_)).size(), 50u);
}

}  // namespace
}  // namespace overture::jobs_detail
