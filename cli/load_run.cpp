// SPDX-License-Identifier: Zlib
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

constexpr auto poll_interval = 20ms;  // bounds the response time to Ctrl-C

// Works on the load with the main thread until it is done, and shows progress.
void finish(load_scope& scope, progress_line& line, std::uint64_t begin_ns) {
  progress_meter meter;
  bool cancelled = false;
  while (!scope.wait_for(poll_interval)) {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns;
    if (interrupted() && !cancelled) {
      cancelled = true;
      scope.cancel();
      line.clear();
      print_to_stderr("interrupted; finishing files in flight (press Ctrl-C again to quit now)\n");
    } else if (line.shown() && !cancelled && meter.due(elapsed_ns)) {
      line.paint(meter.update(scope.progress(), elapsed_ns));
    }
  }
}

void warn_of_missing_threads(const char* what, const result<void>& status) {
  if (status) return;
  print_warning(fmt::format("cannot start all {} threads ({}); continuing with fewer", what,
                            reason_of(status.error())));
}

}  // namespace

bool took_too_long(const report_failure& failure) {
  return failure.code == to_string(errc::limit) && failure.reason.starts_with("takes longer than ");
}

std::string too_long(std::chrono::nanoseconds time_max) {
  return fmt::format(
      "takes longer than {} s; allow more with --file-time-max, or leave the file out",
      std::chrono::duration_cast<std::chrono::seconds>(time_max).count());
}

void name_time_max(report_failure& failure, std::chrono::nanoseconds time_max) {
  if (took_too_long(failure)) failure.reason = too_long(time_max);
}

std::optional<report> run_load(file_system& files, const load_run& how, load_window& window) {
  const unsigned threads = how.threads > 0 ? how.threads : processor_count();
  // Declared before the queue, which must be destroyed first: it wakes the pool's workers.
  thread_pool jobs{{.workers = threads - 1,
                    .worker_thread = {.name = worker_name},
                    .memory = how.memory,
                    .record = how.record}};
  warn_of_missing_threads("worker", jobs.status());
  read_queue reads{files,
                   {.backend = how.backend,
                    .threads = how.io_threads,
                    .name = io_name,
                    .memory = how.memory,
                    .record = how.record,
                    .wake_ahead = &jobs}};
  warn_of_missing_threads("read", reads.status());
  load_scope scope{files, reads, jobs, how.options};
  progress_line line(how.progress, how.out->environment());

  window.begin_ns = now_ns();
  window.main_cpu_ns = thread_cpu_ns();
  if (const result<void> started = scope.start(); !started) {
    print_error(fmt::format("cannot start the load: {}", reason_of(started.error())));
    return std::nullopt;
  }
  finish(scope, line, window.begin_ns);
  window.end_ns = now_ns();
  window.main_cpu_ns = thread_cpu_ns() - window.main_cpu_ns;

  if (how.note) {
    if (const result<void> noted = how.note->add(scope); !noted) {
      print_error(fmt::format("cannot note what was loaded: {}", reason_of(noted.error())));
      return std::nullopt;
    }
  }
  report what = collect_files(files, scope);
  for (report_failure& failure : what.failures) {
    name_time_max(failure, how.options.file_time_max);
  }
  what.threads = jobs.concurrency();
  what.interrupted = interrupted();
  return what;
}

}  // namespace overture::cli
