// SPDX-License-Identifier: Zlib
//
// overture save-bench: saves and loads a million objects and reports where the time went.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "commands/command.hpp"
#include "commands/save_stages.hpp"
#include "mounts/tree_arguments.hpp"
#include "overture/overture.hpp"
#include "system/exit_code.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/progress_line.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"
#include "writing/output_check.hpp"
#include "writing/output_file.hpp"
#include "writing/working_folder.hpp"

namespace overture::cli {

namespace {

constexpr const char* save_bench_usage = "overture save-bench [OPTIONS]";
constexpr const char* save_bench_own_group = "Saving";
constexpr const char* save_bench_examples = R"(  overture save-bench
  overture save-bench --objects 100000 --threads 1 --json
)";
constexpr const char* save_bench_footer = R"(Stages
  make     create the objects, on one thread
  write    convert them to text, with a checksum for each page
  store    write a temporary file, sync it and rename it
  fetch    read the file into memory, on one thread
  verify   verify the checksums of all pages
  parse    convert the text back to objects
  compare  compare them with those that were saved

Exit status
  0    the loaded objects equal the saved ones
  2    invalid arguments
  5    the file could not be written or read, or the objects differ
  130  interrupted by Ctrl-C; FILE is the old one, or that of a round
)";
constexpr std::size_t objects_max = 100'000'000;
constexpr int rounds_max = 1000;

struct save_arguments {
  std::size_t objects = 1u << 20;
  unsigned threads = 0;
  int rounds = 5;
  std::string file;
  bool overwrite = false;
  bool json = false;
  when progress = when::automatic;
};

std::optional<int> parse_save_bench(const std::vector<std::string>& words, save_arguments& into) {
  command_line line({
      .name = "save-bench",
      .usage = save_bench_usage,
      .description = "Benchmark saves: create objects, save them as text on all cores, load them "
                     "again, and report the median time of each stage.",
      .examples = save_bench_examples,
      .footer = save_bench_footer,
  });
  line.number({"--objects N", save_bench_own_group, "number of objects (default: 1048576)"}, 1,
              objects_max, into.objects);
  line.number({"--threads N", save_bench_own_group,
               "number of threads, including the main thread (default: one per processor)"},
              1, limits::pool_workers_max + 1, into.threads);
  line.number({"--rounds N", save_bench_own_group, "number of rounds (default: 5)"}, 1, rounds_max,
              into.rounds);
  line.word({"--file FILE", save_bench_own_group,
             "where to save; the file is kept (default: a temporary file, which is removed)"},
            into.file);
  line.flag({"--overwrite", save_bench_own_group, "replace an existing FILE"}, into.overwrite);
  line.flag({"--json", "Output", "print one JSON object instead of the table"}, into.json);
  add_progress(line, into.progress);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (names_temporary(text_of(native_path(into.file)))) {
    return line.usage_error(fmt::format("{}: later runs remove files of this name; give another",
                                        printable(into.file)));
  }
  std::error_code ignored;
  if (!into.overwrite && std::filesystem::is_regular_file(native_path(into.file), ignored)) {
    return line.usage_error(
        fmt::format("{}: file exists; replace it with --overwrite, or give another name",
                    printable(into.file)));
  }
  return std::nullopt;
}

