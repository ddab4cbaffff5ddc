// SPDX-License-Identifier: Zlib
//
// src/jobs/sleep/parking.cpp with src/jobs/queues/job_deque.cpp, and from src/jobs/pool/worker.cpp
// a copy of how a worker looks for jobs and sleeps, cut down: there is one deque, and a worker ends
// once it has found a job.
#include "jobs/sleep/parking.cpp"

#include "genmc/model.hpp"
#include "genmc/platform.hpp"
#include "jobs/queues/job_deque.cpp"
#include "sync/event_count.cpp"

namespace {

using namespace overture;
using namespace overture::jobs_detail;

constexpr unsigned workers = 2;

struct {
  job_deque deque;
  [[nodiscard]] bool work_visible() const { return !deque.empty(); }
} queues;
job_record records[JOBS];

struct {
  parking sleepers{genmc::memory, workers + 1, 0};
  decltype(queues)& queues = ::queues;
} pool_;

class worker {
 public:
  explicit worker(unsigned number) : slot_{number} {}
  // Both workers have looked in vain before the job comes, and are about to sleep.
  void announce() noexcept {
    pool_.sleepers.begin_search();
    pool_.sleepers.announce_worker(slot_.number);
  }
  void search(bool announced) noexcept {
    parking& sleepers = pool_.sleepers;
    if (announced) {
      pool_.sleepers.sleep_worker(slot_.number, 0);
    } else {
      sleepers.begin_search();
    }
    for (;;) {
      if (queues.deque.steal()) {
        // copied from src/jobs/pool/worker.cpp
        const bool more = sleepers.end_search() && pool_.queues.work_visible();
        // end of copy
        if (more) sleepers.wake_worker();
        return;
      }
      sleep(0);
    }
  }

 private:
  // copied from src/jobs/pool/worker.cpp
  void sleep(std::uint64_t until_ns) noexcept {  // changed
    pool_.sleepers.announce_worker(slot_.number);
    bool visible = pool_.queues.work_visible();
    const bool stay = false;  // changed
    if (stay || visible) pool_.sleepers.wake_worker(slot_.number, stay);
    pool_.sleepers.sleep_worker(slot_.number, until_ns);
  }
  // end of copy

  struct {
    unsigned number;
  } slot_;
};

constexpr bool announced = ANNOUNCED;

void works() {
  worker(genmc::self).search(announced);
}
void submits() {
  (void)queues.deque.make_room(JOBS);
  job_record* added[JOBS];
  for (unsigned i = 0; i < JOBS; ++i) added[i] = &records[i];
  queues.deque.push_all(added);
  pool_.sleepers.work_added(nullptr);
}

}  // namespace

int main() {
  (void)queues.deque.initialise(genmc::memory);
  for (unsigned i = 1; announced && i <= workers; ++i) worker(i).announce();
  genmc::run(submits, works, works);
  genmc::check(queues.deque.empty(), "no job is left while a worker sleeps");
}
