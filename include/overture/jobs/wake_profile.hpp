// What waking has cost, and whom: the numbers of a thread_pool since its start, or of a part of the
// program.
//
//   const wake_profile before = jobs.profile();
//   load_level();
//   const wake_profile cost = jobs.profile() - before;      // or: wake_zone zone(jobs, ...);
//   if (cost.percentile_ns(0.99) > 50'000) ...              //     ... zone.profile()
//
// On the timeline each wake is a counter `wake_ns` of the thread that was woken: how long it took
// from the signal until it ran; one that found nothing is the moment `futile wake`.
//
// Cost: two looks at the clock and three relaxed read-modify-writes for each wake, which takes a
// hundred times as long; nothing where nobody sleeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace overture {

struct wake_profile {
  static constexpr std::size_t buckets = 20;
  static constexpr std::size_t depths = 8;

  // How many sleepers ran so long after the signal: the first bucket up to 256 ns, each further one
  // up to twice as much, the last one beyond.
  std::array<std::uint64_t, buckets> signal_to_run{};
  // How many workers were woken by a thread that was awake (the first number), by a worker that had
  // just been woken so itself (the second), and so on; the last number has all beyond.
  std::array<std::uint64_t, depths> chain_depth{};
  // Who paid for the system calls.
  std::uint64_t paid_by_host = 0;       // threads of the host that submitted or waited
  std::uint64_t paid_by_jobs = 0;       // workers, inside a job: what it submitted or forked
  std::uint64_t paid_by_searchers = 0;  // workers without a job: wakes handed on
  std::uint64_t futile = 0;             // threads that woke and found nothing
  std::uint64_t spun_ns = 0;            // time that workers have looked for work in vain

  [[nodiscard]] std::uint64_t wakes() const noexcept {
    return paid_by_host + paid_by_jobs + paid_by_searchers;
  }
  // The upper end of a bucket, in nanoseconds.
  [[nodiscard]] static constexpr std::uint64_t upper_ns(std::size_t bucket) noexcept {
    return std::uint64_t{256} << bucket;
  }
  // The end of the first bucket up to which this share of the wakes took (0.5: half of them); 0
  // without any.
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

  // What has come since `earlier`.
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
