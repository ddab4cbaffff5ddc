// SPDX-License-Identifier: Zlib
//
// How names are looked up.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/name_sums.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t misses_min = 50;
constexpr std::uint64_t look_ups_min = 500;
constexpr std::uint64_t entries_min = 500;
constexpr std::uint64_t opens_again_min = 50;
constexpr std::uint64_t opens_of_a_file_max = 16;
constexpr std::size_t many_files_min = 500;
constexpr std::uint64_t small_bytes_max = std::uint64_t{64} << 10;

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

void find_misses(const load_view& view, std::vector<finding>& to) {
  const name_sums sums = sums_of(view, [](const watched_event& each) {
    const bool looks = each.kind == event_kind::open || each.kind == event_kind::look_up;
    return looks && each.failed() ? 1u : 0u;
  });
  if (sums.count < misses_min) return;
  finding made{.kind = finding_kind::misses, .ns = sums.longest_ns};
  made.what = "Files are looked for where they are not.";
  made.evidence.push_back(fmt::format("{} look-ups of {} failed: {}.", count_text(sums.count),
                                      report_detail::counted(sums.by_name.size(), "name", "names"),
                                      names_words(view.process, sums.by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice =
      "List the folders once and look names up in memory, or put the folder that has most files "
      "first in the search path.";
  to.push_back(made);
}

// How many of these names are in folders that were listed.
std::size_t listed_among(const load_view& view,
                         const std::map<std::uint32_t, std::uint64_t>& names) {
  std::set<std::string_view> folders;
  for (const file_use& each : view.files) {
    if (each.lists > 0) folders.insert(view.process.name(each.name));
  }
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const auto& each) {
    return folders.contains(folder_of(view.process.name(each.first)));
  }));
}

void find_look_ups(const load_view& view, std::vector<finding>& to) {
  const name_sums sums = sums_of(view, [](const watched_event& each) {
    return each.kind == event_kind::look_up && !each.failed() ? 1u : 0u;
  });
  if (sums.count < look_ups_min) return;
  finding made{.kind = finding_kind::look_ups, .ns = sums.longest_ns};
  const bool is_of_lists = listed_among(view, sums.by_name) * 2 > sums.by_name.size();
  made.what = is_of_lists ? "Folders are listed, and the system is asked about each entry."
                          : "The system is asked about files again and again.";
  made.evidence.push_back(fmt::format("{} questions about {}: {}.", count_text(sums.count),
                                      report_detail::counted(sums.by_name.size(), "name", "names"),
                                      names_words(view.process, sums.by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice =
      is_of_lists
          ? "readdir() says in d_type whether an entry is a folder: call "
            "stat() only where it says DT_UNKNOWN. List each folder once, and keep the list."
          : "Open the file and look whether that works; keep what is known of it.";
  to.push_back(made);
}

void find_listing(const load_view& view, std::vector<finding>& to) {
  const name_sums sums = sums_of(view, [](const watched_event& each) {
    return each.kind == event_kind::list ? each.value : std::uint64_t{0};
  });
  if (sums.count < entries_min) return;
  finding made{.kind = finding_kind::listing, .ns = sums.longest_ns};
  made.what = "Large folders are listed.";
  made.evidence.push_back(fmt::format("{} entries: {}.", count_text(sums.count),
                                      names_words(view.process, sums.by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice = "Keep a list of the files with the game, or list each folder once.";
  to.push_back(made);
}

// Small files that are opened a few times each: the system's part of that is what takes time.
void find_many_files(const load_view& view, std::vector<finding>& to) {
  std::set<std::uint32_t> content;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (opens_content(view.process, each)) content.insert(each.id);
    }
  }
  std::set<std::uint32_t> small;
  std::map<std::string_view, std::uint64_t> folders;
  std::uint64_t bytes = 0;
  for (const file_use& each : view.files) {
    const bool is_small = each.bytes <= small_bytes_max && each.written_bytes == 0;
    if (each.opens == 0 || each.opens > opens_of_a_file_max || each.lists > 0 || !is_small)
      continue;
    if (!content.contains(each.name)) continue;
    small.insert(each.name);
    bytes += each.bytes;
    ++folders[folder_of(view.process.name(each.name))];
  }
  if (small.size() < many_files_min) return;
  const name_sums sums = sums_of(view, [&](const watched_event& each) {
    // What waits for the disk is told elsewhere.
    const bool is_wanted = is_file_access(each.kind) && !waits_for_disk(each);
    return is_wanted && small.contains(each.id) ? 1u : 0u;
  });
  finding made{.kind = finding_kind::many_files, .ns = sums.longest_ns};
  made.what = "Many small files are opened, one by one.";
  const auto [folder, most] = largest_first(folders).front();
  made.evidence.push_back(fmt::format("{} files in {}, {} of them in {}; {} were read of each.",
                                      count_text(small.size()),
                                      report_detail::counted(folders.size(), "folder", "folders"),
                                      count_text(most), folder, bytes_text(bytes / small.size())));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice =
      "Put them into one archive; keep what is learnt of them in one file for the next start; "
      "open only what is shown first.";
  to.push_back(made);
}

// Opens of what is open, and all but the first of what is opened over and over.
void find_opens_again(const load_view& view, std::vector<finding>& to) {
  std::map<std::uint32_t, std::uint64_t> opens_of;
  for (const file_use& each : view.files) opens_of[each.name] = each.opens;
  std::set<std::uint32_t> seen;
  std::uint64_t already = 0;
  const name_sums sums = sums_of(view, [&](const watched_event& each) {
    if (!opens_content(view.process, each)) return 0u;
    const bool is_first = seen.insert(each.id).second;
    if (each.has(plain_event::already)) {
      ++already;
      return 1u;
    }
    return !is_first && opens_of[each.id] > opens_of_a_file_max ? 1u : 0u;
  });
  if (sums.count < opens_again_min) return;
  finding made{.kind = finding_kind::opens_again, .ns = sums.longest_ns};
  made.what = "Files are opened by their names again and again.";
  made.evidence.push_back(fmt::format("{} opens, {} of them while the file was open: {}.",
                                      count_text(sums.count), count_text(already),
                                      names_words(view.process, sums.by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice = "Keep the file open and read it at places, with pread(), or keep what was read.";
  to.push_back(made);
}

}  // namespace

void find_names(const load_view& view, std::vector<finding>& to) {
  find_opens_again(view, to);
  find_many_files(view, to);
  find_misses(view, to);
  find_look_ups(view, to);
  find_listing(view, to);
}

}  // namespace overture::watch
