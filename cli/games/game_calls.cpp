// SPDX-License-Identifier: Zlib
#include "games/game_calls.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "call_report/layout.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;
using call_report::process_report;

// The game may have been killed while it wrote.
template <std::size_t Room>
std::string text_in(const char (&room)[Room]) {
  const void* const end = std::memchr(room, '\0', Room);
  return {room, end ? static_cast<std::size_t>(static_cast<const char*>(end) - room) : Room};
}

std::uint64_t between(std::uint64_t begin, std::uint64_t end) {
  return end > begin ? end - begin : 0;
}

void add(calls_of_kind& to, const call_report::work_counts& more) {
  to.calls += more.calls;
  to.ns += more.ns;
  to.failures += more.failures;
}

void add_thread(game_calls& to, const call_report::thread_counts& thread, bool are_several) {
  calls_of_thread row{.name = text_in(thread.name), .is_main = thread.is_main != 0};
  for (std::size_t i = 0; i < call_report::works; ++i) {
    add(to.kinds[i], thread.by_work[i]);
    row.calls += thread.by_work[i].calls;
  }
  for (std::size_t i = 0; i < call_report::read_size_count; ++i) {
    to.reads[i].reads += thread.reads[i].calls;
    to.reads[i].ns += thread.reads[i].ns;
    if (call_report::read_sizes[i] <= call_report::tiny_read_bytes_max) {
      to.tiny_reads += thread.reads[i].calls;
    }
  }
  to.read_bytes += thread.read_bytes;
  row.ns = thread.ns;
  if (are_several) row.name = "all others";
  if (row.calls > 0) to.threads.push_back(row);
}

game_calls made_of(const process_report& report) {
  game_calls made;
  made.program = text_in(report.program);
  made.library = text_in(report.library);
  made.run_ns = between(report.begin_ns, report.last_ns);
  made.start_ns = between(report.begin_ns, report.start_ns);
  made.start_main_ns = report.start_main_ns;
  if (report.first_frame_ns != 0) {
    made.first_frame_ns = between(report.begin_ns, report.first_frame_ns);
  }
  made.lost_names = report.lost_names;
  for (const char* const name : call_report::work_names) made.kinds.push_back({.kind = name});
  for (const std::uint64_t each : call_report::read_sizes) made.reads.push_back({.up_to = each});
  const std::size_t threads = std::min<std::size_t>(report.thread_count, call_report::threads_max);
  for (std::size_t i = 0; i < threads; ++i) {
    add_thread(made, report.threads[i],
               i + 1 == threads && report.thread_count > call_report::threads_max);
  }
  for (const call_report::name_counts& each : report.names) {
    if (each.hash == 0) continue;
    made.names.push_back({.name = text_in(each.name),
                          .opens = each.opens,
                          .misses = each.misses,
                          .reads = each.reads,
                          .tiny_reads = each.tiny_reads,
                          .read_bytes = each.read_bytes,
                          .length = each.length});
  }
  return made;
}

}  // namespace

std::uint64_t calls_for_name::repeated_bytes() const {
  // Without its length: if each opening read as much.
  const std::uint64_t once = length > 0 ? length : read_bytes / std::max<std::uint64_t>(opens, 1);
  return between(once, read_bytes);
}

const calls_of_kind& game_calls::kind(std::string_view name) const {
  static const calls_of_kind none;
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const calls_of_kind& each) { return each.kind == name; });
  return found == kinds.end() ? none : *found;
}

std::vector<game_calls> read_game_calls(const std::string& folder) {
  std::vector<game_calls> all;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    const auto report = std::make_unique<process_report>();
    std::ifstream file(each.path(), std::ios::binary);
    file.read(reinterpret_cast<char*>(report.get()), sizeof *report);
    if (file.gcount() != sizeof *report) continue;
    if (std::memcmp(report->format, call_report::magic, sizeof report->format) != 0) continue;
    all.push_back(made_of(*report));
  }
  std::sort(all.begin(), all.end(), [](const game_calls& a, const game_calls& b) {
    return a.run_ns != b.run_ns ? a.run_ns > b.run_ns : a.program < b.program;
  });
  return all;
}

}  // namespace overture::cli
