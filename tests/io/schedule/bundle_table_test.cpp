// SPDX-License-Identifier: Zlib
//
// Which of the reads that threads have taken can be recalled.
#include "io/schedule/bundle_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace overture::io_detail::bundle_table_test {
namespace {

class bundle_table_test : public testing::Test {
 protected:
  bundle_table_test() {
    for (std::uint64_t i = 0; i < 3; ++i) {
      first_reads_[i].read_number = i + 1;
      second_reads_[i].read_number = i + 11;
      first_reads_[i].level = 3;
      second_reads_[i].level = 2;
    }
    all_.add(first_);
    all_.add(second_);
  }
  const read_operation* recall() {
    return all_.recall_all([&](read_operation& op) { recalled_.push_back(op.read_number); });
  }

  read_operation first_reads_[3];
  read_operation second_reads_[3];
  read_bundle first_{first_reads_, 3};
  read_bundle second_{second_reads_, 3};
  bundle_table all_;
  std::vector<std::uint64_t> recalled_;
};

TEST_F(bundle_table_test, a_single_read_cannot_be_recalled) {
  all_.publish(first_, 1);
  EXPECT_FALSE(all_.has_open());
  EXPECT_EQ(recall(), nullptr);
  EXPECT_FALSE(first_.claim_next());
}

TEST_F(bundle_table_test, what_has_not_begun_is_recalled_once) {
  all_.publish(first_, 3);
  all_.publish(second_, 3);
  EXPECT_EQ(all_.lowest_level(), 2u);
  EXPECT_TRUE(first_.claim_next());
  EXPECT_EQ(recall(), &second_reads_[0]) << "the read that began last";
  EXPECT_EQ(recalled_, (std::vector<std::uint64_t>{12, 13, 3}));
  EXPECT_FALSE(first_.claim_next());
  EXPECT_FALSE(second_.claim_next());
  EXPECT_FALSE(all_.has_open());
  EXPECT_EQ(recall(), nullptr);
  EXPECT_EQ(recalled_.size(), 3u);
}

TEST_F(bundle_table_test, nothing_is_recalled_of_a_bundle_whose_reads_have_all_begun) {
  all_.publish(first_, 2);
  EXPECT_TRUE(first_.claim_next());
  EXPECT_EQ(recall(), nullptr);
  all_.retire(first_);
  EXPECT_EQ(first_.taken(), 0u);
}

TEST_F(bundle_table_test, a_thread_that_leaves_takes_its_files_along) {
  EXPECT_EQ(all_.size(), 2u);
  EXPECT_FALSE(all_.has_files_ahead());
  first_.files_ahead.store(1);
  EXPECT_TRUE(all_.has_files_ahead());
  all_.remove(first_);
  EXPECT_FALSE(all_.has_files_ahead());
  EXPECT_EQ(all_.size(), 1u);
}

}  // namespace
}  // namespace overture::io_detail::bundle_table_test
