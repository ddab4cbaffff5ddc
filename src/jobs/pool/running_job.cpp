// SPDX-License-Identifier: Zlib
#include "jobs/pool/running_job.hpp"

#include <cstdint>
#include <utility>

#include "base/guarded_call.hpp"
#include "jobs/pool/pool_state.hpp"
#include "overture/base/thread.hpp"

namespace overture {
namespace jobs_detail {
using namespace base_detail;

namespace {

constinit job_reports unheard{{}};

}  // namespace

bool refuse_wait(job_reports& reports, const job_group& group) noexcept {
  const running_job* const innermost = this_thread_jobs().innermost;
  for (const running_job* below = innermost; below != nullptr; below = below->below) {
    if (below->group != &group) continue;
    const job_hooks& hooks = reports.hooks;
    if (hooks.wait_refused != nullptr) {
      guarded_call(
          [&] { hooks.wait_refused(hooks.context, innermost->name, below->name); },
          [&](const char* what) noexcept { report_throw(reports, innermost->name, what); });
    }
    return true;
  }
  return false;
}

void run_without_memory(job&& work, job_group* group, const job_options& options) noexcept {
  if (group != nullptr) group->begin_job();
  {
    const on_stack frame(unheard, options.name, group, &work);
    if (!is_cancelled(options.token, group)) work();
    work = job();
  }
  if (group != nullptr) (void)group->end_job();
}

bool wait_without_memory(const job_group& group, std::uint64_t deadline_ns) noexcept {
  if (refuse_wait(unheard, group)) return false;
  // Jobs run where they are submitted, so a pending one runs on another thread.
  while (group.pending() != 0) {
    if (deadline_ns != 0 && now_ns() >= deadline_ns) return false;
    yield_thread();
  }
  return true;
}

void report_throw(job_reports& reports, const char* name, const char* what) noexcept {
  reports.thrown.fetch_add(1, std::memory_order_relaxed);
  const job_hooks& hooks = reports.hooks;
  if (hooks.job_threw == nullptr) return;
  (void)guarded_call([&] { hooks.job_threw(hooks.context, name, what); });
}

}  // namespace jobs_detail

using namespace base_detail;
using namespace jobs_detail;

void detail::execute_as_job(job_system& system, job_group* group, task work) noexcept {
  const auto run = [work]() noexcept {
    guarded_call([&work] { work.run(work.context); },
                 [](const char* what) noexcept { (void)job_threw(what); });
  };
  system.submit(run, group, {.always = group == nullptr});
}

bool detail::runs_inside_submit(const void* callable) noexcept {
  const running_job* const innermost = this_thread_jobs().innermost;
  if (innermost == nullptr || innermost->submitted == nullptr) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(callable);
  const auto begin = reinterpret_cast<std::uintptr_t>(innermost->submitted);
  return address - begin < sizeof(job);
}

bool detail::job_threw(const char* what) noexcept {
  const jobs_of_thread& here = this_thread_jobs();
  job_reports* reports = nullptr;
  const char* name = nullptr;
  for (const running_job* each = here.innermost; each != nullptr && name == nullptr;
       each = each->below) {
    reports = reports != nullptr ? reports : each->reports;
    name = each->name;
  }
  if (reports == nullptr && here.slot != nullptr) reports = &here.slot->pool->runner.reports;
  if (reports != nullptr) report_throw(*reports, name, what);
  return reports != nullptr;
}

}  // namespace overture
