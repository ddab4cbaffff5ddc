// SPDX-License-Identifier: Zlib
#include <fmt/format.h>

#include <fstream>
#include <string>

#include "load_parts.hpp"
#include "overture_load.hpp"
#include "process.hpp"

namespace bench {
namespace {

constexpr double mib = 1u << 20;

// The peak memory of this process, as the system counts it.
double resident_peak_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  }
  return 0;
}

struct memory_peaks {
  double counted = 0;  // by the allocator
  double resident = 0;
  double largest = 0;  // the largest file: packed, unpacked and decoded
};

// Loads in a child process, because the system's peak cannot be reset. The child can also use
// memory that this process has freed, so call this before anything else.
memory_peaks peaks_of_load(const data_set& data, unsigned threads, std::uint64_t budget_bytes) {
  const std::vector<double> numbers = in_process([&] {
    const double before = resident_peak_bytes();
    overture::tracking_allocator memory;
    overture_load load(
        data.mounts,
        {.threads = threads, .decode = true, .budget_bytes = budget_bytes, .memory = &memory});
    load.run();
    return std::vector<double>{static_cast<double>(memory.total().peak_bytes),
                               resident_peak_bytes() - before,
                               static_cast<double>(load.largest_bytes())};
  });
  return {numbers.at(0), numbers.at(1), numbers.at(2)};
}

}  // namespace

void measure_memory(const data_set& data, unsigned threads, int rounds, results& into) {
  // The default budget, and one that every game fills.
  for (const std::uint64_t budget_mib : {256u, 8u}) {
    std::vector<double> counted;
    std::vector<double> resident;
    std::vector<double> over;
    double largest = 0;
    for (int round = 0; round < rounds; ++round) {
      const memory_peaks peaks = peaks_of_load(data, threads, budget_mib << 20);
      largest = peaks.largest / mib;
      counted.push_back(peaks.counted / mib);
      resident.push_back(peaks.resident / mib);
      over.push_back(counted.back() - largest - static_cast<double>(budget_mib));
    }
    const std::string prefix =
        fmt::format("{}, {} threads, budget {} MiB: ", data.name, threads, budget_mib);
    into.metric(prefix + "largest file, in all forms MiB", largest);
    into.metric(prefix + "memory peak MiB", spread_of(counted).median);
    into.metric(prefix + "growth of VmHWM MiB", spread_of(resident).median);
    into.goal(prefix + "peak - largest file - budget MiB", spread_of(over), 32);
  }
}

}  // namespace bench
