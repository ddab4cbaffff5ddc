// SPDX-License-Identifier: Zlib
//
// Jobs on every core: the thread pool, groups, forks, graphs, coroutines.
#pragma once

#include "overture/jobs/blocking_scope.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/jobs/job.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/job_graph.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/paged.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/jobs/wake_policy.hpp"
#include "overture/jobs/wake_profile.hpp"
