// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_host_jobs, waits_run_the_jobs_of_their_group_whatever_the_host_does)
C_TEST(c_host_jobs, the_end_of_a_job_elsewhere_wakes_who_waits)
C_TEST(c_host_jobs, jobs_without_a_group_and_cancelled_ones_reach_the_host)
C_TEST(c_host_jobs, loops_are_forked_to_the_host)
C_TEST(c_host_jobs, carry_reads_loads_and_stores)
C_TEST(c_host_jobs, need_a_function_and_a_size)
