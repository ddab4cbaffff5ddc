// SPDX-License-Identifier: Zlib
//
// The read queue: what queueing costs, and how fast it reads files and disks.
//
//   look-up  enqueue, find the handle, dequeue; compared with a queue that identifies files by name
//            and ignores case, as such queues used to
//   submit   one request and a batch, with no thread asleep; and with the read thread parked,
//            compared with one wake of a thread
//   warmth   how soon a job has the bytes if the read wakes a worker in time, and if not
//   warm     loose files in the page cache, compared with plain threads
//   cold     loose files from the disk, and one pack in random order; compared with plain threads
//            and with io_uring
//   order    an urgent request among low ones, cancelling by tag, and a simulated disk
#include <sched.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <random>
#include <thread>

#include "harness.hpp"
#include "io/schedule/request_store.hpp"
#include "io_parts.hpp"
#include "options.hpp"
#include "overture/base/thread.hpp"
#include "overture/io/handle_cache.hpp"
#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/countdown.hpp"
#include "support/refusing_os.hpp"
#include "sync/wait.hpp"

namespace {

using namespace overture;
using bench::settings;
using bench::stop;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

bench::spread one(double value) {
  return {value, value, value};
}

// --- Look-up -------------------------------------------------------------------------------------

std::uint64_t compares = 0;

struct without_case {
  bool operator()(const std::string& a, const std::string& b) const {
    ++compares;
    return strcasecmp(a.c_str(), b.c_str()) < 0;
  }
};

// A queue in the old style: a list of requests that name their files, and a map from names to open
// handles.
struct named_request {
  std::string name;
  std::uint64_t offset;
  int priority;
};

struct profile {
  double enqueue = 0;
  double look_up = 0;
  double dequeue = 0;
};

std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) {
    char name[80];
    (void)std::snprintf(name, sizeof name, "Gfx/Models/Units/Infantry/texture_%03d_diffuse.dds", i);
    names.emplace_back(name);
  }
  return names;
}

