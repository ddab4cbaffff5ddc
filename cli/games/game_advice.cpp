// SPDX-License-Identifier: Zlib
#include <fmt/core.h>

#include <algorithm>

#include "games/game_calls.hpp"
#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

// Below these a change would not be felt.
constexpr std::uint64_t tiny_reads_min = 10'000;
constexpr std::uint64_t misses_min = 50;
constexpr std::uint64_t misses_of_name_min = 10;
constexpr std::uint64_t repeated_bytes_min = 1 << 20;
constexpr std::uint64_t repeats_min = 20;
constexpr std::uint64_t failed_mounts_min = 10;
constexpr std::uint64_t main_ns_min = 50'000'000;
constexpr double main_share_min = 0.15;
constexpr std::size_t names_told = 3;

// The names for which `measure` is largest, those of at least `least`.
template <class Measure>
std::vector<const calls_for_name*> most(const std::vector<calls_for_name>& names,
                                        std::uint64_t least, Measure measure) {
  std::vector<const calls_for_name*> found;
  for (const calls_for_name& each : names) {
    if (measure(each) >= least) found.push_back(&each);
  }
  std::sort(found.begin(), found.end(), [&](const calls_for_name* a, const calls_for_name* b) {
    return measure(*a) != measure(*b) ? measure(*a) > measure(*b) : a->name < b->name;
  });
  if (found.size() > names_told) found.resize(names_told);
  return found;
}

std::string about_tiny_reads(const game_calls& calls) {
  if (calls.tiny_reads < tiny_reads_min) return {};
  std::string text = fmt::format(
      "Read files whole, or in large pieces: {} of {} reads are of at "
      "most 16 bytes",
      grouped(calls.tiny_reads), grouped(calls.read_calls()));
  const auto where =
      most(calls.names, 1, [](const calls_for_name& name) { return name.tiny_reads; });
  if (!where.empty()) {
    text += fmt::format(", most often {} with {}", printable(where.front()->name),
                        grouped(where.front()->tiny_reads));
  }
  return text + ". PHYSFS_overture_readFile() of physfs_overture.h reads a file in one call.";
}

std::string about_misses(const game_calls& calls) {
  std::uint64_t all = 0;
  for (const calls_for_name& each : calls.names) all += each.misses;
  const auto where =
      most(calls.names, misses_of_name_min, [](const calls_for_name& name) { return name.misses; });
  if (all < misses_min || where.empty()) return {};
  return fmt::format("Remember what is not there: {} was looked for {} times in vain.",
                     printable(where.front()->name), grouped(where.front()->misses));
}

void about_repeats(const game_calls& calls, std::vector<std::string>& advice) {
  for (const calls_for_name* each :
       most(calls.names, repeated_bytes_min,
            [](const calls_for_name& name) { return name.repeated_bytes(); })) {
    if (each->repeats() == 0) continue;
    advice.push_back(fmt::format(
        "Keep {} in memory: it was opened {} times, and {} were read again.", printable(each->name),
        grouped(each->opens), human_bytes(static_cast<double>(each->repeated_bytes()))));
  }
  const auto often =
      most(calls.names, repeats_min, [](const calls_for_name& name) { return name.repeats(); });
  for (const calls_for_name* each : often) {
    if (each->repeated_bytes() >= repeated_bytes_min) continue;
    advice.push_back(fmt::format("Keep {} in memory: it was opened {} times.",
                                 printable(each->name), grouped(each->opens)));
  }
}

std::string about_mounts(const game_calls& calls) {
  const calls_of_kind& mounts = calls.kind("mount");
  if (mounts.failures < failed_mounts_min) return {};
  return fmt::format("Mount only what is there: {} of {} calls to mount or unmount failed.",
                     grouped(mounts.failures), grouped(mounts.calls));
}

std::string about_main_thread(const game_calls& calls) {
  if (calls.start_main_ns < main_ns_min) return {};
  const double share = static_cast<double>(calls.start_main_ns) /
                       static_cast<double>(std::max<std::uint64_t>(calls.start_ns, 1));
  if (share < main_share_min) return {};
  return fmt::format(
      "Load on other threads too: the main thread spent {} of the {} of the start in PHYSFS_ "
      "functions. Overture's do not wait for each other.",
      human_time(calls.start_main_ns), human_time(calls.start_ns));
}

}  // namespace

std::vector<std::string> advice_for(const game_calls& calls) {
  std::vector<std::string> advice;
  const auto add = [&advice](std::string text) {
    if (!text.empty()) advice.push_back(std::move(text));
  };
  add(about_main_thread(calls));
  add(about_tiny_reads(calls));
  about_repeats(calls, advice);
  add(about_misses(calls));
  add(about_mounts(calls));
  return advice;
}

}  // namespace overture::cli
