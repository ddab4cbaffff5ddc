// SPDX-License-Identifier: Zlib
#include "terminal/messages.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "system/exit_code.hpp"

namespace overture::cli::messages_test {
namespace {

TEST(reason_of, adds_the_systems_message_and_the_offset) {
  EXPECT_EQ(reason_of({errc::corrupt, 0, "broken", {}, 0}), "broken");
  EXPECT_EQ(reason_of({errc::corrupt, 0, "broken", {}, 7}), "broken, at byte 7");
  EXPECT_EQ(reason_of({errc::io, EIO, "cannot read", {}, 0}), "cannot read (Input/output error)");
}

TEST(reason_of, leaves_the_offset_of_what_is_unsupported_out_and_nothing_else) {
  EXPECT_EQ(reason_of({errc::unsupported, 0, "unknown method; repack it", {}, 7}),
            "unknown method; repack it");
  EXPECT_EQ(reason_of({errc::unsupported, ENOSYS, "cannot watch", {}, 0}),
            "cannot watch (Function not implemented)");
}

TEST(reason_of, names_the_code_if_there_is_no_reason) {
  EXPECT_EQ(reason_of({errc::replaced, 0, "", {}, 0}), "replaced");
}

TEST(reason_of, says_how_much_memory_was_refused) {
  EXPECT_EQ(reason_of({errc::out_of_memory, 0, "out of memory for a block", {}, 3u << 20}),
            "out of memory for a block (3.00 MiB asked for)");
  EXPECT_EQ(reason_of({errc::out_of_memory, 0, "out of memory", {}, 0}), "out of memory");
}

TEST(reason_of, names_the_option_for_a_missing_password) {
  EXPECT_EQ(
      reason_of({errc::password, 0, "the file is encrypted; mount it with a password", {}, 9}),
      "the file is encrypted; give its password with --password");
  EXPECT_EQ(reason_of({errc::password, 0, "wrong password", {}, 9}), "wrong password");
}

TEST(reason_of, names_the_option_that_allows_bombs) {
  EXPECT_EQ(
      reason_of({errc::limit, 0, "a bomb; if you trust it, mount it with allow_bombs", {}, 9}),
      "a bomb; if you trust it, read it with --allow-bombs");
}

std::string printed(const std::exception& failure) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(print_exception(failure), exit_output_failed);
  return testing::internal::GetCapturedStderr();
}

TEST(print_exception, says_that_it_is_not_the_users_mistake) {
  EXPECT_EQ(printed(std::runtime_error("unex\x1bpected")),
            "error: internal error: unex\\x1bpected\n");
}

TEST(print_exception, tells_a_lack_of_memory_from_a_bug) {
  EXPECT_EQ(printed(std::bad_alloc()),
            "error: out of memory; close other programs and try again\n");
}

}  // namespace
}  // namespace overture::cli::messages_test
