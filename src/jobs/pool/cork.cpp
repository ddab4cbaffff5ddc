// SPDX-License-Identifier: Zlib
#include <utility>

#include "jobs/pool/pool_state.hpp"
#include "overture/base/contracts.hpp"
#include "overture/jobs/job_batch.hpp"

namespace overture {
namespace {

using namespace jobs_detail;

cork* innermost_cork() noexcept {
  return static_cast<cork*>(this_thread_jobs().cork);
}

}  // namespace

cork::cork(thread_pool& pool) noexcept : pool_(pool), outer_(innermost_cork()) {
  this_thread_jobs().cork = this;
  next = set_wait_observer(this);
}

cork::~cork() {
  if constexpr (detail::contracts) {
    detail::expects(innermost_cork() == this,
                    "a cork was destroyed on another thread, or before a cork made later: keep "
                    "corks on the stack");
  }
  remove_wait_observer(*this);
  this_thread_jobs().cork = outer_;
  flush();
}

void cork::flush() noexcept {
  if (count_ == 0) return;
  // A job that runs right here, for want of room, may submit more, which is gathered anew.
  job jobs[jobs_max];
  terms of_jobs[jobs_max];
  const std::size_t count = std::exchange(count_, 0);
  for (std::size_t i = 0; i < count; ++i) {
    jobs[i] = std::move(jobs_[i]);
    of_jobs[i] = of_jobs_[i];
  }
  pool_state& pool = *pool_.state_;
  for (std::size_t begin = 0; begin < count;) {
    const terms& same = of_jobs[begin];
    std::size_t end = begin + 1;
    while (end < count && of_jobs[end] == same) ++end;
    pool.submit({jobs + begin, end - begin}, same.group, same.options, false);
    pool.runner.count_down(same.group, static_cast<std::uint32_t>(end - begin));
    begin = end;
  }
}

void jobs_detail::flush_corks() noexcept {
  for (cork* each = innermost_cork(); each != nullptr;) {
    // Jobs that run right here may be gathered from again, in any of them.
    each = each->flush_if_filled() ? innermost_cork() : each->outer();
  }
}

bool cork::flush_if_filled() noexcept {
  const bool filled = count_ != 0;
  flush();
  return filled;
}

bool cork::gathers(const thread_pool& pool, const job_options& options) const noexcept {
  return &pool == &pool_ && options.priority == job_priority::normal;
}

void cork::add(job&& work, job_group* group, const job_options& options) noexcept {
  if (group != nullptr) group->begin_job();
  jobs_[count_] = std::move(work);
  of_jobs_[count_++] = {group, options};
  if (count_ == jobs_max) flush();
}

void cork::wait_begins(const char* reason) noexcept {
  flush_corks();
  if (next != nullptr) next->wait_begins(reason);
}

void cork::wait_ends() noexcept {
  if (next != nullptr) next->wait_ends();
}

}  // namespace overture