profile by_name(std::size_t count) {
  const std::vector<std::string> names = file_names();
  std::map<std::string, int, without_case> handles;
  for (const std::string& name : names) handles.emplace(name, static_cast<int>(handles.size()));
  std::list<named_request> queues[6];
  profile taken;
  auto begin = clock_type::now();
  for (std::size_t i = 0; i < count; ++i) {
    queues[i % 6].push_back({names[i * 7 % names.size()], i * 4'096, static_cast<int>(i % 6)});
  }
  taken.enqueue = seconds_since(begin);
  std::vector<named_request> out;
  out.reserve(count);
  begin = clock_type::now();
  for (int priority = 6; priority-- > 0;) {
    while (!queues[priority].empty()) {
      out.push_back(std::move(queues[priority].front()));
      queues[priority].pop_front();
    }
  }
  taken.dequeue = seconds_since(begin);
  std::uint64_t sum = 0;
  begin = clock_type::now();
  for (const named_request& each : out) {
    sum += static_cast<std::uint64_t>(handles.find(each.name)->second);
  }
  taken.look_up = seconds_since(begin);
  if (sum == 1) stop("never");
  return taken;
}

profile by_number(std::size_t count, handle_cache& handles, const std::vector<source_id>& ids) {
  io_detail::request_store store(default_allocator(), {});
  std::vector<read_request> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].source = ids[i * 7 % ids.size()];
    requests[i].offset = i * 4'096;
    requests[i].priority = static_cast<read_priority>(i % 6);
  }
  profile taken;
  auto begin = clock_type::now();
  for (read_request& each : requests) {
    if (!store.add(each, 0)) stop("no memory");
  }
  taken.enqueue = seconds_since(begin);
  std::vector<source_id> out;
  out.reserve(count);
  begin = clock_type::now();
  io_detail::disk_position head;
  while (read_request* const next = store.choose_next(head, 0)) {
    head = io_detail::position_of(0, next->source, next->offset + 4'096);
    out.push_back(next->source);
    store.remove(*next);
  }
  taken.dequeue = seconds_since(begin);
  begin = clock_type::now();
  // As in the queue: nothing is counted, because its list of reads in flight says what it reads.
  for (const source_id each : out) {
    if (!handles.borrow(each, 0)) stop("a file is not open");
  }
  taken.look_up = seconds_since(begin);
  return taken;
}

void measure_look_up(const settings& with, bench::results& out) {
  // Any file that exists will do for the handles.
  handle_cache handles({.open_max = 600});
  std::vector<source_id> ids;
  ids.reserve(500);
  for (int i = 0; i < 500; ++i) ids.push_back(*handles.add("/dev/null"));
  for (const source_id each : ids) {
    if (handles.pin(each)) handles.unpin(each);
  }
  for (const std::size_t count : {std::size_t{2'096}, std::size_t{100'000}}) {
    std::vector<double> look_up, whole;
    profile named, numbered;
    std::uint64_t compared = 0;
    for (int round = 0; round < with.rounds; ++round) {
      compares = 0;
      named = by_name(count);
      compared = compares;
      numbered = by_number(count, handles, ids);
      look_up.push_back(named.look_up / numbered.look_up);
      whole.push_back((named.enqueue + named.look_up + named.dequeue) /
                      (numbered.enqueue + numbered.look_up + numbered.dequeue));
    }
    const std::string of = std::to_string(count);
    const double each = 1e9 / static_cast<double>(count);
    std::printf("%zu requests, ns each   enqueue  look-up  dequeue  string compares\n", count);
    std::printf("  by name              %9.0f%9.0f%9.0f%17llu\n", named.enqueue * each,
                named.look_up * each, named.dequeue * each,
                static_cast<unsigned long long>(compared));
    std::printf("  by number            %9.0f%9.0f%9.0f%17d\n", numbered.enqueue * each,
                numbered.look_up * each, numbered.dequeue * each, 0);
    out.goal("look-up by name / by number, " + of, bench::spread_of(look_up), 20, false);
    out.metric("all three by name / by number, " + of, bench::spread_of(whole).median);
  }
}

// --- Submit --------------------------------------------------------------------------------------

void measure_submit(const settings& with, bench::results& out) {
  simulated_disk disk;
  const source_id file = *disk.add_file(1 << 20);
  tracking_allocator memory;
  read_queue reads(disk, {.run_by_host = true, .merge_bytes_max = 0, .memory = &memory});
  constexpr std::size_t count = 64;
  std::vector<read_request> requests(count);
  for (std::size_t i = 0; i < count; ++i) requests[i].source = file;
  std::vector<double> singles, batches;
  const auto drain = [&] { (void)reads.poll(SIZE_MAX); };
  reads.submit(requests);
  drain();
  const std::uint64_t allocations = memory.total().allocations;
  for (int round = 0; round < with.rounds * 100; ++round) {
    auto begin = clock_type::now();
    for (read_request& each : requests) reads.submit({&each, 1});
    singles.push_back(seconds_since(begin) * 1e9 / count);
    drain();
    begin = clock_type::now();
    reads.submit(requests);
    batches.push_back(seconds_since(begin) * 1e9 / count);
    drain();
  }
  out.goal("submit of one request, ns", bench::spread_of(singles), 60);
  out.goal("submit of 64, ns for each", bench::spread_of(batches), 15);
  out.metric("allocations in all rounds, submit and read",
             static_cast<double>(memory.total().allocations - allocations));
}

// Keeps the calling thread on one processor while this object exists.
class pinned {
 public:
  explicit pinned(unsigned processor) {
    CPU_ZERO(&before_);
    (void)sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    if (sched_setaffinity(0, sizeof only, &only) != 0) stop("cannot pin a thread");
  }
  ~pinned() { (void)sched_setaffinity(0, sizeof before_, &before_); }
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

 private:
  cpu_set_t before_{};
};

// Compared with waking a thread of normal priority that is parked on a word, on the same processor
// as the read thread: waking an idle processor takes several times as long as waking a busy one. On
// the submitter's own processor the woken thread may preempt it.
void measure_wake(const settings& with, thread_priority priority, unsigned processor,
                  const std::string& what, bench::results& out) {
  const pinned here(0);
  simulated_disk disk;
  const source_id file = *disk.add_file(1 << 20);
  read_queue reads(disk, {.threads = 1,
                          .priority = priority,
                          .affinity_mask = std::uint64_t{1} << processor,
                          .merge_bytes_max = 0});
  std::vector<read_request> requests(64);
  for (read_request& each : requests) each.source = file;
  atomic<std::uint32_t> word{0};
  atomic<bool> over{false};
  std::thread parked([&] {
    const pinned there(processor);
    while (!over.load()) {
      const std::uint32_t seen = word.load();
      if (over.load()) break;
      (void)sync_detail::address_wait(word, seen, 0);
    }
  });
  std::vector<double> submits, wakes;
  const auto let_park = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  for (int round = 0; round < with.rounds * 30; ++round) {
    let_park();
    auto begin = clock_type::now();
    word.fetch_add(1);
    sync_detail::address_wake_one(&word);
    wakes.push_back(seconds_since(begin));
    let_park();
    begin = clock_type::now();
    reads.submit(requests);
    submits.push_back(seconds_since(begin));
    reads.drain();
  }
  over.store(true);
  word.fetch_add(1);
  sync_detail::address_wake_all(&word);
  parked.join();
  out.metric("batch of 64 to a parked drainer" + what + ", ns",
             bench::spread_of(submits).median * 1e9);
  out.metric("one wake" + what + ", ns", bench::spread_of(wakes).median * 1e9);
  out.metric("wakes for each batch" + what,
             static_cast<double>(reads.stats().wakes) / static_cast<double>(submits.size()));
  out.goal("batch of 64 to a parked drainer" + what + " / one wake",
           one(bench::spread_of(submits).median / bench::spread_of(wakes).median), 1.1);
}

// --- Warmth --------------------------------------------------------------------------------------

// Files whose reads take a while, like those of a disk.
class slow_files final : public source_files, public test::refusing_os {
 public:
  result<open_source> source(source_id) noexcept override { return open_source{this, {1}}; }
  std::size_t describe(source_id, std::span<char>) const noexcept override { return 0; }
  result<std::size_t> read_at(os_handle, std::uint64_t,
                              std::span<std::byte> bytes) noexcept override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return bytes.size();
  }
};

