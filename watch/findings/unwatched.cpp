// SPDX-License-Identifier: Zlib
#include "watch/findings/unwatched.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "report/words/units.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"
#include "watch/model/tables.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t told_share_min = 10;        // of the load, one in so many
constexpr std::uint64_t silent_ns_min = 5'000'000;  // a thread that computes is sampled before
constexpr std::uint64_t page_bytes = 4096;

const watched_thread& thread_of(const load_view& view, const thread_use& main) {
  return view.process.threads[static_cast<std::size_t>(&main - view.threads.data())];
}

std::uint64_t before_main_ns(const load_view& view) {
  return std::min(view.process.main_ns.value_or(view.process.recorder_ns), view.end_ns());
}

// What it called, and what came before its own code.
std::vector<main_part> called_parts(const load_view& view, const thread_use& main) {
  std::vector<main_part> parts;
  parts.push_back({"decoding and unpacking", main.decode_ns()});
  for (std::size_t i = 0; i < zone_works; ++i) {
    const auto work = static_cast<zone_work>(i);
    const bool is_apart = decodes(work) || work == zone_work::files;
    const bool is_wait = work == zone_work::programs;
    if (!is_apart) parts.push_back({words_of(work), main.ns(work), is_wait});
  }
  parts.push_back({"in file access", main.file_ns()});
  parts.push_back({"waking other threads", main.ns(event_kind::release)});
  parts.push_back({"spinning", main.ns(event_kind::spin)});
  parts.push_back({"showing frames", main.ns(event_kind::frame)});
  for (std::size_t i = 0; i < event_kinds; ++i) {
    const auto kind = static_cast<event_kind>(i);
    if (is_wait(kind)) parts.push_back({words_of(kind), main.ns(kind), true});
  }
  parts.push_back({"before main()", before_main_ns(view)});
  return parts;
}

// The kernel counted a whole run, and silence may be the kernel's work: both at most.
std::uint64_t unseen_waits(const load_view& view, const watched_thread& thread,
                           std::uint64_t unknown_ns) {
  if (view.process.sample_ns == 0) return unknown_ns;
  std::uint64_t silent_ns = 0;
  for (const silent_time& each : silent_times(thread, before_main_ns(view), view.end_ns())) {
    silent_ns += each.ns();
  }
  return std::min(unknown_ns, silent_ns);
}

std::string event_words(const load_view& view, const watched_event& event) {
  const char* const what =
      event.kind == event_kind::zone ? zone_of(event.id).function : words_of(event.kind);
  return fmt::format("{} in {}", what, view.process.place_of(event.place()));
}

// "The longest such time, 1.00 s, came after read in load (a.cpp:12) and before ..."
std::string longest_silence(const load_view& view, const watched_thread& thread) {
  const std::vector<silent_time> all = silent_times(thread, before_main_ns(view), view.end_ns());
  const auto most =
      std::ranges::max_element(all, {}, [](const silent_time& each) { return each.ns(); });
  if (most == all.end()) return {};
  std::string text = fmt::format("The longest such time, {}, came", time_text(most->ns()));
  text += most->before ? fmt::format(" after {}", event_words(view, *most->before))
                       : " after main() had begun";
  text += most->after ? fmt::format(", and before {}.", event_words(view, *most->after))
                      : ", and lasted until the end.";
  return text;
}

std::string sampled_functions(const load_view& view, const watched_thread& thread) {
  std::map<std::string, std::uint64_t> by_function;
  each_sample_outside(thread, view.end_ns(), [&](const thread_sample& each) {
    const std::uint64_t place = each.caller != 0 ? each.caller - 1 : each.address;
    by_function[view.process.code_at(place)] += view.process.sample_ns;
  });
  constexpr std::size_t told = 3;
  std::string text;
  std::size_t count = 0;
  for (const auto& [function, ns] : largest_first(by_function)) {
    if (count++ == told) break;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", function);
  }
  return text;
}

void find_unseen_waits(const load_view& view, const watched_thread& thread, std::uint64_t ns,
                       std::vector<finding>& to) {
  finding made{.kind = finding_kind::unseen, .ns = ns};
  made.what = "The main thread waits for something that was not seen.";
  made.evidence.push_back(
      fmt::format("It had no core for so long, and was in no call that is watched; {}.",
                  report_detail::counted(thread.kernel->major_faults,
                                         "page fault of it had to wait for the disk",
                                         "page faults of it had to wait for the disk")));
  // Without samples a thread that computes is as silent.
  const std::string longest =
      view.process.sample_ns == 0 ? std::string() : longest_silence(view, thread);
  if (!longest.empty()) made.evidence.push_back(longest);
  made.advice =
      "Stop it there in a debugger, or run `perf trace` or `strace -r`: they show the call.";
  to.push_back(made);
}

