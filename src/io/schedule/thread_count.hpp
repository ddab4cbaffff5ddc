// SPDX-License-Identifier: Zlib
//
// How many threads read: one pure function of what the disk answers.
//
// While more threads read more, their number doubles. When they do not, it returns to the best
// number, stays there for a while, and then probes up and down in case the disk has changed. Reads
// from memory get the fewest threads: there processors are the limit, not disks.
//
// Source of the method: hill climbing on throughput, as in thread pools that size themselves
// (Hellerstein et al., "Feedback control of computing systems", 2004).
#pragma once

#include <algorithm>
#include <cstdint>

namespace overture::io_detail {

struct thread_rules {
  unsigned fewest = 1;
  unsigned most = 1;
  std::uint64_t memory_ns = 40'000;  // a read that is shorter has not been to the disk
  unsigned gain_percent = 10;        // what more threads have to bring
  unsigned rest = 20;                // periods between probes
};

// The result of a period of reading.
struct disk_answer {
  std::uint64_t work = 0;  // bytes, and a fixed number for each read
  std::uint64_t time_ns = 1;
  std::uint64_t usual_read_ns = 0;
  bool kept_busy = true;  // something waited all the time, so that more threads could have read
};

struct thread_search {
  enum class step : std::uint8_t { up, rests, down };
  unsigned count = 1;
  unsigned best = 1;
  std::uint64_t best_rate = 0;  // of work, for each millisecond
  step looks = step::up;
  step looked = step::up;  // the last direction probed from the best
  unsigned rested = 0;
};

[[nodiscard]] constexpr thread_search settled(thread_search from) noexcept {
  from.count = from.best;
  from.looks = thread_search::step::rests;
  from.rested = 0;
  return from;
}

// Goes a step up or down from the best; where there is none, it rests.
[[nodiscard]] constexpr thread_search looking(const thread_rules& rules, thread_search from,
                                              thread_search::step way) noexcept {
  const bool up = way == thread_search::step::up;
  const unsigned next =
      up ? std::min(from.count * 2, rules.most) : std::max(from.count / 2, rules.fewest);
  from.looked = way;
  if (next == from.count) return settled(from);
  from.count = next;
  from.looks = way;
  return from;
}

[[nodiscard]] constexpr thread_search next_thread_count(const thread_rules& rules,
                                                        thread_search now,
                                                        const disk_answer& answer) noexcept {
  using step = thread_search::step;
  if (answer.usual_read_ns < rules.memory_ns) return {rules.fewest, rules.fewest};
  if (!answer.kept_busy) return now;
  const std::uint64_t rate = answer.work / std::max<std::uint64_t>(answer.time_ns / 1'000'000, 1);
  const auto is_more = [&](std::uint64_t a, std::uint64_t b) {
    return a > b + b / 100 * rules.gain_percent;
  };
  if (now.looks == step::rests) {
    now.best_rate = rate;  // as the disk is now
    if (++now.rested < rules.rest) return now;
    return looking(rules, now, now.looked == step::up ? step::down : step::up);
  }
  const bool good = now.looks == step::up ? now.best_rate == 0 || is_more(rate, now.best_rate)
                                          : !is_more(now.best_rate, rate);
  if (!good) return settled(now);
  now.best = now.count;
  now.best_rate = rate;
  return looking(rules, now, now.looks);
}

}  // namespace overture::io_detail
