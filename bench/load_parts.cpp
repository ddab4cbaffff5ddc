// SPDX-License-Identifier: Zlib
#include "load_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "overture_load.hpp"
#include "references.hpp"

namespace bench {
namespace {

// Adds the main thread's share of each stage as a metric, and returns the largest.
double main_thread_share(const overture::timeline& record, const std::string& prefix,
                         results& into) {
  struct work {
    std::uint64_t main_ns = 0;
    std::uint64_t all_ns = 0;
  };
  std::map<std::string, work> stages;
  for (std::size_t i = 0; i < record.track_count(); ++i) {
    const overture::timeline_track& track = record.track(i);
    for (const overture::trace_total& total : track.totals()) {
      if (total.kind != overture::event_kind::zone) continue;
      work& stage = stages[total.name];
      stage.all_ns += total.ns;
      if (std::strcmp(track.name(), "main") == 0) stage.main_ns += total.ns;
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < overture::load_stage_count; ++i) {
    const char* const name = to_string(static_cast<overture::load_stage>(i));
    const work& stage = stages[name];
    const double share = static_cast<double>(stage.main_ns) /
                         static_cast<double>(std::max<std::uint64_t>(stage.all_ns, 1));
    into.metric(fmt::format("{}main thread's share of {}", prefix, name), share);
    largest = std::max(largest, share);
  }
  return largest;
}

}  // namespace

void measure_plain(const data_set& data, unsigned threads, int rounds, results& into) {
  floor_reference floor(data.mounts);
  const physfs_reference physfs(data.mounts);
  overture_load ours(data.mounts, {.threads = threads});
  std::vector<variant> variants = {
      {"overture", [&] { ours.run(); }},
      {"floor", [&] { (void)floor.run(threads); }},
      {"physfs", [&] { (void)physfs.run(threads); }},
      {"physfs, 1 thread", [&] { (void)physfs.run(1); }},
  };
  const std::string prefix = fmt::format("{}, {} threads: ", data.name, threads);
  interleave(variants, rounds, prefix + "plain");
  for (const variant& each : variants) {
    into.metric(prefix + each.name + " wall ms", time_of(each, clock::wall).median * 1e3);
    into.metric(prefix + each.name + " cpu ms", time_of(each, clock::cpu).median * 1e3);
  }
  into.metric(prefix + "files", static_cast<double>(ours.summary().files));
  into.metric(prefix + "unpacked MB", static_cast<double>(ours.summary().bytes) / 1e6);
  const variant& self = variants[0];
  const double cpu_goal = data.deflated ? 1.05 : 1.10;
  into.goal(prefix + "cpu, x floor", ratio(self, variants[1], clock::cpu), cpu_goal);
  into.goal(prefix + "wall, x floor", ratio(self, variants[1], clock::wall), 1.10);
  const spread to_physfs = ratio(variants[2], self, clock::wall);
  if (!data.deflated) {
    // With stored files all the work is reading, so only PhysFS's overhead can be beaten.
    into.metric(prefix + "x faster than PhysFS", to_physfs.median);
    return;
  }
  into.goal(prefix + "x faster than PhysFS", to_physfs, 1.6, false);
  if (threads > 1) {
    into.goal(prefix + "x faster than PhysFS on one thread", ratio(variants[3], self, clock::wall),
              3.0, false);
  }
}

void measure_timeline(const data_set& data, unsigned threads, int rounds, results& into) {
  const std::string prefix = fmt::format("{}, {} threads: ", data.name, threads);
  {
    overture::timeline record;
    overture_load off(data.mounts, {.threads = threads});
    overture_load on(data.mounts, {.threads = threads, .record = &record});
    std::vector<variant> variants = {
        {"on", [&] { on.run(); }},
        {"off", [&] { off.run(); }},
    };
    interleave(variants, rounds, prefix + "timeline");
    into.goal(prefix + "timeline on / off, cpu", ratio(variants[0], variants[1], clock::cpu), 1.01);
  }
  overture::timeline record;
  {
    overture_load recorded(data.mounts,
                           {.threads = threads, .decode = true, .keep = true, .record = &record});
    recorded.run();
  }
  // Read after the threads have ended, when nothing is recorded any more.
  const double largest = main_thread_share(record, prefix, into);
  if (threads > 1) {
    into.goal(prefix + "largest share of a stage on the main thread", spread_of({largest}), 0.99);
  }
}

}  // namespace bench
