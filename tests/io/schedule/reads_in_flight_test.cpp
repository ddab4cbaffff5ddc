// SPDX-License-Identifier: Zlib
//
// What is being read at this moment.
#include "io/schedule/reads_in_flight.hpp"

#include <gtest/gtest.h>

#include "io/unpack/part_samples.hpp"

namespace overture::io_detail::reads_in_flight_test {
namespace {

using test::other_file;
using test::some_file;
using test::wanting;

class reads_in_flight_test : public testing::Test {
 protected:
  reads_in_flight_test() {
    first_.begin();
    first_.add(here_);
    second_.begin();
    second_.add(there_);
    all_.add(first_);
    all_.add(second_);
  }

  read_request here_ = wanting(0);
  read_request there_ = wanting(100, 50, other_file);
  read_operation first_;
  read_operation second_;
  reads_in_flight all_;
};

TEST_F(reads_in_flight_test, a_twin_asks_for_the_very_bytes_of_a_read) {
  const read_request same = wanting(0);
  const read_request longer = wanting(0, 11);
  const read_request elsewhere = wanting(0, 10, {77, 1});
  EXPECT_EQ(all_.find_twin(same), &first_);
  EXPECT_EQ(all_.find_twin(longer), nullptr);
  EXPECT_EQ(all_.find_twin(elsewhere), nullptr);
  all_.remove(first_);
  EXPECT_EQ(all_.find_twin(same), nullptr);
  EXPECT_FALSE(reads_in_flight::has(first_));
  EXPECT_TRUE(reads_in_flight::has(second_));
}

TEST_F(reads_in_flight_test, bytes_are_those_of_all_reads) {
  EXPECT_EQ(all_.bytes(), 60u);
  all_.remove(second_);
  EXPECT_EQ(all_.bytes(), 10u);
  all_.remove(first_);
  EXPECT_EQ(all_.bytes(), 0u);
}

TEST_F(reads_in_flight_test, a_read_that_was_asked_for_says_so_once) {
  EXPECT_FALSE(all_.ask_for({99, 1}));
  EXPECT_TRUE(all_.ask_for(other_file));
  EXPECT_FALSE(reads_in_flight::was_asked_for(first_));
  EXPECT_TRUE(reads_in_flight::was_asked_for(second_));
  EXPECT_FALSE(reads_in_flight::was_asked_for(second_));
}

TEST_F(reads_in_flight_test, a_file_that_a_read_owns_is_found) {
  EXPECT_FALSE(all_.any_owns_file());
  second_.owns_file.store(true);
  EXPECT_TRUE(all_.any_owns_file());
  all_.remove(second_);
  EXPECT_FALSE(all_.any_owns_file());
}

}  // namespace
}  // namespace overture::io_detail::reads_in_flight_test
