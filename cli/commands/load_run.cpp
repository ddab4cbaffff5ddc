// SPDX-License-Identifier: Zlib
#include "commands/load_run.hpp"

#include <fmt/core.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "system/system.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress.hpp"
#include "terminal/progress_line.hpp"

namespace overture::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 20ms;  // bounds the response time to Ctrl-C

// Shows the progress of a load, and cancels it after Ctrl-C.
class load_watch {
 public:
  load_watch(load_scope& scope, progress_line& line, std::uint64_t begin_ns)
      : scope_(scope), line_(line), begin_ns_(begin_ns) {}

  void look() {
    const std::uint64_t elapsed_ns = now_ns() - begin_ns_;
    if (interrupted() && !cancelled_) {
      cancelled_ = true;
      scope_.cancel();
      line_.clear();
      print_to_stderr("interrupted; finishing files in flight (press Ctrl-C again to quit now)\n");
    } else if (line_.shown() && !cancelled_ && meter_.due(elapsed_ns)) {
      line_.paint(meter_.update(scope_.progress(), elapsed_ns));
    }
  }

 private:
  load_scope& scope_;
  progress_line& line_;
  std::uint64_t begin_ns_;
  progress_meter meter_;
  bool cancelled_ = false;
};

// Works on the load with the main thread until it is done. Another thread watches: in a wait of
// poll_interval the main thread would leave all files that take longer to the workers.
void finish(load_scope& scope, progress_line& line, std::uint64_t begin_ns) {
  load_watch watch(scope, line, begin_ns);
  barricade ended;
  std::thread watcher;
  try {
    watcher = std::thread([&] {
      while (!ended.wait_for(poll_interval)) watch.look();
    });
  } catch (const std::system_error&) {
    while (!scope.wait_for(poll_interval)) watch.look();
    return;
  }
  while (!scope.wait_for(1h)) {
  }
  ended.lower();
  watcher.join();
}

void warn_of_missing_threads(const char* what, const result<void>& status) {
  if (status) return;
  print_warning(fmt::format("cannot start all {} threads ({}); continuing with fewer", what,
                            reason_of(status.error())));
}

void mark_at(const char* name, std::uint64_t at_ns, std::uint64_t value = 0) {
  record({.begin_ns = at_ns,
          .end_ns = at_ns,
          .name = name,
          .value = value,
          .kind = event_kind::instant});
}

}  // namespace

bool took_too_long(const report_failure& failure) {
  return failure.code == to_string(errc::limit) && failure.reason.starts_with("takes longer than ");
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
  mark_at(load_begins, window.begin_ns);
  if (const result<void> started = scope.start(); !started) {
    print_error(fmt::format("cannot start the load: {}", reason_of(started.error())));
    return std::nullopt;
  }
  finish(scope, line, window.begin_ns);
  window.end_ns = now_ns();
  // With the time of the load, which tells whose report belongs to this trace.
  mark_at(load_ends, window.end_ns, scope.summary().ns);
  window.main_cpu_ns = thread_cpu_ns() - window.main_cpu_ns;

  if (how.note) {
    if (const result<void> noted = how.note->add(scope); !noted) {
      print_error(fmt::format("cannot note what was loaded: {}", reason_of(noted.error())));
      return std::nullopt;
    }
  }
  report what;
  collect_files(what, files, scope,
                {.with_rows = how.with_rows, .reason = reason_of, .excluded = excluded_reason});
  for (report_failure& failure : what.failures) {
    name_time_max(failure, how.options.file_time_max);
  }
  what.threads = jobs.concurrency();
  what.interrupted = interrupted();
  return what;
}

}  // namespace overture::cli
