// SPDX-License-Identifier: Zlib
//
// Jobs on all cores, and a barricade that holds threads back until something is ready. Needs only
// the library overture::jobs.
#include <overture/jobs/parallel.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/sync/barricade.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace overture;

int main() {
  thread_pool jobs = thread_pool::for_this_machine();

  // Raised, it blocks: no unit may look at the map before it is ready. Checking it is one load.
  barricade map_ready{barricade::raised};
  std::vector<std::uint32_t> map(1000);

  job_group units{jobs};
  std::vector<std::uint64_t> sums(16);
  for (std::size_t unit = 0; unit < sums.size(); ++unit) {
    units.run([&, unit] {
      map_ready.wait();  // all waiters are released together
      for (const std::uint32_t height : map) sums[unit] += height * unit;
    });
  }

  // Makes the map on all cores. This thread works too, so it makes progress even while every worker
  // is blocked at the barricade.
  parallel_for(jobs, 0, map.size(), [&](std::size_t i) { map[i] = static_cast<std::uint32_t>(i); });
  map_ready.lower();
  units.wait();  // runs jobs of this group meanwhile

  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  std::printf("%llu\n", static_cast<unsigned long long>(total));
  return total == std::uint64_t{120} * 499'500 ? 0 : 1;
}
