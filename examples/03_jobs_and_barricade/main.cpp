// Jobs on every core, and a barricade that holds threads back until something is ready. This part
// of Overture knows nothing of files and links alone: overture::jobs.
#include <overture/jobs/parallel.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/sync/barricade.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace overture;

int main() {
  thread_pool jobs{{.workers = processor_count() - 1}};

  // Nobody may build before the map is there. Four bytes; looking at it is one load.
  barricade map_is_there{barricade::raised};
  std::vector<std::uint32_t> map(1000);

  job_group units{jobs};
  std::vector<std::uint64_t> sums(16);
  for (std::size_t unit = 0; unit < sums.size(); ++unit) {
    units.run([&, unit] {
      map_is_there.wait();  // all who wait go through together
      for (const std::uint32_t height : map) sums[unit] += height * unit;
    });
  }

  // The map itself is made on all cores; this thread works too, so it would go on even if every
  // worker stood at the barricade.
  parallel_for(jobs, 0, map.size(), [&](std::size_t i) { map[i] = static_cast<std::uint32_t>(i); });
  map_is_there.lower();
  units.wait();  // helps with jobs of this group only

  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  std::printf("%llu\n", static_cast<unsigned long long>(total));
  return total == std::uint64_t{120} * 499'500 ? 0 : 1;
}
