// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_reads, a_read_is_begun_waited_for_and_taken)
C_TEST(c_reads, what_goes_wrong_comes_with_the_read)
C_TEST(c_reads, a_callback_may_take_the_bytes_and_free_the_read)
C_TEST(c_reads, a_read_that_will_be_called_done_is_busy_until_that)
C_TEST(c_reads, a_cancelled_read_is_done_as_cancelled)
C_TEST(c_reads, to_free_a_read_is_to_wait_for_its_end)
C_TEST(c_reads, a_pool_may_record_and_use_the_kernels_queue)
C_TEST(c_reads, several_threads_may_begin_and_free_reads)
C_TEST(c_reads, null_and_misuse_are_invalid)
