// SPDX-License-Identifier: Zlib
#include "c_test.hpp"

C_TEST(c_jobs, a_group_waits_for_its_jobs)
C_TEST(c_jobs, what_is_in_use_is_busy_and_stays)
C_TEST(c_jobs, a_wait_ends_when_its_time_has_run_out)
C_TEST(c_jobs, a_job_that_waits_for_its_own_group_is_refused)
C_TEST(c_jobs, a_cancelled_group_runs_nothing_more)
C_TEST(c_jobs, a_parallel_loop_visits_each_number_once)
C_TEST(c_jobs, null_and_misuse_are_invalid)
