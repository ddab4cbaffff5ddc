// src/jobs/sleep/parking.cpp with src/jobs/queues/job_deque.cpp, and from src/jobs/pool/worker.cpp a
// copy of how a worker looks for jobs and sleeps, cut down: there is one deque, and a worker ends
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
  const char* reason_or(const char* reason) const { return reason; }
} pool_;

class worker {
 public:
  explicit worker(unsigned number) : slot_{number} {}
  // Whether it has found a job.
  void search() {
    parking& sleepers = pool_.sleepers;
    sleepers.begin_search();
    for (;;) {
      const job_hint found = queues.deque.steal();
      if (found) {
        const bool more = sleepers.end_search() && pool_.queues.work_visible();
        if (more) sleepers.wake_worker();
        return;
      }
      sleep(0);
    }
  }

 private:
  void sleep(std::uint64_t until_ns) noexcept {
    pool_.sleepers.announce_worker(slot_.number);
    const bool visible = pool_.queues.work_visible();
    const bool stay = false;
    if (stay || visible) pool_.sleepers.wake_worker(slot_.number, stay);
    pool_.sleepers.sleep_worker(slot_.number, until_ns, pool_.reason_or(wait_reasons::no_job));
  }

  struct {
    unsigned number;
  } slot_;
};

void works() {
  worker(genmc::self).search();
}
void submits() {
  for (job_record& each : records) {
    (void)queues.deque.make_room();
    queues.deque.push(each);
    pool_.sleepers.work_added(nullptr);
  }
}

}  // namespace

int main() {
  (void)queues.deque.initialise(genmc::memory);
  genmc::run(submits, works, works);
  genmc::check(queues.deque.empty(), "no job is left while a worker sleeps");
}