void find_new_memory(const load_view& view, const watched_thread& thread, std::uint64_t ns,
                     std::vector<finding>& to) {
  const std::uint64_t faults = thread.kernel->minor_faults;
  finding made{.kind = finding_kind::new_memory, .ns = ns};
  made.what = "The main thread touches new memory, and the kernel clears it page by page.";
  made.evidence.push_back(fmt::format("{} in the whole run, {} if each was for a page of 4 KiB.",
                                      report_detail::counted(faults, "page fault", "page faults"),
                                      bytes_text(faults * page_bytes)));
  if (const std::string functions = sampled_functions(view, thread); !functions.empty()) {
    made.evidence.push_back(fmt::format("By samples, it was mostly in {}.", functions));
  }
  made.advice =
      "Ask for less, and keep what is needed again: large blocks that are freed go back to the "
      "system, and are cleared again when they come back (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of "
      "mallopt() keep them).";
  to.push_back(made);
}

}  // namespace

std::vector<silent_time> silent_times(const watched_thread& thread, std::uint64_t begin_ns,
                                      std::uint64_t end_ns) {
  std::vector<silent_time> found;
  silent_time now{.begin_ns = begin_ns};
  auto sample = thread.samples.begin();
  const auto ends_at = [&](std::uint64_t at_ns, const watched_event* after) {
    now.end_ns = at_ns;
    now.after = after;
    if (now.end_ns > now.begin_ns && now.ns() >= silent_ns_min) found.push_back(now);
  };
  const auto samples_until = [&](std::uint64_t at_ns) {
    for (; sample != thread.samples.end() && sample->at_ns < at_ns; ++sample) {
      if (sample->at_ns < now.begin_ns) continue;
      ends_at(sample->at_ns, nullptr);
      now = {.begin_ns = sample->at_ns, .before = now.before};
    }
  };
  for (const watched_event& each : thread.events) {
    if (each.begin_ns >= end_ns) break;
    if (each.end_ns <= now.begin_ns || each.kind == event_kind::allocate) continue;
    samples_until(each.begin_ns);
    ends_at(each.begin_ns, &each);
    now = {.begin_ns = std::max(now.begin_ns, each.end_ns), .before = &each};
  }
  samples_until(end_ns);
  ends_at(std::min(end_ns, thread.end_ns), nullptr);
  return found;
}

unwatched_time unwatched_of(const load_view& view, const thread_use& main) {
  std::uint64_t rest = view.end_ns();
  const auto taken = [&](std::uint64_t most) {
    const std::uint64_t part = std::min(most, rest);
    rest -= part;
    return part;
  };
  for (const main_part& each : called_parts(view, main)) (void)taken(each.ns);
  unwatched_time made;
  // What is known by a part of it is a guess of the rest, and no more than it.
  made.allocating_ns = taken(main.allocate_ns);
  for (const auto& [file, ns] : main.code_ns) made.sampled_ns += taken(ns);
  const watched_thread& thread = thread_of(view, main);
  if (thread.kernel) {
    const thread_row row = row_of(thread);
    made.waited_ns = taken(unseen_waits(view, thread, row.unknown_ns));
    // Samples do not see the kernel, and what is left of the thread's time on a core is its work.
    const std::uint64_t kernel_ns = rest - std::min(rest, row.queued_ns);
    const std::uint64_t faults_ns = thread.kernel->minor_faults * view.process.fault_ns;
    if (view.process.sample_ns != 0) made.memory_ns = taken(std::min(kernel_ns, faults_ns));
  }
  made.other_ns = rest;
  return made;
}

std::vector<main_part> main_parts(const load_view& view) {
  const thread_use* const main = view.main();
  if (!main) return {};
  std::vector<main_part> parts = called_parts(view, *main);
  const unwatched_time rest = unwatched_of(view, *main);
  parts.push_back({"allocating memory", rest.allocating_ns});
  std::uint64_t sampled_ns = rest.sampled_ns;
  for (const auto& [file, ns] : largest_first(main->code_ns)) {
    const std::uint64_t part = std::min(ns, sampled_ns);
    parts.push_back(
        {file == recorder_file ? "in what watches it" : fmt::format("in {}", file), part});
    sampled_ns -= part;
  }
  parts.push_back({"what was not seen", rest.waited_ns, true});
  parts.push_back({"in the kernel, for new memory", rest.memory_ns});
  parts.push_back({"in code that is not watched", rest.other_ns});
  order(parts, [](const main_part& a, const main_part& b) { return a.ns > b.ns; });
  return parts;
}

void find_unwatched(const load_view& view, std::vector<finding>& to) {
  const thread_use* const main = view.main();
  if (!main) return;
  const watched_thread& thread = thread_of(view, *main);
  const unwatched_time rest = unwatched_of(view, *main);
  const std::uint64_t least = view.end_ns() / told_share_min;
  if (rest.waited_ns > least) find_unseen_waits(view, thread, rest.waited_ns, to);
  if (rest.memory_ns > least) find_new_memory(view, thread, rest.memory_ns, to);
}

}  // namespace overture::watch
