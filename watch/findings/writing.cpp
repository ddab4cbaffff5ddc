// SPDX-License-Identifier: Zlib
//
// What is written while the game loads: to files, and as text.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/load_threads.hpp"
#include "watch/findings/name_sums.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t opens_max = 16;  // of one file

bool is_printed(const watched_process& process, const watched_event& event) {
  if (event.kind != event_kind::write || event.id == 0) return false;
  const std::string_view name = process.name(event.id);
  return name == output_name || name == error_name;
}

bool opens_to_write(const watched_event& event) {
  return event.kind == event_kind::open && !event.failed() && !reads_content(event.value);
}

struct sync_sums {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};

sync_sums syncs_of(const load_view& view) {
  sync_sums sums;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (each.kind != event_kind::sync || each.begin_ns >= view.end_ns()) continue;
      sums.calls += each.calls();
      sums.ns += each.took_ns;
    }
  }
  return sums;
}

// As SQLite names them, beside the database.
bool has_journal(const watched_process& process,
                 const std::map<std::uint32_t, std::uint64_t>& by_name) {
  return std::ranges::any_of(by_name, [&](const auto& each) {
    const std::string_view name = process.name(each.first);
    return name.ends_with("-journal") || name.ends_with("-wal");
  });
}

// Opening and closing belong to it: a FILE writes when it is closed.
void find_files(const load_view& view, std::vector<finding>& to) {
  std::map<std::uint32_t, std::uint64_t> opens;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (opens_to_write(each) && each.begin_ns < view.end_ns()) ++opens[each.id];
    }
  }
  const name_sums sums = sums_of(view, [&](const watched_event& each) {
    if (each.kind == event_kind::sync || opens_to_write(each)) return 1u;
    if (each.kind == event_kind::close) return opens.contains(each.id) ? 1u : 0u;
    const bool writes = each.kind == event_kind::write && each.id != 0;
    return writes && !is_printed(view.process, each) ? 1u : 0u;
  });
  if (sums.count == 0) return;
  finding made{.kind = finding_kind::writing, .ns = sums.longest_ns};
  made.what = "The disk is written to while the game loads.";
  const sync_sums syncs = syncs_of(view);
  if (syncs.calls > 0) {
    made.evidence.push_back(fmt::format("{} waited {} for the disk.",
                                        report_detail::counted(syncs.calls, "sync", "syncs"),
                                        time_text(syncs.ns)));
  }
  made.evidence.push_back(names_words(view.process, sums.ns_by_name, time_text) + '.');
  std::erase_if(opens, [](const auto& each) { return each.second <= opens_max; });
  if (!opens.empty()) {
    made.evidence.push_back(fmt::format("Opened again and again to be written to: {}.",
                                        names_words(view.process, opens, count_text)));
  }
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  if (has_journal(view.process, sums.by_name)) {
    made.advice =
        "A database commits its changes one by one: put them into one transaction (BEGIN, COMMIT), "
        "or change them after the load.";
  } else if (opens.empty() || syncs.ns > made.ns / 2) {
    made.advice =
        "Write after the load, on another thread, and sync once, and only what must not be lost.";
  } else {
    made.advice =
        "Keep the file open, and gather what is written: a log needs fflush() where it may be the "
        "last line, no fclose().";
  }
  to.push_back(made);
}

void find_printing(const load_view& view, std::vector<finding>& to) {
  const name_sums sums = sums_of(
      view, [&](const watched_event& each) { return is_printed(view.process, each) ? 1u : 0u; },
      loading_threads(view));
  if (sums.count == 0) return;
  finding made{.kind = finding_kind::printing, .ns = sums.longest_ns};
  made.what = "Text is printed while the game loads.";
  made.evidence.push_back(fmt::format("{}: {}.",
                                      report_detail::counted(sums.count, "write", "writes"),
                                      names_words(view.process, sums.by_name, count_text)));
  made.evidence.push_back(fmt::format("From {}.", places_words(view.process, sums.callers)));
  made.advice =
      "Look at what it prints: an error that is reported again and again has a cause. Print less, "
      "and gather lines into large writes.";
  to.push_back(made);
}

}  // namespace

void find_writing(const load_view& view, std::vector<finding>& to) {
  find_files(view, to);
  find_printing(view, to);
}

}  // namespace overture::watch
