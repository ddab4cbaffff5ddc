// SPDX-License-Identifier: Zlib
//
// Requests that wait for a barricade.
#include "io/queue/gate_list.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "io/unpack/part_samples.hpp"
#include "support/failing_allocator.hpp"

namespace overture::io_detail::gate_list_test {
namespace {

using test::wanting;

class gate_list_test : public testing::Test, public gate_owner {
 protected:
  ~gate_list_test() override {
    if (lifetime_) lifetime_->retire();
  }
  void let_through(read_gate& opened) noexcept override {
    if (!opened.request) return;
    through_.push_back(opened.request);
    gates_.remove(opened);
  }
  void hold_back(read_request& request, barricade& after) {
    read_gate* fresh = nullptr;
    ASSERT_TRUE(gates_.add(request, after, fresh));
    gate_list::register_all(fresh);
  }

  unpack_queue* lifetime_ = unpack_queue::make(default_allocator());
  gate_list gates_{*this, default_allocator(), lifetime_};
  barricade door_{barricade::raised};
  read_request first_ = wanting(0);
  read_request second_ = wanting(10);
  std::vector<read_request*> through_;
};

TEST_F(gate_list_test, a_request_goes_through_when_its_barricade_is_lowered) {
  hold_back(first_, door_);
  EXPECT_EQ(gates_.size(), 1u);
  EXPECT_TRUE(through_.empty());
  door_.lower();
  EXPECT_EQ(through_, std::vector<read_request*>{&first_});
  EXPECT_EQ(gates_.size(), 0u);
  EXPECT_EQ(first_.gate, nullptr);
}

TEST_F(gate_list_test, a_barricade_that_is_down_lets_through_at_once) {
  door_.lower();
  hold_back(first_, door_);
  EXPECT_EQ(through_, std::vector<read_request*>{&first_});
}

TEST_F(gate_list_test, a_request_that_was_removed_never_goes_through) {
  hold_back(first_, door_);
  hold_back(second_, door_);
  EXPECT_TRUE(gates_.remove(first_));
  EXPECT_FALSE(gates_.remove(first_));
  door_.lower();
  EXPECT_EQ(through_, std::vector<read_request*>{&second_});
}

TEST_F(gate_list_test, those_that_match_are_removed) {
  first_.tag = 7;
  hold_back(first_, door_);
  hold_back(second_, door_);
  std::vector<read_request*> removed;
  gates_.remove_if([](const read_request& each) { return each.tag == 7; },
                   [&](read_request& each) { removed.push_back(&each); });
  EXPECT_EQ(removed, std::vector<read_request*>{&first_});
  EXPECT_EQ(gates_.size(), 1u);
  door_.lower();
}

TEST_F(gate_list_test, a_barricade_may_be_lowered_after_the_end_of_the_queue) {
  hold_back(first_, door_);
  EXPECT_TRUE(gates_.remove(first_));
  lifetime_->retire();
  lifetime_ = nullptr;
  door_.lower();
  EXPECT_TRUE(through_.empty());
}

TEST_F(gate_list_test, refused_memory_holds_nothing_back) {
  failing_allocator memory(0, true);
  gate_list refused(*this, memory, lifetime_);
  read_gate* fresh = nullptr;
  EXPECT_FALSE(refused.add(first_, door_, fresh));
  gate_list without(*this, default_allocator(), nullptr);
  EXPECT_FALSE(without.add(first_, door_, fresh));
  EXPECT_EQ(fresh, nullptr);
  EXPECT_EQ(first_.gate, nullptr);
}

}  // namespace
}  // namespace overture::io_detail::gate_list_test
