// SPDX-License-Identifier: Zlib
//
// How files are read.
#include <fmt/core.h>

#include <algorithm>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t tiny_reads_min = 1'000;
constexpr std::uint64_t seeks_min = 500;
constexpr std::uint64_t seeks_of_a_file_min = 16;
constexpr std::uint64_t slow_read_ns = 100'000;  // no page cache takes so long for a page

// What a thread took for events that `wanted` accepts.
template <class Wanted>
std::uint64_t time_of(const watched_thread& thread, std::uint64_t end_ns, Wanted wanted) {
  std::uint64_t ns = 0;
  for (const watched_event& each : thread.events) {
    if (each.begin_ns < end_ns && wanted(each)) ns += each.took_ns;
  }
  return ns;
}

bool is_read(const watched_event& event) {
  return event.kind == event_kind::read && !event.has(plain_event::unseen);
}

// Slow reads of others had no core for so long.
bool reads_the_disk(const watched_thread& thread) {
  return !thread.kernel || thread.kernel->read_bytes > 0;
}

void find_tiny(const load_view& view, std::vector<finding>& to) {
  std::map<std::uint32_t, std::uint64_t> by_name;
  std::uint64_t tiny = 0;
  std::uint64_t reads = 0;
  for (const file_use& each : view.files) {
    if (each.tiny_reads > 0) by_name[each.name] = each.tiny_reads;
    tiny += each.tiny_reads;
    reads += each.reads;
  }
  if (tiny < tiny_reads_min) return;
  finding made{.kind = finding_kind::tiny_reads};
  std::map<std::uint64_t, std::uint64_t> callers;
  for (const watched_thread& thread : view.process.threads) {
    const bool may_wait = reads_the_disk(thread);
    const auto is_tiny = [&](const watched_event& each) {
      if (!is_read(each) || each.id == 0 || !each.reads_tiny()) return false;
      // Large pieces would have had to wait, too.
      if (may_wait && waits_for_disk(each)) return false;
      callers[each.place()] += each.took_ns;
      return true;
    };
    made.ns = std::max(made.ns, time_of(thread, view.end_ns(), is_tiny));
  }
  made.what = "Files are read in tiny pieces.";
  made.evidence.push_back(fmt::format("{} of {} reads got at most {} bytes: {}.", count_text(tiny),
                                      count_text(reads), tiny_bytes_max,
                                      names_words(view.process, by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, callers)));
  made.advice = "Read each file whole, and take the pieces from memory.";
  to.push_back(made);
}

void find_again(const load_view& view, std::vector<finding>& to) {
  std::map<std::uint32_t, std::uint64_t> by_name;
  std::uint64_t bytes = 0;
  std::uint64_t work_ns = 0;
  double ns = 0;
  for (const file_use& each : view.files) {
    if (each.again_bytes == 0) continue;
    by_name[each.name] = each.again_bytes;
    bytes += each.again_bytes;
    work_ns += each.again_work_ns;
    ns += static_cast<double>(each.read_ns) * static_cast<double>(each.again_bytes) /
          static_cast<double>(each.bytes);
  }
  if (bytes == 0) return;
  std::map<std::uint64_t, std::uint64_t> callers;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      const bool is_wanted = is_read(each) && each.begin_ns < view.end_ns();
      if (is_wanted && by_name.contains(each.id)) callers[each.place()] += each.took_ns;
    }
  }
  const auto read_ns = static_cast<std::uint64_t>(ns);
  const bool is_work = work_ns > read_ns;  // not only the steps of a loop
  finding made{.kind = finding_kind::read_again, .ns = is_work ? read_ns + work_ns : read_ns};
  made.what = "The same bytes are read more than once.";
  made.evidence.push_back(fmt::format("{} had been read before: {}.", bytes_text(bytes),
                                      names_words(view.process, by_name, bytes_text)));
  if (is_work) {
    made.evidence.push_back(
        fmt::format("Between these reads, the program worked on what it had read again for {}.",
                    time_text(work_ns)));
  }
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, callers)));
  made.advice = "Keep what was read, or what was made of it, until it is not needed any more.";
  to.push_back(made);
}

// The blocks that FILEs read where they were moved to, beside what was wanted of them.
void find_seeking(const load_view& view, std::vector<finding>& to) {
  std::map<std::uint32_t, std::uint64_t> by_name;
  std::uint64_t seeks = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t wanted_bytes = 0;
  for (const file_use& each : view.files) {
    if (each.seeks < seeks_of_a_file_min) continue;
    by_name[each.name] = each.seeks;
    seeks += each.seeks;
    read_bytes += each.seek_bytes;
    wanted_bytes += each.bytes;
  }
  if (seeks < seeks_min || read_bytes < wanted_bytes) return;
  finding made{.kind = finding_kind::seeking};
  std::map<std::uint64_t, std::uint64_t> callers;
  for (const watched_thread& thread : view.process.threads) {
    const auto is_seek = [&](const watched_event& each) {
      if (each.kind != event_kind::seek || !by_name.contains(each.id)) return false;
      callers[each.place()] += each.took_ns;
      return true;
    };
    made.ns = std::max(made.ns, time_of(thread, view.end_ns(), is_seek));
  }
  made.what = "Seeks back and forth in files read whole blocks for a few bytes.";
  made.evidence.push_back(fmt::format(
      "{} seeks read {} for {} that were wanted: {}.", count_text(seeks), bytes_text(read_bytes),
      bytes_text(wanted_bytes), names_words(view.process, by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, callers)));
  made.advice =
      "Read a file from front to back: its directory once, then what it names by place. Or read it "
      "whole, or map it.";
  to.push_back(made);
}

void find_cold(const load_view& view, std::vector<finding>& to) {
  std::uint64_t disk_bytes = 0;
  std::uint64_t faults = 0;
  for (const watched_thread& each : view.process.threads) {
    if (!each.kernel) continue;
    disk_bytes += each.kernel->read_bytes;
    faults += each.kernel->major_faults;
  }
  constexpr std::uint64_t bytes_min = std::uint64_t{1} << 20;
  if (disk_bytes < bytes_min && faults == 0) return;
  std::map<std::uint32_t, std::uint64_t> by_name;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (waits_for_disk(each)) {
        by_name[each.id] += each.took_ns;
      }
    }
  }
  finding made{.kind = finding_kind::cold_reads};
  for (const watched_thread& each : view.process.threads) {
    if (reads_the_disk(each))
      made.ns = std::max(made.ns, time_of(each, view.end_ns(), waits_for_disk));
  }
  made.what = "Reads waited for the disk.";
  made.evidence.push_back(fmt::format(
      "{} came from the disk, and {} for it.", bytes_text(disk_bytes),
      report_detail::counted(faults, "page fault had to wait", "page faults had to wait")));
  if (!by_name.empty()) {
    made.evidence.push_back(
        fmt::format("Slow reads: {}.", names_words(view.process, by_name, time_text)));
  }
  made.advice =
      "Keep several reads in flight, or put files into one archive in the order of their "
      "first use: a record of this run has that order.";
  to.push_back(made);
}

}  // namespace

bool waits_for_disk(const watched_event& event) {
  // Of many that were put together, none does.
  return is_read(event) && event.id != 0 && event.calls() == 1 && event.took_ns >= slow_read_ns;
}

void find_reads(const load_view& view, std::vector<finding>& to) {
  find_tiny(view, to);
  find_again(view, to);
  find_seeking(view, to);
  find_cold(view, to);
}

}  // namespace overture::watch
