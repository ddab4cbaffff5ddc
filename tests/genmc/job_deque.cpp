// SPDX-License-Identifier: Zlib
//
// src/jobs/queues/job_deque.cpp: the owner pushes, its array grows, and it pops what thieves are
// after too. Each job is taken exactly once, by a thread that sees what was written into it.
#include "jobs/queues/job_deque.cpp"

#include "genmc/model.hpp"
#include "genmc/platform.hpp"

namespace {

using namespace overture::jobs_detail;

constexpr unsigned jobs = JOBS;

job_deque deque;
job_record records[jobs];
unsigned taken[genmc::threads_max][jobs];

void take(job_hint hint) {
  job_record* const record = hint.record();
  if (record == nullptr) return;
  genmc::check(record->index == 7, "a thief sees what was written into a job");
  ++taken[genmc::self][record - records];
}

void owns() {
  for (job_record& each : records) {
    each.index = 7;
    (void)deque.make_room();
    deque.push(each);
  }
  take(deque.pop());
  take(deque.pop());
}
void steals() {
  take(deque.steal());
  take(deque.steal());
}

}  // namespace

int main() {
  (void)deque.initialise(genmc::memory);
  genmc::run(owns, THIEVES);
  for (unsigned i = 0; i < jobs; ++i) take(deque.pop());
  for (unsigned i = 0; i < jobs; ++i) {
    unsigned sum = 0;
    for (const auto& each : taken) sum += each[i];
    genmc::check(sum == 1, "each job is taken exactly once");
  }
}
