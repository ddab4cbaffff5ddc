// SPDX-License-Identifier: Zlib
//
// Pools, groups, jobs and parallel loops: overture/c/jobs.h.
#include "overture/c/jobs.h"

#include <algorithm>
#include <optional>

#include "c/duration.hpp"
#include "c/handles.hpp"
#include "c/host_jobs.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/jobs/thread_pool.hpp"

using namespace overture;
using namespace overture::c;

struct overture_group {
  explicit overture_group(overture_pool* of) noexcept : pool(of), jobs(of->jobs) {}

  use_of<overture_pool> pool;
  job_group jobs;
};

namespace {

struct own_pool final : overture_pool {
  own_pool(const thread_pool_config& config, overture_timeline* records,
           const given_allocator& from) noexcept
      : overture_pool(records, from, own), own(with_memory(config, memory)) {}

  thread_pool own;
};

struct host_pool final : overture_pool {
  host_pool(const overture_host_jobs& how, const job_hooks& hooks,
            const given_allocator& from) noexcept
      : overture_pool(nullptr, from, own),
        own(how, hooks, memory.get() != nullptr ? memory : default_allocator()) {
    is_host = true;
  }

  host_jobs own;
};

// Set by the pool while this thread is in a wait that could never end.
constinit thread_local bool wait_was_refused = false;

void refused(void* /*context*/, const char* /*waiting*/, const char* /*below*/) {
  wait_was_refused = true;
}

std::optional<wake_policy> policy_of(std::int32_t wake) noexcept {
  switch (wake) {
    case OVERTURE_WAKE_PARK:
      return wake_policy::park;
    case OVERTURE_WAKE_WARM:
      return wake_policy::warm;
    case OVERTURE_WAKE_SPIN:
      return wake_policy::spin;
    default:
      return std::nullopt;
  }
}

std::optional<job_priority> job_priority_of(std::int32_t priority) noexcept {
  switch (priority) {
    case OVERTURE_JOB_HIGH:
      return job_priority::high;
    case OVERTURE_JOB_NORMAL:
      return job_priority::normal;
    case OVERTURE_JOB_LOW:
      return job_priority::low;
    default:
      return std::nullopt;
  }
}

constexpr const char* no_group = "the group is NULL";
constexpr const char* no_pool = "the pool is NULL";

}  // namespace

overture_code overture_pool_make(const overture_pool_config* config, overture_pool** pool,
                                 overture_error* error) {
  if (pool == nullptr) return invalid(error, "there is no place for the pool");
  *pool = nullptr;
  overture_pool_config wanted;
  if (const overture_code flaw = read_options(config, wanted, error)) return flaw;
  const std::optional<wake_policy> policy = policy_of(wanted.wake);
  if (!policy) return invalid(error, "an unknown OVERTURE_WAKE_...");
  if (wanted.workers > limits::pool_workers_max) {
    return failed(error, errc::limit, "more workers than a pool may have");
  }
  const unsigned workers = std::max(1u, processor_count() - 1);
  thread_pool_config how{.workers = wanted.workers != 0 ? wanted.workers : workers,
                         .wake = *policy,
                         .hooks = {.wait_refused = refused}};
  if (wanted.timeline != nullptr) how.record = &wanted.timeline->record;
  given_allocator memory;
  if (const char* const flaw = memory.set(wanted.memory)) return invalid(error, flaw);
  own_pool* const made = make<own_pool>(how, wanted.timeline, memory);
  if (made == nullptr) return out_of_memory(error);
  if (const result<void> status = made->own.status(); !status) {
    destroy(made);
    return failed(error, status.error());
  }
  *pool = made;
  return fine(error);
}

