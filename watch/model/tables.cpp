// SPDX-License-Identifier: Zlib
#include "watch/model/tables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "watch/model/ordering.hpp"
#include "watch/model/symbols.hpp"

namespace overture::watch {

namespace {

template <class Row>
void order_by_time(std::vector<Row>& rows) {
  order(rows, [](const Row& a, const Row& b) { return a.ns > b.ns; });
}

bool is_lock(event_kind kind) {
  return kind == event_kind::wait_mutex || kind == event_kind::wait_lock;
}

}  // namespace

std::vector<site_row> call_sites(const load_view& view) {
  std::map<std::tuple<std::uint64_t, event_kind, std::uint32_t>, site_row> by_place;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (each.begin_ns >= view.end_ns()) continue;
      if (each.kind == event_kind::release && !each.wakes()) continue;
      const bool is_zone = each.kind == event_kind::zone;
      site_row& row = by_place[{each.caller, each.kind, is_zone ? each.id : 0}];
      row.caller = each.caller;
      row.what = is_zone ? readable_name(zone_of(each.id).function) : words_of(each.kind);
      row.is_wait = is_wait(each.kind);
      row.calls += each.calls();
      row.ns += each.kind == event_kind::allocate
                    ? each.value
                    : std::min(each.took_ns, view.end_ns() - each.begin_ns);
    }
  }
  std::vector<site_row> rows;
  rows.reserve(by_place.size());
  for (auto& [place, row] : by_place) rows.push_back(std::move(row));
  order_by_time(rows);
  return rows;
}

std::vector<code_row> code_rows(const load_view& view) {
  std::map<std::string, code_row> by_place;
  for (const watched_thread& thread : view.process.threads) {
    for (const thread_sample& each : thread.samples) {
      if (each.at_ns >= view.end_ns()) break;
      const std::string place = view.process.code_at(each.address);
      code_row& row = by_place[place];
      row.place = place;
      (thread.is_main ? row.main_ns : row.others_ns) += view.process.sample_ns;
    }
  }
  std::vector<code_row> rows;
  rows.reserve(by_place.size());
  for (auto& [place, row] : by_place) rows.push_back(std::move(row));
  order(rows, [](const code_row& a, const code_row& b) {
    return std::tuple(b.main_ns, b.others_ns) < std::tuple(a.main_ns, a.others_ns);
  });
  return rows;
}

std::vector<lock_row> lock_rows(const load_view& view) {
  struct sums {
    lock_row row;
    std::set<std::size_t> threads;
    std::map<std::uint64_t, std::uint64_t> callers;
  };
  std::map<std::uint64_t, sums> by_address;
  for (std::size_t i = 0; i < view.process.threads.size(); ++i) {
    for (const watched_event& each : view.process.threads[i].events) {
      if (!is_lock(each.kind) || each.begin_ns >= view.end_ns()) continue;
      sums& of = by_address[each.value];
      of.row.address = each.value;
      of.row.kind = each.kind;
      ++of.row.waits;
      const std::uint64_t ns = std::min(each.end_ns, view.end_ns()) - each.begin_ns;
      of.row.ns += ns;
      of.callers[each.caller] += ns;
      of.threads.insert(i);
    }
  }
  std::vector<lock_row> rows;
  for (auto& [address, of] : by_address) {
    of.row.threads = of.threads.size();
    of.row.caller =
        std::max_element(of.callers.begin(), of.callers.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
    rows.push_back(of.row);
  }
  order_by_time(rows);
  return rows;
}

thread_row row_of(const watched_thread& thread) {
  thread_row row;
  const std::uint64_t end = thread.kernel ? thread.kernel->at_ns : thread.end_ns;
  // The main thread began with the process.
  const std::uint64_t begin = thread.is_main ? 0 : thread.begin_ns;
  row.life_ns = end > begin ? end - begin : 0;
  each_innermost(thread, end,
                 [&](std::uint64_t from, std::uint64_t to, const watched_event& event) {
                   if (is_wait(event.kind)) row.wait_ns += to - from;
                 });
  if (thread.kernel) {
    row.is_known = true;
    row.core_ns = thread.kernel->core_ns;
    row.queued_ns = thread.kernel->queued_ns;
  }
  const std::uint64_t known = row.core_ns + row.queued_ns + row.wait_ns;
  row.unknown_ns = row.life_ns > known ? row.life_ns - known : 0;
  return row;
}

std::vector<thread_row> thread_rows(const watched_process& process) {
  const std::vector<std::string> names = thread_names(process);
  std::vector<thread_row> rows;
  for (std::uint32_t i = 0; i < process.threads.size(); ++i) {
    thread_row row = row_of(process.threads[i]);
    row.thread = i;
    row.name = names[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> thread_names(const watched_process& process) {
  std::map<std::string, int> counts;
  for (const watched_thread& each : process.threads) {
    if (!each.is_main) ++counts[each.name];
  }
  std::vector<std::string> names;
  names.reserve(process.threads.size());
  for (const watched_thread& each : process.threads) {
    if (each.is_main) {
      names.emplace_back("main");
    } else if (each.name.empty()) {
      names.push_back(std::to_string(each.number));
    } else if (counts[each.name] > 1) {
      names.push_back(each.name + ' ' + std::to_string(each.number));
    } else {
      names.push_back(each.name);
    }
  }
  return names;
}

}  // namespace overture::watch
