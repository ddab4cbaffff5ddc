// SPDX-License-Identifier: Zlib
//
// How an operation gets its file and gives it back.
#include "io/queue/file_access.hpp"

#include <gtest/gtest.h>

#include "io/unpack/part_samples.hpp"

namespace overture::io_detail::file_access_test {
namespace {

class file_access_test : public testing::Test {
 protected:
  file_access_test() {
    op_.begin();
    op_.add(request_);
    op_.read_number = 1;
  }
  void give_back() { files_access_.close(op_, files_access_.release(op_)); }

  test::noted_files files_;
  file_access files_access_{files_};
  read_request request_ = test::wanting(0);
  read_operation op_;
};

TEST_F(file_access_test, an_unknown_reader_pins_and_unpins) {
  files_.lends = true;
  ASSERT_TRUE(files_access_.open(op_, true));
  EXPECT_EQ(files_.pins, 1);
  EXPECT_EQ(files_.unpins, 0);
  give_back();
  EXPECT_EQ(files_.unpins, 1);
  EXPECT_EQ(files_.closed, 0);
}

TEST_F(file_access_test, a_known_reader_is_lent_an_open_file) {
  files_access_.set_known(true);
  files_.lends = true;
  ASSERT_TRUE(files_access_.open(op_, true));
  EXPECT_EQ(op_.tally.files.hits, 1u);
  give_back();
  EXPECT_EQ(files_.pins + files_.unpins + files_.closed, 0);
}

TEST_F(file_access_test, a_file_of_its_own_is_opened_in_turn_and_closed) {
  files_access_.set_known(true);
  files_.opens_own = true;
  op_.may_own_file = true;
  ASSERT_TRUE(files_access_.open(op_, true));
  EXPECT_TRUE(op_.owns_file.load());
  EXPECT_EQ(op_.tally.files.opens, 1u);
  give_back();
  EXPECT_FALSE(op_.owns_file.load());
  EXPECT_EQ(files_.closed, 1);
}

TEST_F(file_access_test, a_view_is_of_no_file_of_its_own) {
  files_access_.set_known(true);
  files_.opens_own = true;
  op_.may_own_file = true;
  request_.into = read_into::view;
  ASSERT_TRUE(files_access_.open(op_, true));
  EXPECT_EQ(files_.pins, 1);
  EXPECT_FALSE(op_.owns_file.load());
}

TEST_F(file_access_test, a_caller_that_may_not_wait_is_refused) {
  const result<void> opened = files_access_.open(op_, false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, errc::busy);
  give_back();
  EXPECT_EQ(files_.unpins, 0) << "it was never pinned";
}

TEST_F(file_access_test, a_file_opened_ahead_is_used_or_closed) {
  files_access_.set_known(true);
  EXPECT_FALSE(files_access_.open_ahead(op_)) << "no file of its own";
  files_.opens_own = true;
  ASSERT_TRUE(files_access_.open_ahead(op_));
  EXPECT_EQ(files_.fetched, 1);
  ASSERT_TRUE(files_access_.open(op_, true));
  EXPECT_FALSE(files_access_.close_ahead(op_)) << "it is in use";
  give_back();
  EXPECT_EQ(files_.closed, 1);
  ASSERT_TRUE(files_access_.open_ahead(op_));
  EXPECT_TRUE(files_access_.close_ahead(op_));
  EXPECT_EQ(files_.closed, 2);
}

}  // namespace
}  // namespace overture::io_detail::file_access_test