overture_code overture_pool_make_host(const overture_host_jobs* host, overture_pool** pool,
                                      overture_error* error) {
  if (pool == nullptr) return invalid(error, "there is no place for the pool");
  *pool = nullptr;
  if (host == nullptr) return invalid(error, "the job system is NULL");
  overture_host_jobs how;
  if (const overture_code flaw = read_options(host, how, error)) return flaw;
  if (how.submit == nullptr) return invalid(error, "the job system has no submit()");
  if (how.threads > limits::pool_workers_max) {
    return failed(error, errc::limit, "more workers than a pool may have");
  }
  given_allocator memory;
  if (const char* const flaw = memory.set(how.memory)) return invalid(error, flaw);
  *pool = make<host_pool>(how, job_hooks{.wait_refused = refused}, memory);
  return *pool == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_pool_free(overture_pool* pool, overture_error* error) {
  constexpr const char* still_used = "groups or reads still use the pool";
  if (pool == nullptr || !pool->is_host) {
    return end_unused(static_cast<own_pool*>(pool), still_used, error);
  }
  auto* const host = static_cast<host_pool*>(pool);
  if (host->own.any_given()) {
    return failed(error, errc::busy, "the job system has jobs that it has not run");
  }
  return end_unused(host, still_used, error);
}

uint32_t overture_pool_workers(const overture_pool* pool) {
  return pool == nullptr ? 0 : pool->jobs.concurrency() - 1;
}

overture_code overture_group_make(overture_pool* pool, overture_group** group,
                                  overture_error* error) {
  if (group == nullptr) return invalid(error, "there is no place for the group");
  *group = nullptr;
  if (pool == nullptr) return invalid(error, no_pool);
  overture_group* const made = make<overture_group>(pool);
  if (made == nullptr) return out_of_memory(error);
  *group = made;
  return fine(error);
}

overture_code overture_group_free(overture_group* group, overture_error* error) {
  if (group == nullptr) return fine(error);
  if (group->jobs.pending() != 0) {
    return failed(error, errc::busy, "jobs of the group have not ended: wait for it");
  }
  destroy(group);
  return fine(error);
}

uint32_t overture_group_pending(const overture_group* group) {
  return group == nullptr ? 0 : group->jobs.pending();
}

overture_code overture_group_wait(overture_group* group, overture_error* error) {
  return overture_group_wait_for(group, UINT64_MAX, error);
}

overture_code overture_group_wait_for(overture_group* group, uint64_t timeout_ns,
                                      overture_error* error) {
  if (group == nullptr) return invalid(error, no_group);
  const bool was_refused = std::exchange(wait_was_refused, false);
  bool ended = true;
  if (timeout_ns == UINT64_MAX) {
    group->jobs.wait();
  } else {
    ended = group->jobs.wait_until(deadline_in(timeout_ns));
  }
  const bool refused_here = std::exchange(wait_was_refused, was_refused);
  if (refused_here) return invalid(error, "a job waits for a group that it belongs to");
  if (!ended) return failed(error, errc::busy, "jobs of the group have not ended");
  return fine(error);
}

overture_code overture_group_cancel(overture_group* group, overture_error* error) {
  if (group == nullptr) return invalid(error, no_group);
  group->jobs.cancel();
  return fine(error);
}

overture_code overture_pool_submit(overture_pool* pool, overture_job job, void* context,
                                   overture_group* group, const overture_job_options* options,
                                   overture_error* error) {
  if (pool == nullptr) return invalid(error, no_pool);
  if (job == nullptr) return invalid(error, "the job is NULL");
  if (group != nullptr && &*group->pool != pool) {
    return invalid(error, "the group is another pool's");
  }
  overture_job_options wanted;
  if (const overture_code flaw = read_options(options, wanted, error)) return flaw;
  const std::optional<job_priority> priority = job_priority_of(wanted.priority);
  if (!priority) return invalid(error, "an unknown OVERTURE_JOB_...");
  pool->jobs.submit([job, context] { job(context); }, group == nullptr ? nullptr : &group->jobs,
                    {.priority = *priority, .name = wanted.name});
  return fine(error);
}

overture_code overture_parallel_for(overture_pool* pool, size_t first, size_t last, size_t grain,
                                    overture_piece piece, void* context, overture_error* error) {
  if (pool == nullptr) return invalid(error, no_pool);
  if (piece == nullptr) return invalid(error, "the piece is NULL");
  if (first >= last) return fine(error);
  const std::size_t count = last - first;
  if (grain == 0) grain = count / (std::size_t{pool->jobs.concurrency()} * 8) + 1;
  const std::size_t pieces = count / grain + (count % grain != 0 ? 1 : 0);
  const auto call = [=](std::size_t i) noexcept {
    const std::size_t from = first + i * grain;
    piece(context, from, last - from < grain ? last : from + grain);
  };
  parallel_for(pool->jobs, 0, pieces, call, 1);
  return fine(error);
}
