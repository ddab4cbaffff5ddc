// SPDX-License-Identifier: Zlib
//
// What wakes have cost, and which threads paid: the figures of a thread_pool since its start, or of
// a part of the program.
//
//   const wake_profile before = jobs.profile();
//   load_level();
//   const wake_profile cost = jobs.profile() - before;      // or: wake_zone zone(jobs, ...);
//   if (cost.percentile_ns(0.99) > 50'000) ...              //     ... zone.profile()
//
// On the timeline each wake is a counter `wake_ns` of the woken thread: the time from the signal
// until it ran. A wake that found no work is the mark `futile wake`.
//
// Cost: two clock reads and three relaxed read-modify-writes for each wake, which itself takes a
// hundred times as long; nothing while no thread sleeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace overture {

struct wake_profile {
  static constexpr std::size_t buckets = 20;
  static constexpr std::size_t depths = 8;

  // Wakes by the time from the signal until the thread ran: up to 256 ns in the first bucket, up to
  // twice as much in each next one, anything longer in the last.
  std::array<std::uint64_t, buckets> signal_to_run{};
  // Wakes by the length of the chain that led to them: by a thread that was awake (first), by a
  // worker that such a thread had just woken (second), and so on; longer ones in the last.
  std::array<std::uint64_t, depths> chain_depth{};
  // Which threads made the system calls.
  std::uint64_t paid_by_host = 0;       // host threads that submitted or waited
  std::uint64_t paid_by_jobs = 0;       // workers inside a job that submitted or forked
  std::uint64_t paid_by_searchers = 0;  // workers between jobs, which wake the next
  std::uint64_t futile = 0;             // threads that woke and found nothing
  std::uint64_t spun_ns = 0;            // time that workers looked for work in vain

  [[nodiscard]] std::uint64_t wakes() const noexcept {
    return paid_by_host + paid_by_jobs + paid_by_searchers;
  }
  // The upper end of a bucket, in nanoseconds.
  [[nodiscard]] static constexpr std::uint64_t upper_ns(std::size_t bucket) noexcept {
    return std::uint64_t{256} << bucket;
  }
  // The upper end of the bucket that this share of the wakes fits into (0.5: the median); 0 without
  // any wakes.
  [[nodiscard]] std::uint64_t percentile_ns(double share) const noexcept {
    std::uint64_t all = 0;
    for (const std::uint64_t each : signal_to_run) all += each;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += signal_to_run[i];
      if (seen != 0 && static_cast<double>(seen) >= share * static_cast<double>(all)) {
        return upper_ns(i);
      }
    }
    return 0;
  }

  // The figures since `earlier`.
  friend wake_profile operator-(wake_profile later, const wake_profile& earlier) noexcept {
    for (std::size_t i = 0; i < buckets; ++i) later.signal_to_run[i] -= earlier.signal_to_run[i];
    for (std::size_t i = 0; i < depths; ++i) later.chain_depth[i] -= earlier.chain_depth[i];
    later.paid_by_host -= earlier.paid_by_host;
    later.paid_by_jobs -= earlier.paid_by_jobs;
    later.paid_by_searchers -= earlier.paid_by_searchers;
    later.futile -= earlier.futile;
    later.spun_ns -= earlier.spun_ns;
    return later;
  }
};

}  // namespace overture