// Paints the progress bar from a thread of its own; the stages' threads are busy.
class save_painter {
 public:
  save_painter(progress_line& line, const terminal_environment& environment,
               const save_position& position, int rounds)
      : line_(line), unicode_(environment.utf8()), position_(position), rounds_(rounds) {
    const unsigned width = terminal_width(stream::err, environment);
    if (width != 0 && width < columns_around + columns_) columns_ = 10;
    if (!line.shown()) return;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return;  // the system refuses the thread: the rounds go on without a bar
    }
  }
  ~save_painter() {
    {
      const std::lock_guard hold(lock_);
      ended_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    line_.clear();
  }
  save_painter(const save_painter&) = delete;
  save_painter& operator=(const save_painter&) = delete;

  void begin_round(int round) { round_.store(round, std::memory_order_relaxed); }

 private:
  static constexpr auto interval = std::chrono::milliseconds(50);
  static constexpr unsigned columns_around = 36;  // taken by the text after the bar

  void run() {
    std::unique_lock hold(lock_);
    while (!wake_.wait_for(hold, interval, [this] { return ended_; })) paint();
  }
  void paint() {
    const auto done = static_cast<double>(position_.pages_done.load(std::memory_order_relaxed));
    const auto total = static_cast<double>(position_.pages_total.load(std::memory_order_relaxed));
    const int round = round_.load(std::memory_order_relaxed);
    const double part = std::min(1.0, done / total);
    // Never goes back, though the counts restart in each round.
    shown_ = std::max(shown_, (round + part) / rounds_);
    line_.write(fmt::format("{} {:3} %  round {} of {}  {}", bar(shown_, columns_, unicode_),
                            static_cast<int>(shown_ * 100), round + 1, rounds_,
                            save_stage_names[position_.stage.load(std::memory_order_relaxed)]));
  }

  progress_line& line_;
  bool unicode_;
  unsigned columns_ = 40;
  const save_position& position_;
  int rounds_;
  double shown_ = 0;
  atomic<int> round_{0};
  std::mutex lock_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

std::array<std::uint64_t, save_stage_count> medians_of(const std::vector<save_times>& rounds) {
  std::array<std::uint64_t, save_stage_count> medians = {};
  for (std::size_t stage = 0; stage < save_stage_count; ++stage) {
    std::vector<std::uint64_t> times;
    times.reserve(rounds.size());
    for (const save_times& each : rounds) times.push_back(each.ns[stage]);
    std::sort(times.begin(), times.end());
    medians[stage] = times[times.size() / 2];
  }
  return medians;
}

std::string as_json(const std::vector<save_times>& rounds, unsigned threads) {
  const auto medians = medians_of(rounds);
  json stages = json::object();
  for (std::size_t i = 0; i < save_stage_count; ++i) {
    stages.set(save_stage_names[i], seconds(medians[i]));
  }
  const json out = {{"schema", 1},
                    {"version", version},
                    {"objects", rounds.front().objects},
                    {"pages", rounds.front().pages},
                    {"bytes", rounds.front().bytes},
                    {"threads", threads},
                    {"rounds", rounds.size()},
                    {"seconds", stages}};
  return json_text(out);
}

std::string as_text(const std::vector<save_times>& rounds, unsigned threads,
                    const text_style& style) {
  const auto medians = medians_of(rounds);
  const save_times& first = rounds.front();
  std::uint64_t total = 0;
  for (const std::uint64_t each : medians) total += each;
  std::string text = fmt::format(
      "{} objects in {}, {} of text, {}, median of {}\n\n", grouped(first.objects),
      counted(first.pages, "page", "pages"), human_bytes(static_cast<double>(first.bytes)),
      counted(threads, "thread", "threads"), counted(rounds.size(), "round", "rounds"));
  table stages({{"stage", table::align::left},
                {"time"},
                {"share"},
                {"per object"},
                {"text"},
                {"action", table::align::left}});
  for (std::size_t i = 0; i < save_stage_count; ++i) {
    const auto ns = static_cast<double>(medians[i]);
    const bool is_text = i != 0 && i != save_stage_count - 1 && medians[i] > 0;
    stages.add({std::string(save_stage_names[i]), human_time(medians[i]),
                human_percent(total > 0 ? ns / static_cast<double>(total) : 0),
                fmt::format("{:.1f} ns", ns / static_cast<double>(first.objects)),
                is_text ? human_rate(static_cast<double>(first.bytes) / seconds(medians[i]))
                        : std::string(),
                std::string(save_stage_texts[i])});
  }
  return text + stages.render(style);
}

// The file from the arguments, or a temporary one that the destructor removes.
class bench_file {
 public:
  explicit bench_file(const std::string& asked) : path_(asked) {
    if (asked.empty()) {
      path_ = folder_.emplace().path() + "/save";
      removed_.emplace(path_.c_str());
    } else {
      sweep_folder_of(asked);
    }
  }
  // Here, because the folder needs memory to find what is in it.
  ~bench_file() {
    if (removed_) (void)system_os().remove_file(path_.c_str());
  }
  bench_file(const bench_file&) = delete;
  bench_file& operator=(const bench_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  // Why there is no folder for a temporary file.
  [[nodiscard]] result<void> failure() const {
    return folder_ ? folder_->failure() : result<void>();
  }

 private:
  std::optional<working_folder> folder_;
  std::string path_;
  std::optional<removed_at_exit> removed_;
};

}  // namespace

int cmd_save_bench(const std::vector<std::string>& words) {
  save_arguments arguments;
  if (const std::optional<int> over = parse_save_bench(words, arguments)) return *over;
  const terminal_environment environment = terminal_environment::from_process();
  watch_interrupts();

  const unsigned threads = arguments.threads > 0 ? arguments.threads : processor_count();
  thread_pool jobs{{.workers = threads - 1}};
  const bench_file file(arguments.file);
  known_output old(file.path());
  if (const result<void> made = file.failure(); !made) {
    print_error(fmt::format("no folder for temporary files ({}); set TMPDIR or give --file",
                            reason_of(made.error())));
    return exit_output_failed;
  }
  std::vector<save_times> rounds;
  std::optional<error> failure;
  {
    save_position position;
    progress_line line(choose_progress(arguments.progress, environment, is_terminal(stream::err)),
                       environment);
    save_painter painter(line, environment, position, arguments.rounds);
    for (int round = 0; round < arguments.rounds && !interrupted(); ++round) {
      position.pages_done.store(0, std::memory_order_relaxed);
      painter.begin_round(round);
      // No file that has appeared meanwhile is replaced.
      const bool is_new = round == 0 && !arguments.overwrite;
      const save_target to{file.path(), is_new ? replacing::never : replacing::allowed, &old};
      const auto times = run_save_stages(jobs, arguments.objects, to, position);
      if (!times) {
        failure = times.error();
        break;
      }
      rounds.push_back(*times);
    }
  }
  if (failure && !interrupted()) {
    print_error(fmt::format("{}: {}", printable(file.path()), reason_of(*failure)));
    return exit_output_failed;
  }
  if (interrupted() || rounds.empty()) return exit_interrupted;
  const text_style style =
      choose_style(when::automatic, environment, terminal_width(stream::out, environment));
  return print(arguments.json ? as_json(rounds, jobs.concurrency())
                              : as_text(rounds, jobs.concurrency(), style));
}

}  // namespace overture::cli
