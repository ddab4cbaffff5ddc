// Jobs on every core, and a barricade that blocks threads until something is ready. Links
// overture::jobs alone.
#include <overture/jobs/parallel.hpp>
#include <overture/jobs/thread_pool.hpp>
#include <overture/sync/barricade.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace overture;

int main() {
  thread_pool jobs{{.workers = processor_count() - 1}};

  // Units wait until the map is there. A barricade is four bytes; polling it is one load.
  barricade map_is_there{barricade::raised};
  std::vector<std::uint32_t> map(1000);

  job_group units{jobs};
  std::vector<std::uint64_t> sums(16);
  for (std::size_t unit = 0; unit < sums.size(); ++unit) {
    units.run([&, unit] {
      map_is_there.wait();  // lowering it releases all of them
      for (const std::uint32_t height : map) sums[unit] += height * unit;
    });
  }

  // The map is made on all cores. This thread works too, so the loop ends even while every worker
  // waits at the barricade.
  parallel_for(jobs, 0, map.size(), [&](std::size_t i) { map[i] = static_cast<std::uint32_t>(i); });
  map_is_there.lower();
  units.wait();  // helps with jobs of this group only

  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  std::printf("%llu\n", static_cast<unsigned long long>(total));
  return total == std::uint64_t{120} * 499'500 ? 0 : 1;
}
