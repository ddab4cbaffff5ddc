// SPDX-License-Identifier: Zlib
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/words/printable.hpp"
#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/gain.hpp"
#include "watch/findings/words.hpp"
#include "watch/model/decode_replay.hpp"

namespace overture::watch {

namespace {

constexpr const char* gain_names[] = {"decoding-on-threads", "pack-in-order", "physfs"};
constexpr std::uint64_t worth_share = 20;  // of the load

// Reads so large that the disk's rate decides, not its latency.
constexpr std::uint64_t large_bytes = 256 << 10;
constexpr std::uint64_t large_bytes_min = 4 << 20;  // all together

std::uint64_t shorter_by(std::uint64_t was, std::uint64_t now) {
  return was > now ? was - now : 0;
}

void add_decoding(const load_view& view, unsigned threads, std::vector<gain>& to) {
  const lone_decodes alone = lone_decodes_of(view);
  if (threads < 2 || alone.job_ns.empty()) return;
  const std::uint64_t now = time_on_threads(alone.job_ns, threads);
  gain made{.kind = gain_kind::decoding_on_threads, .ns = shorter_by(alone.ns, now)};
  made.what = fmt::format("Decoding on {} threads.", threads);
  made.basis = fmt::format(
      "A replay of the {} that {} did alone, {} in all, the longest {}: on {} threads they take "
      "{}. All else stays as it was. It assumes that none needs the result of another, and that as "
      "many cores are free.",
      report_detail::counted(alone.count, "decode", "decodes"),
      thread_words(view.process, alone.thread), time_text(alone.ns), time_text(alone.longest_ns),
      threads, time_text(now));
  to.push_back(made);
}

void add_pack(const load_view& view, std::vector<gain>& to) {
  const disk_waits waits = disk_waits_of(view);
  if (waits.bytes_per_second == 0) return;
  const auto rate = static_cast<double>(waits.bytes_per_second);
  const auto now = static_cast<std::uint64_t>(static_cast<double>(waits.bytes) / rate * 1e9);
  gain made{.kind = gain_kind::pack_in_order, .ns = shorter_by(waits.ns, now)};
  made.what =
      "One archive of the files in the order of their first use, where they are on the disk and "
      "not in memory.";
  made.basis = fmt::format(
      "Reads waited {} for the disk. Read from front to back, the same {} take {} at the {}/s that "
      "large reads got.",
      time_text(waits.ns), bytes_text(waits.bytes), time_text(now),
      bytes_text(waits.bytes_per_second));
  to.push_back(made);
}

bool loads_physfs(const watched_process& process) {
  return std::any_of(process.modules.begin(), process.modules.end(), [](const auto& each) {
    const std::string_view path = each.path;
    const bool is_overture = path.find("/overture/physfs/") != std::string_view::npos;
    return !is_overture && path.find("/libphysfs.so.") != std::string_view::npos;
  });
}

// The longest that a thread was inside.
std::uint64_t physfs_ns(const load_view& view) {
  std::uint64_t longest = 0;
  for (const watched_thread& thread : view.process.threads) {
    std::uint64_t ns = 0;
    each_outermost(
        thread, view.end_ns(),
        [](const watched_event& each) {
          return each.kind == event_kind::zone && zone_of(each.id).work == zone_work::files;
        },
        [&](std::uint64_t begin, std::uint64_t end, const watched_event&) { ns += end - begin; });
    longest = std::max(longest, ns);
  }
  return longest;
}

// In single quotes, if a shell would take it apart.
std::string shell_word(const std::string& word) {
  constexpr std::string_view special = " \t\n\"'\\$`&|;<>()*?[]#~!{}";
  if (word.find_first_of(special) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char each : word) quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return quoted + '\'';
}

void add_physfs(const load_view& view, std::vector<gain>& to) {
  const std::uint64_t inside = physfs_ns(view);
  if (!loads_physfs(view.process) || inside * worth_share < view.end_ns()) return;
  const std::string program = shell_word(view.process.program);
  gain made{.kind = gain_kind::physfs};
  made.what = "Overture's libphysfs.so.1 in place of the one that the program loads.";
  made.basis = fmt::format(
      "It was in PhysicsFS for {}; how much shorter that gets has to be measured: overture "
      "physfs-env --report -- {}, and from a start pack: overture boost record -- {}, then "
      "overture boost run -- {}.",
      time_text(inside), program, program, program);
  to.push_back(made);
}

}  // namespace

const char* to_string(gain_kind kind) {
  return gain_names[static_cast<std::size_t>(kind)];
}

disk_waits disk_waits_of(const load_view& view) {
  disk_waits longest;
  std::uint64_t large = 0;
  std::uint64_t large_ns = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t bytes = 0;
  for (const watched_thread& thread : view.process.threads) {
    if (thread.kernel) disk_bytes += thread.kernel->read_bytes;
    disk_waits own;
    for (const watched_event& each : thread.events) {
      if (each.begin_ns >= view.end_ns()) break;
      if (each.kind != event_kind::read || each.id == 0) continue;
      own.bytes += bytes_in(each.value);
      if (!waits_for_disk(each)) continue;
      own.ns += each.took_ns;
      if (bytes_in(each.value) < large_bytes) continue;
      large += bytes_in(each.value);
      large_ns += each.took_ns;
    }
    bytes += own.bytes;
    if (own.ns > longest.ns) longest = own;
  }
  if (disk_bytes * 2 < bytes) return {};
  if (large >= large_bytes_min && large_ns > 0) {
    longest.bytes_per_second = static_cast<std::uint64_t>(static_cast<double>(large) /
                                                          static_cast<double>(large_ns) * 1e9);
  }
  return longest;
}

std::vector<gain> gains_of(const load_view& view, unsigned threads) {
  static_assert(std::size(gain_names) == static_cast<std::size_t>(gain_kind::physfs) + 1);
  std::vector<gain> all;
  add_decoding(view, threads, all);
  add_pack(view, all);
  add_physfs(view, all);
  std::erase_if(all, [&](const gain& each) {
    return each.ns && (*each.ns == 0 || *each.ns * worth_share < view.end_ns());
  });
  // Names can be anything.
  for (gain& each : all) each.basis = report_detail::printable(each.basis);
  order(all, [](const gain& a, const gain& b) { return a.ns.value_or(0) > b.ns.value_or(0); });
  return all;
}

}  // namespace overture::watch
