// SPDX-License-Identifier: Zlib
//
// overture load: mounts, freezes, loads everything and reports where the time went.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "commands/cold.hpp"
#include "commands/command.hpp"
#include "commands/load_arguments.hpp"
#include "commands/load_run.hpp"
#include "compare/comparison_text.hpp"
#include "compare/load_comparison.hpp"
#include "mounts/mounting.hpp"
#include "mounts/unmatched_globs.hpp"
#include "overture/overture.hpp"
#include "report/kept_assets.hpp"
#include "report/model/collect.hpp"
#include "report/model/undecoded.hpp"
#include "report/page/critical_path.hpp"
#include "report/page/page.hpp"
#include "report/repeats.hpp"
#include "report/report_json.hpp"
#include "report/report_model.hpp"
#include "report/report_text.hpp"
#include "report/samples_file.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "writing/output_check.hpp"
#include "writing/page_file.hpp"
#include "writing/recorded.hpp"
#include "writing/trace_file.hpp"

namespace overture::cli {

namespace {

constexpr std::uint32_t trace_events_per_thread = 1u << 18;  // enough that a trace rarely drops any
constexpr std::uint64_t mib = 1u << 20;

// Totals alone suffice for the report.
std::uint32_t events_per_thread(const load_arguments& arguments) {
  return arguments.trace.empty() && arguments.html.empty() ? 0 : trace_events_per_thread;
}

// The records of an earlier load and of this one.
struct load_records {
  std::optional<load_record> recorded;  // none: not asked for
  load_record noted;
  bool checked = false;            // whether the mounts have all files of `recorded`
  unmatched_globs unmatched = {};  // what of --exclude has matched no file so far
};

// What --trace, --record and --html replace.
struct old_outputs {
  known_output trace;
  known_output record;
  known_output page;
};

// Everything between the frozen tree and the report. Empty if the load could not start.
std::optional<report> load(file_system& files, const load_arguments& arguments,
                           load_records& records, const outputs& out, tracking_allocator& memory,
                           memory_ledger& ledger, timeline& record, load_window& window) {
  std::optional<kept_assets> kept;
  if (arguments.keep) kept.emplace(files.entry_count(), memory);
  const std::vector<std::string_view> exclude(arguments.exclude.begin(), arguments.exclude.end());
  load_run how;
  how.threads = arguments.threads;
  how.backend = arguments.io == "uring" ? read_backend::uring : read_backend::threads;
  how.io_threads = arguments.io_threads;
  how.options = {.decode = !arguments.no_decode,
                 .ledger = &ledger,
                 .strict = arguments.strict,
                 .exclude = exclude,
                 .file_time_max = std::chrono::seconds(arguments.file_seconds_max),
                 .sink = kept ? &*kept : nullptr,
                 .recorded = records.recorded ? &*records.recorded : nullptr,
                 .memory = kept ? &kept->memory() : &memory};
  how.memory = &memory;
  how.record = &record;
  how.with_rows = !arguments.html.empty() || arguments.json || arguments.repeat > 1;
  if (!arguments.record.empty()) how.note = &records.noted;
  how.progress = !arguments.quiet && out.shows_progress(arguments.progress);
  how.out = &out;
  std::optional<report> what = run_load(files, how, window);
  if (!what) return what;
  record.detach_thread();
  collect_threads(*what, record, window);
  collect_memory(*what, memory, unused_ring_bytes(record, events_per_thread(arguments)));
  what->budget_bytes = arguments.budget_mib * mib;
  if (kept) what->kept = kept->total();
  what->first_wins = arguments.tree.first_wins;
  return what;
}

int write_report(const report& what, const load_arguments& arguments, const text_style& style) {
  if (arguments.json) return print(report_json(what));
  if (arguments.quiet) {
    for (const report_failure& failure : what.failures) print_error(failure_line(failure, {}));
    for (const std::string& sentence : what.exceeded) print_error(sentence);
    return exit_ok;
  }
  const std::string text = report_text(what, style);
  if (arguments.trace != "-") return print(text);
  print_to_stderr(text);
  return exit_ok;
}

void check_record(output_check& check, const load_arguments& arguments) {
  check.writes_like("--record", arguments.record, record_beginning);
}

int check_record_again(const load_arguments& arguments) {
  output_check check(arguments.tree);
  check_record(check, arguments);
  return check.run();
}

int check_outputs(const load_arguments& arguments) {
  output_check check(arguments.tree);
  check.reads("--baseline", arguments.baseline);
  check.reads("--against", arguments.against);
  check.reads("--recorded", arguments.recorded);
  if (arguments.trace != "-") check.writes_like("--trace", arguments.trace, trace_beginning);
  check.writes_like("--html", arguments.html, page_beginning);
  check_record(check, arguments);
  return check.run();
}

struct finished_load {
  int status = exit_ok;  // for its files and mounts; or why there is no report
  std::optional<report> what = std::nullopt;
  int written = exit_ok;  // for its trace, its page and its record
};

bool keeps_old(const report& what, const std::string& path) {
  if (path == "-") return false;
  if (what.summary.files + what.summary.failed == 0) return keeps_old_for_want_of_files(path);
  return status_of_files(what) == exit_output_failed && keeps_old_for_want_of_memory(path);
}

int make_page(const report& what, const timeline& record, const load_window& window,
              const load_arguments& arguments, old_outputs& old) {
  if (keeps_old(what, arguments.html)) return exit_output_failed;
  timeline_picture picture = picture_of(record, window, record.start_ns());
  picture.critical = critical_path(picture);
  return write_page(report_page(what, picture), arguments.html, old.page);
}

void add_mount_times(report& what, const file_system& files, const std::vector<mount_time>& times) {
  for (std::size_t i = 0; i < files.mount_count(); ++i) {
    const auto took = std::ranges::find(times, files.mount_at(i).id, &mount_time::mount);
    if (took != times.end()) what.mounts[i].mount_ns = took->ns;
  }
}

// From mounting to the report.
finished_load load_once(const load_arguments& arguments, load_records& records, old_outputs& old,
                        const outputs& out) {
  tracking_allocator memory;
  timeline record{{.memory = &memory,
                   .events_per_thread = events_per_thread(arguments),
                   .cpu_times = arguments.repeat > 1}};
  if (!record.attach_thread(main_name))
    print_warning("out of memory for recording the main thread; the report leaves it out");

  const std::uint64_t begin_ns = now_ns();
  file_system_config config = arguments.tree.config();
  config.memory = &memory;
  memory_ledger ledger(arguments.budget_mib * mib);
  config.ledger = &ledger;
  file_system files(config);
  std::vector<mount_time> times;
  if (const int failed = build_tree(files, arguments.tree, &times); failed != exit_ok)
    return {.status = failed};
  const std::uint64_t mount_ns = now_ns() - begin_ns;
  if (records.recorded && !std::exchange(records.checked, true)) {
    warn_of_missing(*records.recorded, arguments.recorded, files);
  }

  records.unmatched.look_at(files);
  trace_file trace;
  if (!arguments.trace.empty() && !trace.open(arguments.trace))
    return {.status = interrupted() ? exit_interrupted : exit_output_failed};
  finished_load done;
  load_window window;
  done.what = load(files, arguments, records, out, memory, ledger, record, window);
  if (!done.what) return {.status = exit_output_failed};
  done.what->mount_ns = mount_ns;
  add_mount_times(*done.what, files, times);
  done.what->tells_page_cache = tells_page_cache();
  done.what->hints = hints_of_plain_archives(files);
  name_undecoded(*done.what, files);
  done.status = std::max(status_of_files(*done.what), status_of_mounts(files));
  if (!arguments.record.empty() && is_in_path_order(records.noted)) {
    done.what->hints.push_back(
        "the record has the files in the order of their paths, as this load read them, not in the "
        "order "
        "in which the game uses them");
  }
  if (trace.is_open()) {
    done.written = keeps_old(*done.what, arguments.trace) ? int{exit_output_failed}
                                                          : trace.write(record, files, old.trace);
  }
  if (!arguments.html.empty()) {
    done.written = std::max(done.written, make_page(*done.what, record, window, arguments, old));
  }
  if (!arguments.record.empty() && !done.what->interrupted) {
    // A link may lead elsewhere by now.
    const bool may_be_written =
        check_record_again(arguments) == exit_ok && !keeps_old(*done.what, arguments.record);
    const int written = may_be_written ? write_record(records.noted, arguments.record, old.record)
                                       : int{exit_output_failed};
    done.written = std::max(done.written, written);
  }
  return done;
}

// The report of the load that took the median time, or of the one that was interrupted.
report report_of(std::vector<report>& loads) {
  if (loads.back().interrupted) return std::move(loads.back());
  return std::move(loads[median_of(loads)]);
}

void add_load(sample_collector& samples, report& load) {
  if (load.interrupted) return;
  samples.add(load);
  load.files = {};  // of many loads they would take much memory
}

// Loads the two sets of mounts A B, B A, A B, ...: what slows the machine slows both.
int load_in_turns(const load_arguments& arguments, old_outputs& replaced, const outputs& out) {
  load_arguments other = arguments;
  other.tree = arguments.other;
  load_records records;
  records.unmatched = unmatched_globs(arguments.exclude);
  sample_collector was;
  sample_collector now;
  int status = exit_ok;
  for (unsigned turn = 0; turn < 2 * arguments.repeat && !interrupted(); ++turn) {
    const bool is_now = turn % 4 == 1 || turn % 4 == 2;
    const load_arguments& how = is_now ? arguments : other;
    if (how.cold) {
      drop_from_page_cache(how.tree, out, !how.quiet && out.shows_progress(how.progress));
    }
    finished_load done = load_once(how, records, replaced, out);
    if (!done.what) return done.status;
    if (turn == 1) records.unmatched.warn();
    if (turn < 2) {
      for (const report_failure& each : done.what->failures) print_error(failure_line(each, {}));
    }
    status = std::max(status, done.status);
    add_load(is_now ? now : was, *done.what);
  }
  if (was.loads() == 0 || now.loads() == 0) return exit_interrupted;
  load_comparison what = compare_loads(was.finish(), now.finish(), pairing::in_turns,
                                       arguments.tolerance_percent / 100.0);
  what.was = arguments.against;
  what.now = "the mounts";
  const std::vector<std::string> over_limit = exceeded(arguments.most, now.finish());
  const int written =
      arguments.quiet
          ? int{exit_ok}
          : print(arguments.json ? comparison_json(what, over_limit)
                                 : comparison_text(what, over_limit, out.style(stream::out)));
  if (interrupted()) return exit_interrupted;
  if (written != exit_ok) return written;
  if (status == exit_output_failed) print_out_of_memory();
  const bool fails = what.is_slower() || !over_limit.empty();
  return status == exit_ok && fails ? exit_slower : status;
}

}  // namespace

int cmd_load(const std::vector<std::string>& words) {
  load_arguments arguments;
  if (const std::optional<int> over = parse_load(words, arguments)) return *over;

  const outputs out(arguments.colour);
  watch_interrupts();
  old_outputs replaced{known_output(arguments.trace), known_output(arguments.record),
                       known_output(arguments.html)};
  if (const int failed = check_outputs(arguments); failed != exit_ok) return failed;
  std::optional<load_samples> old;
  if (!arguments.baseline.empty()) {
    old = read_samples(arguments.baseline);
    if (!old) return exit_usage;
    if (!old->program.empty()) {
      print_error(fmt::format("{} is of a program that was watched, not of a load",
                              printable(arguments.baseline)));
      return exit_usage;
    }
  }
  if (!arguments.against.empty()) {
    if (const int failed = read_mounts(arguments.against, arguments.other); failed != exit_ok) {
      return failed;
    }
    return load_in_turns(arguments, replaced, out);
  }
  load_records records;
  if (!arguments.recorded.empty()) {
    records.recorded = read_record(arguments.recorded);
    if (!records.recorded) return exit_usage;
  }

  records.unmatched = unmatched_globs(arguments.exclude);
  std::vector<report> loads;
  sample_collector samples;
  int status = exit_ok;
  int written = exit_ok;
  while (loads.size() < arguments.repeat && (loads.empty() || !loads.back().interrupted)) {
    if (arguments.cold) {
      drop_from_page_cache(arguments.tree, out,
                           !arguments.quiet && out.shows_progress(arguments.progress));
    }
    finished_load done = load_once(arguments, records, replaced, out);
    if (!done.what) return done.status;
    records.unmatched.warn();
    status = std::max(status, done.status);
    written = std::max(written, done.written);
    loads.push_back(std::move(*done.what));
    add_load(samples, loads.back());
  }
  report shown = report_of(loads);
  shown.repeats = samples.finish();
  if (old && !shown.interrupted) {
    shown.baseline = baseline_of(*old, shown.repeats, arguments.tolerance_percent / 100.0);
    shown.baseline->file = arguments.baseline;
  }
  if (!shown.interrupted) shown.exceeded = exceeded(arguments.most, shown.repeats);

  const stream report_stream = arguments.trace == "-" ? stream::err : stream::out;
  written = std::max(written, write_report(shown, arguments, out.style(report_stream)));
  if (shown.interrupted) return exit_interrupted;
  if (written != exit_ok) return written;
  if (status == exit_output_failed) print_out_of_memory();
  const bool fails = (shown.baseline && shown.baseline->slower) || !shown.exceeded.empty();
  return status == exit_ok && fails ? exit_slower : status;
}

}  // namespace overture::cli
