// SPDX-License-Identifier: Zlib
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <utility>

#include "watching/program_sampler.hpp"

namespace overture::cli {

namespace {

constexpr std::uint64_t samples_per_second = 997;
constexpr std::size_t control_bytes = 4096;
constexpr std::size_t data_bytes = std::size_t{128} << 10;

perf_event_attr what_to_sample() {
  perf_event_attr made{};
  made.type = PERF_TYPE_SOFTWARE;
  made.size = sizeof made;
  made.config = PERF_COUNT_SW_CPU_CLOCK;
  made.sample_freq = samples_per_second;
  made.freq = 1;
  made.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  made.exclude_kernel = 1;
  made.exclude_hv = 1;
  made.inherit = 1;
  made.disabled = 1;
  made.enable_on_exec = 1;
  made.use_clockid = 1;
  made.clockid = CLOCK_MONOTONIC;
  return made;
}

// In the order of sample_type.
struct sample_record {
  perf_event_header head;
  std::uint64_t address;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t at_ns;
};

// From a ring, whose end may be in the middle of it.
void copy_from(const char* data, std::uint64_t at, void* to, std::size_t bytes) {
  const std::size_t begin = at % data_bytes;
  const std::size_t first = std::min(bytes, data_bytes - begin);
  std::memcpy(to, data + begin, first);
  std::memcpy(static_cast<char*>(to) + first, data, bytes - first);
}

}  // namespace

program_sampler::~program_sampler() {
  for (const ring& each : rings_) {
    ::munmap(each.room, control_bytes + data_bytes);
    ::close(each.file);
  }
}

// The program inherits the events of the thread that starts it: an event that is opened for it
// later would miss threads that it has made by then.
void program_sampler::attach() {
  const long processors = ::sysconf(_SC_NPROCESSORS_CONF);
  perf_event_attr what = what_to_sample();
  for (int i = 0; i < processors; ++i) {
    const long file = ::syscall(SYS_perf_event_open, &what, 0, i, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) continue;  // a processor that is off, or all are refused
    void* const room = ::mmap(nullptr, control_bytes + data_bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED, static_cast<int>(file), 0);
    if (room == MAP_FAILED) {
      ::close(static_cast<int>(file));
      continue;
    }
    rings_.push_back({static_cast<int>(file), room});
  }
  if (!rings_.empty()) taken_.period_ns = 1'000'000'000 / samples_per_second;
}

void program_sampler::drain() {
  for (const ring& each : rings_) drain(each);
}

void program_sampler::drain(const ring& from) {
  auto* const control = static_cast<perf_event_mmap_page*>(from.room);
  const char* const data = static_cast<const char*>(from.room) + control_bytes;
  const std::uint64_t end = std::atomic_ref(control->data_head).load(std::memory_order_acquire);
  std::uint64_t at = control->data_tail;
  while (end - at >= sizeof(perf_event_header)) {
    perf_event_header head{};
    copy_from(data, at, &head, sizeof head);
    if (head.size < sizeof head || head.size > end - at) break;
    if (head.type == PERF_RECORD_SAMPLE && head.size >= sizeof(sample_record)) {
      sample_record sample{};
      copy_from(data, at, &sample, sizeof sample);
      taken_.samples.push_back({sample.process, sample.thread, sample.at_ns, sample.address});
    }
    at += head.size;
  }
  std::atomic_ref(control->data_tail).store(end, std::memory_order_release);
}

watch::sampling program_sampler::take() {
  drain();
  return std::exchange(taken_, {});
}

}  // namespace overture::cli