// Times from the end of a read to the job that gets its bytes, with a worker that stays warm for
// less time than a read takes. `tells`: the read has a worker awake in time.
void measure_warmth(const settings& with, bool tells, const char* what, bench::results& out) {
  slow_files files;
  thread_pool jobs({.workers = 1, .wake = wake_policy::warm, .tuning = {.warm_ns = 200'000}});
  read_queue reads(files, {.threads = 1, .wake_ahead = tells ? &jobs : nullptr});
  std::vector<double> until_job;
  const double cpu_before = bench::cpu_seconds();
  for (int round = 0; round < with.rounds * 30; ++round) {
    std::byte byte{};
    countdown over(1);
    struct {
      std::uint64_t began_ns = 0;
      countdown* over;
    } seen{0, &over};
    read_request request{.source = {0, 1}, .destination = {&byte, 1}, .on = &jobs};
    request.done = {[](void* context) {
                      auto& mine = *static_cast<decltype(seen)*>(context);
                      mine.began_ns = now_ns();
                      mine.over->done();
                    },
                    &seen};
    reads.submit({&request, 1});
    over.wait();
    until_job.push_back(static_cast<double>(seen.began_ns - request.finished_ns));
  }
  const std::string of(what);
  out.metric("from the end of a read to its job" + of + ", ns", bench::spread_of(until_job).median);
  out.metric("CPU for each such read" + of + ", us",
             (bench::cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(until_job.size()));
}

// --- Order ---------------------------------------------------------------------------------------

void measure_order(const settings& with, bench::results& out) {
  simulated_disk disk;
  const source_id file = *disk.add_file(1 << 20);
  constexpr std::size_t count = 10'000;
  std::vector<double> cancelled_ms;
  double completions = 0;
  for (int round = 0; round < with.rounds; ++round) {
    read_queue reads(disk, {.merge_bytes_max = 0, .disk = &disk});
    int done = 0;
    std::vector<read_request> requests(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
      requests[i].source = file;
      requests[i].offset = i * 7919 % (1 << 20);
      requests[i].tag = 5;
      requests[i].priority = i == count ? read_priority::high : read_priority::low;
      requests[i].done = {[](void* counter) { ++*static_cast<int*>(counter); }, &done};
    }
    reads.submit(std::span(requests).first(count));
    (void)reads.poll(10);
    const int before = done;
    reads.submit({&requests[count], 1});
    while (requests[count].finished_ns == 0) (void)reads.poll();
    completions = std::max(completions, static_cast<double>(done - before));
    reads.drain();
    for (read_request& each : requests) each.finished_ns = 0;
    reads.submit(std::span(requests).first(count));
    const auto begin = clock_type::now();
    if (reads.cancel_tag(~0ull, 5) != count) stop("not all were cancelled");
    cancelled_ms.push_back(seconds_since(begin) * 1e3);
  }
  out.goal("a high request among 10,000 low ones, completions until its own", one(completions), 2);
  out.goal("cancel of 10,000 by tag, ms", bench::spread_of(cancelled_ms), 1);
}

double simulated_seconds(unsigned depth, bool by_queue, bool sorted) {
  constexpr std::size_t count = 4'000;
  simulated_disk disk({.latency_ns = 20'000, .depth = depth});
  const source_id file = *disk.add_file(count * 50'000);
  std::vector<std::uint64_t> offsets(count);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = i * 50'000;
  if (!sorted) std::shuffle(offsets.begin(), offsets.end(), std::mt19937(7));
  std::vector<std::byte> room(count * 64);
  std::vector<read_request> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].source = file;
    requests[i].offset = offsets[i];
    requests[i].destination = std::span(room).subspan(i * 64, 64);
  }
  if (by_queue) {
    read_queue reads(disk, {.disk = &disk});
    reads.submit(requests);
    reads.drain();
    return static_cast<double>(disk.now_ns()) * 1e-9;
  }
  std::size_t begun = 0;
  const auto begin = [&](unsigned slot) {
    std::span<std::byte> part = requests[begun].destination;
    disk.start(slot, file, requests[begun++].offset, {&part, 1});
  };
  for (unsigned slot = 0; slot < depth; ++slot) begin(slot);
  for (std::size_t ended = 0; ended < count; ++ended) {
    const unsigned slot = disk.wait().slot;
    if (begun < count) begin(slot);
  }
  return static_cast<double>(disk.now_ns()) * 1e-9;
}

void measure_disk(bench::results& out) {
  for (const unsigned depth : {1u, 4u, 32u}) {
    const double best = simulated_seconds(depth, false, true);
    const std::string of = "simulated disk, depth " + std::to_string(depth);
    out.metric(of + ": order of arrival / best", simulated_seconds(depth, false, false) / best);
    out.goal(of + ": queue / best", one(simulated_seconds(depth, true, false) / best), 1.05);
  }
}

}  // namespace

int main(int argc, char** argv) {
  settings with;
  std::vector<std::string> only;
  bench::options line("Measures the read queue", with.rounds, with.json);
  line.number("--files", with.files, "number of loose files");
  line.word("--folder", with.folder, "folder to write them to");
  line.words("--only", only, "measure only these parts",
             {"look-up", "submit", "warmth", "order", "warm", "cold"});
  if (const std::optional<int> over = line.parse(argc, argv)) return *over;
  bench::results out("io");
  const auto wanted = [&](const char* part) { return bench::is_wanted(only, part); };
  if (wanted("look-up")) measure_look_up(with, out);
  if (wanted("submit")) {
    measure_submit(with, out);
    if (processor_count() > 1) {
      measure_wake(with, thread_priority::above_normal, 1, "", out);
      measure_wake(with, thread_priority::normal, 1, " of ordinary priority", out);
    }
    measure_wake(with, thread_priority::above_normal, 0, " on the submitter's processor", out);
    measure_wake(with, thread_priority::normal, 0,
                 " of ordinary priority on the submitter's processor", out);
  }
  if (wanted("warmth")) {
    measure_warmth(with, false, ", the worker asleep", out);
    measure_warmth(with, true, ", the worker told by the read", out);
  }
  if (wanted("order")) {
    measure_order(with, out);
    measure_disk(out);
  }
  if (wanted("warm") || wanted("cold")) {
    bench::measure_files(with, wanted("warm"), wanted("cold"), out);
  }
  return out.finish(with.json);
}
