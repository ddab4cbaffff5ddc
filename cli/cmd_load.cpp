// overture load: mount, freeze, load everything, say where the time went.
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "command.hpp"
#include "display.hpp"
#include "exit_code.hpp"
#include "kept_assets.hpp"
#include "load_arguments.hpp"
#include "messages.hpp"
#include "mounting.hpp"
#include "overture/overture.hpp"
#include "progress.hpp"
#include "progress_line.hpp"
#include "report_collect.hpp"
#include "report_json.hpp"
#include "report_text.hpp"
#include "system.hpp"
#include "trace_file.hpp"

namespace overture::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 20ms;                         // how soon Ctrl-C is noticed
constexpr std::uint32_t trace_events_per_thread = 1u << 18;  // a trace should lose none
constexpr std::uint64_t mib = 1u << 20;

// Lends the main thread to the load until it is done, and shows how far it is.
void finish(load_scope& scope, progress_line& line, std::uint64_t begin_ns) {
  progress_meter meter;
  bool cancelled = false;
  while (!scope.wait_for(poll_interval)) {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns;
    if (interrupted() && !cancelled) {
      cancelled = true;
      scope.cancel();
      line.clear();
      say("interrupted, finishing what is in flight (press again to quit at once)\n");
    } else if (line.shown() && !cancelled && meter.due(elapsed_ns)) {
      line.paint(meter.update(scope.progress(), elapsed_ns));
    }
  }
}

void warn_about_threads(const char* what, const result<void>& status) {
  if (status) return;
  warn(fmt::format("some {} threads could not be started: {}; going on with fewer", what,
                   reason_of(status.error())));
}

// Everything between the frozen tree and the report. Nothing if the load could not begin.
std::optional<report> load(file_system& files, const load_arguments& arguments,
                           const terminal_environment& environment, tracking_allocator& memory,
                           timeline& record) {
  const unsigned threads = arguments.threads > 0 ? arguments.threads : processor_count();
  load_window window;
  report what;
  std::optional<kept_assets> kept;
  if (arguments.keep) kept.emplace(files.entry_count(), memory);
  {
    read_queue reads{
        files,
        {.backend = arguments.io == "uring" ? read_backend::uring : read_backend::threads,
         .threads = arguments.io_threads,
         .name = io_name,
         .memory = &memory,
         .record = &record}};
    warn_about_threads("read", reads.status());
    thread_pool jobs{
        {.workers = threads - 1, .name = worker_name, .memory = &memory, .record = &record}};
    warn_about_threads("worker", jobs.status());
    load_scope scope{files,
                     reads,
                     jobs,
                     {.decode = arguments.decode,
                      .budget_bytes = arguments.budget_mib * mib,
                      .sink = kept ? &*kept : nullptr,
                      .memory = kept ? &kept->memory() : &memory}};
    progress_line line(!arguments.quiet && choose_progress(arguments.progress, environment,
                                                           is_terminal(stream::err)),
                       environment);

    window.begin_ns = now_ns();
    window.main_cpu_ns = thread_cpu_ns();
    if (const result<void> started = scope.start(); !started) {
      complain(fmt::format("the load cannot begin: {}", reason_of(started.error())));
      return std::nullopt;
    }
    finish(scope, line, window.begin_ns);
    window.end_ns = now_ns();
    window.main_cpu_ns = thread_cpu_ns() - window.main_cpu_ns;

    what = collect_files(files, scope);
    what.threads = jobs.concurrency();
  }
  record.detach_thread();
  collect_threads(what, record, window);
  collect_memory(what, memory);
  if (kept) what.kept = kept->total();
  what.interrupted = interrupted();
  what.io_threads = arguments.io_threads;
  what.first_wins = arguments.first_wins;
  return what;
}

int write_report(const report& what, const load_arguments& arguments, const text_style& style) {
  if (arguments.json) return print(report_json(what));
  if (arguments.quiet) {
    for (const report_failure& failure : what.failures) complain(failure_line(failure, {}));
    return exit_ok;
  }
  const std::string text = report_text(what, style);
  if (arguments.trace != "-") return print(text);
  say(text);
  return exit_ok;
}

}  // namespace

int cmd_load(const std::vector<std::string>& words) {
  load_arguments arguments;
  if (const std::optional<int> over = parse_load(words, arguments)) return *over;

  const terminal_environment environment = terminal_environment::from_process();
  const auto style_of = [&](stream which) {
    return choose_style(arguments.colour, environment, terminal_width(which, environment));
  };
  set_message_style(style_of(stream::err));
  watch_interrupts();

  tracking_allocator memory;
  timeline record{{.memory = &memory,
                   .events_per_thread = arguments.trace.empty() ? 0 : trace_events_per_thread}};
  if (!record.attach_thread(main_name)) warn("no memory to record the main thread");

  const std::uint64_t begin_ns = now_ns();
  file_system files{{.memory = &memory, .first_wins = arguments.first_wins}};
  if (!build_tree(files, arguments)) return exit_mount_failed;
  const std::uint64_t mount_ns = now_ns() - begin_ns;

  trace_file trace;
  if (!arguments.trace.empty() && !trace.open(arguments.trace)) return exit_output_failed;

  std::optional<report> what = load(files, arguments, environment, memory, record);
  if (!what) return exit_output_failed;
  what->mount_ns = mount_ns;

  const stream report_stream = arguments.trace == "-" ? stream::err : stream::out;
  int outcome = write_report(*what, arguments, style_of(report_stream));
  if (trace.is_open()) outcome = std::max(outcome, trace.write(record, files));
  if (what->interrupted) return exit_interrupted;
  if (outcome != exit_ok) return outcome;
  return what->summary.failed > 0 ? exit_files_failed : exit_ok;
}

}  // namespace overture::cli
