// SPDX-License-Identifier: Zlib
#include "watch/recorder/kernel_counts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

#include "watch/recorder/system_calls.hpp"

namespace overture::watch {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

struct task {
  std::uint64_t pid = 0;
  std::uint64_t thread = 0;

  template <std::size_t Room>
  void read(const char* name, char (&text)[Room]) const noexcept {
    char process[24] = "self";
    if (pid != 0) {
      (void)std::snprintf(process, sizeof process, "%llu", static_cast<unsigned long long>(pid));
    }
    char path[96];
    (void)std::snprintf(path, sizeof path, "/proc/%s/task/%llu/%s", process,
                        static_cast<unsigned long long>(thread), name);
    read_small_file(path, text);
  }
};

// Names may have spaces and brackets.
void read_status(thread_entry& entry, char* text) noexcept {
  char* const begin = std::strchr(text, '(');
  char* const end = std::strrchr(text, ')');
  if (!begin || !end || end <= begin) return;
  *end = '\0';
  set_name(entry, begin + 1);
  // The state, and then numbers; those that are wanted are the 7th and the 9th.
  char* at = end + 1;
  if (*at == ' ') at += 1 + std::strcspn(at + 1, " ");
  std::uint64_t fields[9] = {};
  for (std::uint64_t& each : fields) each = std::strtoull(at, &at, 10);
  entry.kernel.minor_faults.store(fields[6], relaxed);
  entry.kernel.major_faults.store(fields[8], relaxed);
}

// The file has what was counted at the last tick, and a thread may have had a core since. This asks
// for the clock of a thread of this process (clock_gettime(2) says how it is numbered).
std::uint64_t core_ns_now(std::uint64_t thread) noexcept {
  constexpr long scheduled_time_of_a_thread = 6;
  const long clock = static_cast<long>(~thread << 3) | scheduled_time_of_a_thread;
  timespec used{};
  if (system_call(SYS_clock_gettime, clock, reinterpret_cast<long>(&used)) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace

void set_name(thread_entry& entry, const char* name) noexcept {
  for (std::size_t i = 0; i + 1 < std::size(entry.name); ++i) {
    entry.name[i].store(name[i], relaxed);
    if (name[i] == '\0') return;
  }
}

void read_kernel_counts(thread_entry& entry, std::uint64_t now_ns, std::uint64_t pid) noexcept {
  const task of{.pid = pid, .thread = entry.number.load(relaxed)};
  char text[1024];
  of.read("schedstat", text);
  if (*text == '\0') return;
  char* rest = text;
  const std::uint64_t counted = std::strtoull(rest, &rest, 10);
  const std::uint64_t now = pid == 0 ? core_ns_now(of.thread) : 0;
  entry.kernel.core_ns.store(std::max(counted, now), relaxed);
  entry.kernel.queued_ns.store(std::strtoull(rest, &rest, 10), relaxed);
  of.read("stat", text);
  read_status(entry, text);
  of.read("io", text);
  constexpr char field[] = "\nread_bytes: ";
  if (const char* const found = std::strstr(text, field)) {
    entry.kernel.read_bytes.store(std::strtoull(found + sizeof field - 1, nullptr, 10), relaxed);
  }
  entry.kernel.at_ns.store(now_ns, relaxed);
}

}  // namespace overture::watch
