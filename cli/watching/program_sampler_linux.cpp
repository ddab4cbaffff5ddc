// SPDX-License-Identifier: Zlib
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "watching/program_sampler.hpp"

namespace overture::cli {

namespace {

constexpr std::uint64_t samples_per_second = 997;
constexpr std::size_t control_bytes = 4096;
constexpr std::size_t data_bytes = std::size_t{256} << 10;
// Of the stack: what functions of the C library need, as a rule.
constexpr std::uint32_t stack_bytes = 1024;

perf_event_attr what_to_sample() {
  perf_event_attr made{};
  made.type = PERF_TYPE_SOFTWARE;
  made.size = sizeof made;
  made.config = PERF_COUNT_SW_CPU_CLOCK;
  made.sample_freq = samples_per_second;
  made.freq = 1;
  made.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER;
  made.sample_stack_user = stack_bytes;
  made.mmap = 1;
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
struct mapping_record {
  perf_event_header head;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t begin;
  std::uint64_t bytes;
  std::uint64_t place;  // in its file, whose path follows
};

// From a ring, whose end may be in the middle of it.
void copy_from(const char* data, std::uint64_t at, void* to, std::size_t bytes) {
  const std::size_t begin = at % data_bytes;
  const std::size_t first = std::min(bytes, data_bytes - begin);
  std::memcpy(to, data + begin, first);
  std::memcpy(static_cast<char*>(to) + first, data, bytes - first);
}

// What of the stack follows a sample, from its top.
std::vector<std::uint64_t> stack_in(const std::vector<char>& record) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::uint64_t bytes = 0;
  if (record.size() < sizeof(sample_record) + sizeof bytes) return {};
  std::memcpy(&bytes, record.data() + sizeof(sample_record), sizeof bytes);
  const std::size_t room = record.size() - sizeof(sample_record) - sizeof bytes;
  std::vector<std::uint64_t> words(std::min<std::uint64_t>(bytes, room) / word);
  if (words.empty()) return words;
  std::memcpy(words.data(), record.data() + record.size() - room, words.size() * word);
  return words;
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
    const auto open = [&] {
      return ::syscall(SYS_perf_event_open, &what, 0, i, -1, PERF_FLAG_FD_CLOEXEC);
    };
    long file = open();
    if (file < 0 && errno == EINVAL && has_stacks_) {
      // This kernel copies none.
      has_stacks_ = false;
      what.sample_type &= ~std::uint64_t{PERF_SAMPLE_STACK_USER};
      what.sample_stack_user = 0;
      file = open();
    }
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

// What was mapped on one processor may be executed on another one.
void program_sampler::drain() {
  for (const ring& each : rings_) drain(each);
  for (stack_sample& each : new_samples_) {
    watch::program_sample& sample = each.sample;
    if (!code_.is_own(sample.process, sample.address)) {
      sample.caller = code_.caller_of(sample.process, sample.address, each.stack);
    }
    taken_.samples.push_back(sample);
  }
  new_samples_.clear();
}

void program_sampler::add(const std::vector<char>& record) {
  perf_event_header head{};
  std::memcpy(&head, record.data(), sizeof head);
  if (head.type == PERF_RECORD_MMAP && record.size() > sizeof(mapping_record)) {
    mapping_record mapping{};
    std::memcpy(&mapping, record.data(), sizeof mapping);
    const std::string path(record.begin() + sizeof mapping, record.end());
    code_.add(mapping.process, mapping.begin, mapping.begin + mapping.bytes, path.c_str());
  } else if (head.type == PERF_RECORD_SAMPLE && record.size() >= sizeof(sample_record)) {
    sample_record sample{};
    std::memcpy(&sample, record.data(), sizeof sample);
    new_samples_.push_back(
        {.sample = {sample.process, sample.thread, sample.at_ns, sample.address},
         .stack = has_stacks_ ? stack_in(record) : std::vector<std::uint64_t>()});
  }
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
    std::vector<char> record(head.size);
    copy_from(data, at, record.data(), record.size());
    add(record);
    at += head.size;
  }
  std::atomic_ref(control->data_tail).store(end, std::memory_order_release);
}

watch::sampling program_sampler::take() {
  drain();
  return std::exchange(taken_, {});
}

}  // namespace overture::cli
