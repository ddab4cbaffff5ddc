// SPDX-License-Identifier: Zlib
#include "watch/model/samples.hpp"

#include <algorithm>
#include <map>

#include "watch/model/ordering.hpp"

namespace overture::watch {

void add_samples(watched_process& process, const sampling& of) {
  process.sample_ns = of.period_ns;
  process.fault_ns = of.fault_ns;
  std::map<std::uint64_t, watched_thread*> by_number;
  for (watched_thread& each : process.threads) by_number[each.number] = &each;
  for (const program_sample& each : of.samples) {
    if (each.process != process.pid || each.at_ns < process.zero_ns) continue;
    const auto thread = by_number.find(each.thread);
    const std::uint64_t at_ns = each.at_ns - process.zero_ns;
    if (thread == by_number.end() || at_ns > process.end_ns) continue;
    thread->second->samples.push_back({at_ns, each.address, each.caller});
  }
  for (watched_thread& each : process.threads) {
    order(each.samples,
          [](const thread_sample& a, const thread_sample& b) { return a.at_ns < b.at_ns; });
  }
}

}  // namespace overture::watch
