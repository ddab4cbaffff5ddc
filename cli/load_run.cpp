#include "load_run.hpp"

#include <fmt/format.h>

#include <chrono>

#include "messages.hpp"
#include "progress.hpp"
#include "progress_line.hpp"
#include "system.hpp"

namespace overture::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 20ms;  // how soon Ctrl-C is noticed

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

}  // namespace

std::optional<report> run_load(file_system& files, const load_run& how, load_window& window) {
  const unsigned threads = how.threads > 0 ? how.threads : processor_count();
  // The queue ends first: it tells the pool when a read is likely to end.
  thread_pool jobs{
      {.workers = threads - 1, .name = worker_name, .memory = how.memory, .record = how.record}};
  warn_about_threads("worker", jobs.status());
  read_queue reads{files,
                   {.backend = how.backend,
                    .threads = how.io_threads,
                    .name = io_name,
                    .memory = how.memory,
                    .record = how.record,
                    .warms = &jobs}};
  warn_about_threads("read", reads.status());
  load_scope scope{files, reads, jobs, how.options};
  progress_line line(how.progress, how.shown_on->environment());

  window.begin_ns = now_ns();
  window.main_cpu_ns = thread_cpu_ns();
  if (const result<void> started = scope.start(); !started) {
    complain(fmt::format("the load cannot begin: {}", reason_of(started.error())));
    return std::nullopt;
  }
  finish(scope, line, window.begin_ns);
  window.end_ns = now_ns();
  window.main_cpu_ns = thread_cpu_ns() - window.main_cpu_ns;

  report what = collect_files(files, scope);
  what.threads = jobs.concurrency();
  what.interrupted = interrupted();
  what.io_threads = reads.stats().threads;
  return what;
}

}  // namespace overture::cli
