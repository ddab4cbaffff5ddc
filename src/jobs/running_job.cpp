#include "jobs/pool_state.hpp"

namespace overture {

bool refuse_wait(const job_reports& reports, const job_group& group) noexcept {
  const running_job* const innermost = this_thread_jobs().innermost;
  for (const running_job* below = innermost; below != nullptr; below = below->below) {
    if (below->group != &group) continue;
    if (reports.hooks.wait_refused != nullptr) {
      reports.hooks.wait_refused(reports.hooks.context, innermost->name, below->name);
    }
    return true;
  }
  return false;
}

void tell_of_throw(job_reports& reports, const char* name, const char* what) noexcept {
  reports.thrown.fetch_add(1, std::memory_order_relaxed);
  if (reports.hooks.job_threw != nullptr) {
    reports.hooks.job_threw(reports.hooks.context, name, what);
  }
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
  if (reports == nullptr && here.place != nullptr) reports = &here.place->pool->reports;
  if (reports != nullptr) tell_of_throw(*reports, name, what);
  return reports != nullptr;
}

}  // namespace overture
