// SPDX-License-Identifier: Zlib
#include <sys/mman.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

#include "overture/base/thread.hpp"
#include "watching/watched_machine.hpp"

namespace overture::cli {

namespace {

// Arm's kernel does not name it.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

watched_machine this_machine(std::time_t now) {
  watched_machine of{.processors = processor_count(), .processor = processor_name()};
  utsname system{};
  if (::uname(&system) == 0) of.system = std::string(system.sysname) + ' ' + system.release;
  std::tm parts{};
  char date[32];
  if (::gmtime_r(&now, &parts) != nullptr) {
    of.date.assign(date, std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts));
  }
  return of;
}

std::uint64_t page_fault_ns() {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t page_bytes = 4096;
  constexpr std::size_t pages = 256;
  std::uint64_t least_ns = UINT64_MAX;
  for (int round = 0; round < 5; ++round) {
    void* const room = ::mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return 0;
    (void)::madvise(room, pages * page_bytes, MADV_NOHUGEPAGE);
    auto* const bytes = static_cast<volatile char*>(room);
    const clock::time_point begin = clock::now();
    for (std::size_t i = 0; i < pages; ++i) bytes[i * page_bytes] = 1;
    const auto took = std::chrono::nanoseconds(clock::now() - begin).count();
    ::munmap(room, pages * page_bytes);
    least_ns = std::min(least_ns, static_cast<std::uint64_t>(took));
  }
  return least_ns / pages;
}

}  // namespace overture::cli
