// SPDX-License-Identifier: Zlib
#include "call_report/counted_call.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "overture/base/hash.hpp"

namespace overture::call_report {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t now_ns() noexcept {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

template <std::size_t Room>
void copy(char (&to)[Room], const char* from) noexcept {
  const std::size_t bytes = std::min(std::strlen(from), Room - 1);
  std::memcpy(to, from, bytes);
  to[bytes] = '\0';
}

// Where it counts if there is no file.
process_report unseen;

// Whether the disk has the room for a whole report: writing to a mapped file that it has not ends
// the game, and so does a file that is larger than the user may have.
bool has_room(int file) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(process_report)) return false;
  return posix_fallocate(file, 0, sizeof(process_report)) == 0;
}

process_report& make_report() noexcept {
  char path[4096];
  const char* const folder = std::getenv("OVERTURE_PHYSFS_REPORT");
  const int length =
      folder ? std::snprintf(path, sizeof path, "%s/%d", folder, static_cast<int>(getpid())) : 0;
  if (length <= 0 || static_cast<std::size_t>(length) >= sizeof path) return unseen;
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return unseen;
  void* room = MAP_FAILED;
  if (has_room(file)) {
    room = mmap(nullptr, sizeof(process_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (room == MAP_FAILED) return unseen;
  auto* const made = new (room) process_report;
  const ssize_t got = readlink("/proc/self/exe", made->program, sizeof made->program - 1);
  if (got < 0) copy(made->program, "?");
  made->begin_ns = now_ns();
  std::memcpy(made->format, magic, sizeof magic);
  return *made;
}

process_report& report() noexcept {
  static process_report& one = make_report();
  return one;
}

struct this_thread {
  int depth = 0;
  std::uint64_t callbacks_ns = 0;
  thread_counts* counts = nullptr;
};
thread_local constinit this_thread mine;

thread_counts& counts_of_thread() noexcept {
  if (mine.counts) return *mine.counts;
  const std::uint64_t number = report().thread_count.fetch_add(1, relaxed);
  thread_counts& own = report().threads[std::min<std::uint64_t>(number, threads_max - 1)];
  char name[16] = {};
  if (pthread_getname_np(pthread_self(), name, sizeof name) == 0) copy(own.name, name);
  if (syscall(SYS_gettid) == getpid()) own.is_main.store(1, relaxed);
  mine.counts = &own;
  return own;
}

const thread_counts* main_thread() noexcept {
  for (const thread_counts& each : report().threads) {
    if (each.is_main.load(relaxed) != 0) return &each;
  }
  return nullptr;
}

void add(work_counts& to, std::uint64_t ns, bool well) noexcept {
  to.calls.fetch_add(1, relaxed);
  to.ns.fetch_add(ns, relaxed);
  if (!well) to.failures.fetch_add(1, relaxed);
}

// Two names with one hash count as one: that is one report of billions.
name_counts* counts_of(const char* name) noexcept {
  const std::uint64_t hash = std::max<std::uint64_t>(hash64(name), 1);
  for (std::size_t probe = 0; probe < 64; ++probe) {
    name_counts& place = report().names[(hash + probe) % names_max];
    std::uint64_t there = place.hash.load(relaxed);
    if (there == 0 && place.hash.compare_exchange_strong(there, hash, relaxed)) {
      copy(place.name, name);
      return &place;
    }
    if (there == hash) return &place;
  }
  report().lost_names.fetch_add(1, relaxed);
  return nullptr;
}

// Which name an open file has. A game has few files open at a time.
struct handle {
  atomic<const PHYSFS_File*> file{nullptr};
  name_counts* name = nullptr;
};
constexpr std::size_t handles_max = 1024;
handle handles[handles_max];
atomic<std::size_t> handles_used{0};

void remember(const PHYSFS_File* file, name_counts* name) noexcept {
  for (std::size_t i = 0; i < handles_max; ++i) {
    const PHYSFS_File* none = nullptr;
    if (handles[i].file.load(relaxed) || !handles[i].file.compare_exchange_strong(none, file)) {
      continue;
    }
    handles[i].name = name;
    for (std::size_t used = handles_used.load(); used <= i;) {
      if (handles_used.compare_exchange_weak(used, i + 1)) break;
    }
    return;
  }
}

handle* find(const PHYSFS_File* file) noexcept {
  const std::size_t end = handles_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; file && i < end; ++i) {
    if (handles[i].file.load(relaxed) == file) return &handles[i];
  }
  return nullptr;
}

}  // namespace

counted_call::counted_call(work kind) noexcept
    : kind_(kind),
      counts_(mine.depth++ == 0),
      before_callbacks_(mine.callbacks_ns),
      begin_ns_(counts_ ? (static_cast<void>(report()), now_ns()) : 0) {}

counted_call::~counted_call() {
  --mine.depth;
}

void counted_call::answered(bool well) noexcept {
  if (!counts_) return;
  const std::uint64_t end_ns = now_ns();
  ns_ = end_ns - begin_ns_ - (mine.callbacks_ns - before_callbacks_);
  thread_counts& own = counts_of_thread();
  own.ns.fetch_add(ns_, relaxed);
  add(own.by_work[static_cast<std::size_t>(kind_)], ns_, well);
  report().last_ns.store(end_ns, relaxed);
}

name_counts* counted_call::count_opening(const char* name, bool well) noexcept {
  if (!counts_ || !name) return nullptr;
  name_counts* const counts = counts_of(name);
  if (!counts) return nullptr;
  if (!well) {
    counts->misses.fetch_add(1, relaxed);
    return counts;
  }
  if (counts->opens.fetch_add(1, relaxed) != 0) return counts;
  const std::uint64_t opened_ns = now_ns();
  if (!belongs_to_start(report().start_ns.load(relaxed), opened_ns)) return counts;
  report().start_ns.store(opened_ns, relaxed);
  const thread_counts* const main = main_thread();
  if (main) report().start_main_ns.store(main->ns.load(relaxed), relaxed);
  return counts;
}

void counted_call::opened(const char* name, PHYSFS_File* file) noexcept {
  name_counts* const counts = count_opening(name, file != nullptr);
  if (counts && file) remember(file, counts);
}

void counted_call::looked_for(const char* name, bool found) noexcept {
  if (!counts_ || !name || found) return;
  if (name_counts* const counts = counts_of(name)) counts->misses.fetch_add(1, relaxed);
}

void counted_call::count_read(std::uint64_t asked_bytes, std::uint64_t got_bytes, bool well,
                              name_counts* name) noexcept {
  const auto* const size =
      std::lower_bound(std::begin(read_sizes), std::end(read_sizes), asked_bytes);
  add(counts_of_thread().reads[size - read_sizes], ns_, well);
  counts_of_thread().read_bytes.fetch_add(got_bytes, relaxed);
  if (!name) return;
  name->reads.fetch_add(1, relaxed);
  if (asked_bytes <= tiny_read_bytes_max) name->tiny_reads.fetch_add(1, relaxed);
  name->read_bytes.fetch_add(got_bytes, relaxed);
}

void counted_call::has_read(PHYSFS_File* file, std::uint64_t asked_bytes,
                            std::int64_t got_bytes) noexcept {
  if (!counts_) return;
  const handle* const known = find(file);
  count_read(asked_bytes, got_bytes > 0 ? static_cast<std::uint64_t>(got_bytes) : 0, got_bytes >= 0,
             known ? known->name : nullptr);
}

void counted_call::read_whole(const char* name, bool well, std::uint64_t bytes) noexcept {
  name_counts* const counts = count_opening(name, well);
  if (!counts_ || !well) return;
  count_read(bytes, bytes, true, counts);
  if (counts) counts->length.store(bytes, relaxed);
}

void counted_call::found_length(PHYSFS_File* file, std::int64_t bytes) noexcept {
  const handle* const known = counts_ && bytes > 0 ? find(file) : nullptr;
  if (known) known->name->length.store(static_cast<std::uint64_t>(bytes), relaxed);
}

void forget(const PHYSFS_File* file) noexcept {
  if (mine.depth > 0) return;
  if (handle* const known = find(file)) known->file.store(nullptr);
}

void note_frame() noexcept {
  counter& first = report().first_frame_ns;
  std::uint64_t none = 0;
  if (first.load(relaxed) == none) (void)first.compare_exchange_strong(none, now_ns(), relaxed);
}

void note_library(const char* path) noexcept {
  if (path && report().library[0] == '\0') copy(report().library, path);
}

in_callback::in_callback() noexcept : depth_(mine.depth), begin_ns_(now_ns()) {
  mine.depth = 0;
}

in_callback::~in_callback() {
  mine.depth = depth_;
  mine.callbacks_ns += now_ns() - begin_ns_;
}

}  // namespace overture::call_report
