// SPDX-License-Identifier: Zlib
//
// Waits for locks, and what the threads that had them did meanwhile.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

struct file_span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t name = 0;
};

// What a thread did with files, by time, without overlap.
std::vector<file_span> file_spans_of(const watched_thread& thread, std::uint64_t end_ns) {
  const auto wanted = [](const watched_event& each) {
    return is_file_access(each.kind) ||
           (each.kind == event_kind::zone && zone_of(each.id).work == zone_work::files);
  };
  std::vector<file_span> spans;
  each_outermost(thread, end_ns, wanted,
                 [&](std::uint64_t begin, std::uint64_t end, const watched_event& each) {
                   const bool is_zone = each.kind == event_kind::zone;
                   spans.push_back({begin, end, is_zone ? 0 : each.id});
                 });
  return spans;
}

struct lock_sums {
  std::uint64_t waits = 0;
  std::uint64_t sum_ns = 0;
  std::uint64_t held_ns = 0;   // of it, with a known holder
  std::uint64_t files_ns = 0;  // of that, the holder was in file access
  covered_time any;            // at least one thread waited
  std::set<std::uint32_t> threads;
  std::map<std::uint64_t, std::uint64_t> callers;
  std::map<std::string, std::uint64_t> libraries;  // that asked for it; empty: none of the system
  std::map<std::uint32_t, std::uint64_t> files;
  std::map<std::uint32_t, std::uint64_t> holders;
};

class lock_finder {
 public:
  explicit lock_finder(const load_view& view)
      : view_(view), process_(view.process), history_(view.process) {
    for (const watched_thread& each : process_.threads) {
      file_spans_.push_back(file_spans_of(each, UINT64_MAX));
    }
  }

  void find(std::vector<finding>& to) {
    for (std::uint32_t i = 0; i < process_.threads.size(); ++i) {
      for (const watched_event& each : process_.threads[i].events) {
        const bool is_lock =
            each.kind == event_kind::wait_mutex || each.kind == event_kind::wait_lock;
        if (is_lock && each.begin_ns < view_.end_ns()) add(each, i);
      }
    }
    for (const auto& [address, sums] : by_address_) to.push_back(told(sums));
  }

 private:
  void add(const watched_event& wait, std::uint32_t thread) {
    lock_sums& sums = by_address_[wait.value];
    const std::uint64_t end = std::min(wait.end_ns, view_.end_ns());
    ++sums.waits;
    sums.sum_ns += end - wait.begin_ns;
    sums.any.add(wait.begin_ns, end);
    sums.threads.insert(thread);
    sums.callers[wait.place()] += end - wait.begin_ns;
    sums.libraries[library_of(wait.caller)] += end - wait.begin_ns;
    for (const held_part& each : history_.parts_of(wait, thread)) {
      sums.held_ns += each.end_ns - each.begin_ns;
      sums.holders[each.holder] += each.end_ns - each.begin_ns;
      add_files(sums, each);
    }
  }

  void add_files(lock_sums& sums, const held_part& part) const {
    const std::vector<file_span>& spans = file_spans_[part.holder];
    auto at =
        std::upper_bound(spans.begin(), spans.end(), part.begin_ns,
                         [](std::uint64_t ns, const file_span& of) { return ns < of.end_ns; });
    for (; at != spans.end() && at->begin_ns < part.end_ns; ++at) {
      const std::uint64_t ns =
          std::min(at->end_ns, part.end_ns) - std::max(at->begin_ns, part.begin_ns);
      sums.files_ns += ns;
      sums.files[at->name] += ns;
    }
  }

  [[nodiscard]] finding told(const lock_sums& sums) const {
    const bool over_files = sums.files_ns * 2 > sums.held_ns;
    finding made{.kind = over_files ? finding_kind::lock_over_files : finding_kind::contended_lock,
                 .ns = sums.any.ns()};
    const std::string library = largest_first(sums.libraries).front().first;
    if (over_files) {
      made.what = "A lock was held while files were read, and other threads waited for it.";
    } else if (library.empty()) {
      made.what = "Threads waited for a lock that others had.";
    } else {
      made.what = fmt::format("Threads waited for a lock inside of {} that others had.", library);
    }
    made.evidence.push_back(
        fmt::format("{} of {}, {} of all together; it was asked for at {}.",
                    report_detail::counted(sums.waits, "wait", "waits"),
                    report_detail::counted(sums.threads.size(), "thread", "threads"),
                    time_text(sums.sum_ns), places_words(process_, sums.callers)));
    if (!sums.holders.empty()) {
      const auto first = largest_first(sums.holders).front();
      made.evidence.push_back(fmt::format("{} had it for {} of these.",
                                          thread_words(process_, first.first),
                                          time_text(first.second)));
    }
    if (over_files) {
      made.evidence.push_back(fmt::format(
          "The thread that had it was in file access for {} of {}: {}.", time_text(sums.files_ns),
          time_text(sums.held_ns), names_words(process_, sums.files, time_text)));
      made.advice =
          "Open and read files before the lock is taken, or give each thread its own reader: then "
          "reads go on at the same time.";
    } else if (!library.empty()) {
      made.advice =
          "The lock is hidden in calls of that library, such as formatting, locales or logs: call "
          "it "
          "less often while several threads work, or from one of them.";
    } else {
      made.advice = "Hold the lock for less, or give each thread its own share of what it guards.";
    }
    return made;
  }

  // Of the system, if a place is in one.
  [[nodiscard]] std::string library_of(std::uint64_t caller) const {
    const watched_module* const module = process_.module_of(caller);
    if (!module || process_.is_own(caller)) return {};
    return module->path.substr(module->path.rfind('/') + 1);
  }

  const load_view& view_;
  const watched_process& process_;
  lock_history history_;
  std::vector<std::vector<file_span>> file_spans_;  // of each thread
  std::map<std::uint64_t, lock_sums> by_address_;
};

}  // namespace

void find_locks(const load_view& view, std::vector<finding>& to) {
  lock_finder(view).find(to);
}

}  // namespace overture::watch
