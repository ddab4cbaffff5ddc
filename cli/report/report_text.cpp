// SPDX-License-Identifier: Zlib
#include "report/report_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "report/model/load_advice.hpp"
#include "report/over_budget.hpp"
#include "report/report_model.hpp"
#include "terminal/display.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr std::size_t types_max = 12;
constexpr std::size_t names_max = 20;    // overridden files, skipped names
constexpr std::size_t warnings_max = 5;  // files for each reason
constexpr std::size_t threads_max = 32;
constexpr double idle_share = 0.01;
constexpr std::size_t bar_columns = 20;
constexpr unsigned wide_terminal = 110;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string bytes(std::uint64_t count) {
  return human_bytes(static_cast<double>(count));
}

std::string milliseconds(std::uint64_t ns) {
  return fmt::format("{:.1f}", static_cast<double>(ns) / 1e6);
}

// Builds the text of a report.
class writer {
 public:
  writer(const report& what, const text_style& style) : what_(what), style_(style) {
    std::map<std::string, unsigned> uses;
    for (const report_mount& mount : what.mounts) ++uses[last_element(mount.path)];
    for (const report_mount& mount : what.mounts) {
      const std::string name = last_element(mount.path);
      labels_[mount.path] = printable(uses[name] > 1 ? mount.path : name);
    }
  }

  std::string write() {
    totals();
    repeats();
    comparison();
    mounts();
    types();
    stages();
    reads();
    threads();
    waits();
    slowest();
    overrides();
    failures();
    warnings();
    mount_failures();
    skipped();
    memory();
    advice();
    verdict_again();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }
  void title(const std::string& text) { text_ += '\n' + style_.bold(text) + '\n'; }
  void more(std::size_t all, std::size_t shown) {
    if (all <= shown) return;
    line(style_.dim(fmt::format("  and {} more (--json lists all)", grouped(all - shown))));
  }

  // The shortest name that tells a mount from the others.
  [[nodiscard]] std::string label(const std::string& mount) const {
    const auto found = labels_.find(mount);
    return found == labels_.end() ? printable(mount) : found->second;
  }
  // Leaves out the mount if there is only one, or too little room.
  [[nodiscard]] std::string file_in_mount(const std::string& path, const std::string& mount) const {
    const bool room = style_.width == 0 || style_.width >= wide_terminal;
    return room && what_.mounts.size() > 1 ? fmt::format("{} ({})", printable(path), label(mount))
                                           : printable(path);
  }

  void totals() {
    const load_summary& summary = what_.summary;
    line(style_.bold(verdict_sentence(what_)));
    if (what_.interrupted) {
      line(style_.yellow(fmt::format("interrupted: {} not loaded; the report is partial",
                                     counted(summary.cancelled, "file", "files"))));
    }
    for (const std::string& each : what_.missing) line(style_.yellow(each));
    line("");
    read_from();
    const std::string packed = summary.packed_bytes != summary.bytes
                                   ? fmt::format(" ({} packed)", bytes(summary.packed_bytes))
                                   : "";
    const double seconds = static_cast<double>(summary.ns) / 1e9;
    const double rate = seconds > 0 ? static_cast<double>(summary.bytes) / seconds : 0;
    line(fmt::format("  {}, {}{} in {}; {}", counted(summary.files, "file", "files"),
                     bytes(summary.bytes), packed, load_time_text(what_), human_rate(rate)));
    const std::string failed = fmt::format("{} failed", grouped(summary.failed));
    const std::string warned = counted(summary.warnings, "warning", "warnings");
    line(fmt::format("  {}, {}, {} overridden, {} skipped",
                     summary.failed > 0 ? style_.red(failed) : failed,
                     summary.warnings > 0 ? style_.yellow(warned) : warned,
                     grouped(what_.overrides.size()), grouped(what_.skipped.size())));
    if (!what_.mount_failures.empty()) line("  " + style_.red(missing_files(what_)));
    std::uint64_t cpu_ns = 0;
    for (const report_thread& thread : what_.threads_used) cpu_ns += thread.cpu_ns;
    const std::string cpu = cpu_ns == 0 ? "" : fmt::format(", {} of CPU time", human_time(cpu_ns));
    line(fmt::format("  mounted in {}; {} and {}{}", human_time(what_.mount_ns),
                     counted(what_.threads, "thread", "threads"),
                     counted(what_.io_threads, "read thread", "read threads"), cpu));
    if (what_.kept) line("  " + kept_line(*what_.kept));
    if (summary.hash != 0 || summary.files == 0) line(fmt::format("  hash {:016x}", summary.hash));
    for (const std::string& hint : what_.hints) line(style_.yellow("  " + hint));
    if (what_.baseline) baseline_line(*what_.baseline);
    for (const std::string& sentence : what_.exceeded) line(style_.red("  " + sentence));
    if (const std::string noise = noise_sentence(what_); !noise.empty()) {
      line(style_.yellow("  " + noise));
    }
  }

  // Where the bytes came from says what the rest of the report is worth.
  void read_from() {
    const read_summary& reads = what_.summary.reads;
    if (reads.disk_bytes + reads.cached_bytes == 0) return;
    if (what_.tells_page_cache) {
      line(fmt::format("  {} read from the disk, {} from the page cache", bytes(reads.disk_bytes),
                       bytes(reads.cached_bytes)));
    } else {
      line(fmt::format("  {} read, from the disk or the page cache: this system does not say",
                       bytes(reads.disk_bytes)));
    }
    if (reads.disk_bytes == 0) return;
    line(fmt::format("  a read{} took {} in the median, 99 % of them {} at most",
                     what_.tells_page_cache ? " from the disk" : "", human_time(reads.median_ns),
                     human_time(reads.p99_ns)));
  }

  void baseline_line(const report_baseline& old) {
    const std::string file = printable(old.file);
    line(old.slower ? style_.red(fmt::format("  slower than {}", file))
         : old.is_judged
             ? fmt::format("  not slower than {}", file)
             : style_.yellow(fmt::format(
                   "  not judged against {}: that needs 3 loads of each (--repeat)", file)));
    for (const std::string& why : old.differences) {
      line(style_.yellow(fmt::format("  not comparable with {}: {}", file, why)));
    }
  }

  void repeats() {
    if (what_.repeats.loads < 2) return;
    title(
        fmt::format("{} loads; the rest of this report is of the median one", what_.repeats.loads));
    table rows({{"median"}, {"least"}, {"most"}, {"time of", align::left}});
    for (const report_time& time : times_of(what_.repeats)) {
      rows.add({human_time(time.taken.median_ns), human_time(time.taken.least_ns),
                human_time(time.taken.most_ns), time.name});
    }
    text_ += rows.render(style_);
  }

  void comparison() {
    if (!what_.baseline) return;
    title(fmt::format("Compared with {}", printable(what_.baseline->file)));
    table rows({{"was"}, {"now"}, {"change"}, {"", align::left}, {"time of", align::left}});
    for (const report_comparison& time : what_.baseline->times) {
      const double change =
          time.was.median_ns == 0 ? 0 : share(time.now.median_ns, time.was.median_ns) - 1;
      rows.add({human_time(time.was.median_ns),
                human_time(time.now.median_ns),
                fmt::format("{:+.0f} %", change * 100),
                {time.slower ? "slower" : "", &text_style::red},
                time.name});
    }
    text_ += rows.render(style_);
  }

  void mounts() {
    title(what_.first_wins ? "Mounts (earlier ones win)" : "Mounts (later ones win)");
    table rows({{"files"},
                {"size"},
                {"failed"},
                {"hidden"},
                {"skipped"},
                {"kind", align::left},
                {"mount", align::left}});
    for (const report_mount& mount : what_.mounts) {
      rows.add({grouped(mount.files),
                bytes(mount.bytes),
                {grouped(mount.failed), mount.failed > 0 ? &text_style::red : nullptr},
                grouped(mount.hidden),
                grouped(mount.skipped),
                mount.format,
                printable(mount.path)});
    }
    text_ += rows.render(style_);
  }

  void types() {
    if (what_.types.empty()) return;
    title("File types");
    table rows({{"files"}, {"size"}, {"decoded"}, {"work"}, {"type", align::left}});
    const auto add = [&](const report_type& type, const std::string& name) {
      rows.add({grouped(type.files), bytes(type.bytes),
                type.decoded_bytes > 0 ? bytes(type.decoded_bytes)
                : type.what.empty()    ? "-"
                                       : type.what,
                human_time(type.ns), name});
    };
    report_type others;
    std::size_t other_count = 0;
    for (const report_type& type : what_.types) {
      // A single leftover type takes no more room than "others".
      if (&type - what_.types.data() < static_cast<std::ptrdiff_t>(types_max) ||
          what_.types.size() == types_max + 1) {
        add(type, type.extension.empty() ? "(none)" : printable(type.extension));
        continue;
      }
      ++other_count;
      others.files += type.files;
      others.bytes += type.bytes;
      others.decoded_bytes += type.decoded_bytes;
      others.ns += type.ns;
    }
    if (other_count > 0) add(others, fmt::format("{} others", other_count));
    text_ += rows.render(style_);
    long_sounds();
  }

  void long_sounds() {
    const report_group& sounds = what_.long_sounds;
    if (sounds.files == 0) return;
    line(fmt::format("  {} longer than {} s: {} of decode and {} to save by streaming",
                     counted(sounds.files, "sound", "sounds"), long_sound_seconds,
                     human_time(sounds.decode_ns), bytes(sounds.decoded_bytes)));
  }

  void stages() {
    title("Stages");
    std::uint64_t all_ns = 0;
    for (const stage_summary& stage : what_.summary.stages) all_ns += stage.ns;
    table rows(
        {{"work"}, {"share"}, {"", align::left}, {"bytes out"}, {"files"}, {"stage", align::left}});
    for (std::size_t i = 0; i < load_stage_count; ++i) {
      const stage_summary& stage = what_.summary.stages[i];
      const double part = share(stage.ns, all_ns);
      rows.add({human_time(stage.ns), human_percent(part), bar(part, bar_columns, style_.unicode),
                stage.bytes > 0 ? bytes(stage.bytes) : "-", grouped(stage.files),
                std::string(to_string(static_cast<load_stage>(i)))});
    }
    text_ += rows.render(style_);
  }

  void reads() {
    const read_summary& reads = what_.summary.reads;
    if (reads.queue_ns + reads.device_ns + reads.block_wait_ns == 0) return;
    title(what_.tells_page_cache && reads.disk_bytes != 0
              ? "Reads from the disk (sums; many overlap)"
              : "Reads (sums; many overlap)");
    table rows({{"time"}, {"where", align::left}});
    rows.add({human_time(reads.queue_ns), std::string("in the queue")});
    rows.add({human_time(reads.device_ns), std::string("at the device")});
    if (reads.block_wait_ns != 0) {
      rows.add({human_time(reads.block_wait_ns),
                std::string("until another read had unpacked their solid block")});
    }
    text_ += rows.render(style_);
  }

  void threads() {
    if (what_.threads_used.empty()) return;
    title("Threads");
    table rows({{"busy"}, {"", align::left}, {"waiting"}, {"cpu time"}, {"thread", align::left}});
    std::size_t count = 0;
    std::size_t idle = 0;
    for (const report_thread& thread : what_.threads_used) {
      const bool is_idle =
          !thread.is_worker && share(thread.busy_ns(), what_.summary.ns) < idle_share;
      ++(is_idle ? idle : count);
      if (is_idle || count > threads_max) continue;
      const double busy = std::min(1.0, share(thread.busy_ns(), what_.summary.ns));
      rows.add({human_percent(busy), bar(busy, bar_columns, style_.unicode),
                human_time(thread.waiting_ns), human_time(thread.cpu_ns), printable(thread.name)});
    }
    text_ += rows.render(style_);
    more(count, threads_max);
    if (idle > 0) {
      text_ +=
          fmt::format("  {} not shown\n", counted(idle, "idle read thread", "idle read threads"));
    }
  }

  void waits() {
    table rows({{"time"}, {"share"}, {"reason", align::left}});
    bool any = false;
    for (const report_share& wait : what_.verdict.shares) {
      if (!wait.waiting) continue;
      any = true;
      rows.add({human_time(wait.ns), human_percent(share(wait.ns, what_.verdict.worker_ns)),
                printable(wait.name)});
    }
    if (!any) return;
    title("Waits");
    text_ += rows.render(style_);
  }

  void slowest() {
    if (what_.slowest.empty()) return;
    title("Slowest files (milliseconds)");
    table rows({{"total"},
                {"device"},
                {"unpack"},
                {"decode"},
                {"other"},
                {"size"},
                {"file", align::left}});
    // What an image or a sound is says why it takes so long.
    const auto name_of = [this](const report_file& file) {
      const std::string content = content_of(file);
      return file_in_mount(file.path, file.mount) + (content.empty() ? "" : "  " + content);
    };
    for (const report_file& file : what_.slowest) {
      const auto in = [&](load_stage stage) {
        return file.stage_ns[static_cast<std::size_t>(stage)];
      };
      const std::uint64_t other =
          in(load_stage::resolve) + in(load_stage::read) + in(load_stage::finalize);
      rows.add({milliseconds(file.total_ns()), milliseconds(file.device_ns),
                milliseconds(in(load_stage::unpack)), milliseconds(in(load_stage::decode)),
                milliseconds(other), bytes(file.bytes), name_of(file)});
    }
    text_ += rows.render(style_);
  }

  void overrides() {
    if (what_.overrides.empty()) return;
    title(fmt::format("Overridden ({})", grouped(what_.overrides.size())));
    table rows({{"taken from", align::left}, {"instead of", align::left}, {"file", align::left}});
    for (std::size_t i = 0; i < std::min(names_max, what_.overrides.size()); ++i) {
      const report_override& file = what_.overrides[i];
      rows.add({label(file.winner), label(file.loser), printable(file.path)});
    }
    text_ += rows.render(style_);
    more(what_.overrides.size(), names_max);
  }

  void failures() {
    if (what_.failures.empty()) return;
    title(fmt::format("Failed ({})", grouped(what_.failures.size())));
    for (const report_failure& failure : what_.failures) {
      line("  " + failure_line(failure, style_));
    }
  }

  // By reason: a game may have the same flaw in hundreds of files.
  void warnings() {
    if (what_.warnings.empty()) return;
    title(fmt::format("Warnings ({})", grouped(what_.warnings.size())));
    std::map<std::string_view, std::vector<const report_warning*>> by_reason;
    for (const report_warning& warning : what_.warnings) {
      by_reason[warning.reason].push_back(&warning);
    }
    for (const auto& [reason, files] : by_reason) {
      line(fmt::format("  {} ({})", style_.yellow(printable(reason)),
                       counted(files.size(), "file", "files")));
      for (std::size_t i = 0; i < std::min(warnings_max, files.size()); ++i) {
        const std::uint64_t offset = files[i]->offset;
        line("    " + file_in_mount(files[i]->path, files[i]->mount) +
             (offset != 0 ? fmt::format(", at byte {}", offset) : ""));
      }
      if (files.size() > warnings_max) {
        line(style_.dim(fmt::format("    and {} more (--json lists all)",
                                    grouped(files.size() - warnings_max))));
      }
    }
  }

  void mount_failures() {
    if (what_.mount_failures.empty()) return;
    title(fmt::format("Not read ({})", grouped(what_.mount_failures.size())));
    for (const report_failure& failure : what_.mount_failures) {
      line("  " + failure_line(failure, style_));
    }
  }

  void skipped() {
    if (what_.skipped.empty()) return;
    title(fmt::format("Skipped ({})", grouped(what_.skipped.size())));
    table rows({{"why", align::left}, {"mount", align::left}, {"name", align::left}});
    for (std::size_t i = 0; i < std::min(names_max, what_.skipped.size()); ++i) {
      const report_skipped& name = what_.skipped[i];
      rows.add({printable(name.reason), label(name.mount), printable(name.name)});
    }
    text_ += rows.render(style_);
    more(what_.skipped.size(), names_max);
  }

  // The peak of its room in the ledger.
  [[nodiscard]] std::uint64_t in_flight_by(std::string_view module) const {
    for (std::size_t tag = 0; tag < memory_tag_count; ++tag) {
      if (module == to_string(static_cast<memory_tag>(tag)))
        return what_.summary.in_flight_by_module[tag];
    }
    return 0;
  }

  void memory() {
    if (what_.memory.empty()) return;
    title(fmt::format("Memory (peak {})", bytes(what_.memory_peak_bytes)));
    table rows({{"peak"}, {"in flight"}, {"module", align::left}});
    for (const report_memory& module : what_.memory) {
      const std::uint64_t in_flight = in_flight_by(module.module);
      rows.add({bytes(module.peak_bytes), in_flight == 0 ? "" : bytes(in_flight),
                printable(module.module)});
    }
    text_ += rows.render(style_);
    text_ += over_budget(what_, style_.width);
  }

  void advice() {
    const std::vector<std::string> sentences = sentences_of(load_advice(what_));
    if (sentences.empty()) return;
    title("What to change");
    for (const std::string& each : sentences) text_ += wrapped(each, style_.width, "  - ", "    ");
  }

  // It has left the terminal.
  void verdict_again() {
    const auto lines = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
    if (style_.height == 0 || lines < style_.height) return;
    line("");
    line(style_.bold(verdict_sentence(what_)));
  }

  const report& what_;
  const text_style& style_;
  std::map<std::string, std::string> labels_;
  std::string text_;
};

}  // namespace

std::string failure_line(const report_failure& failure, const text_style& style) {
  const std::string place =
      failure.path.empty()
          ? style.red(printable(failure.mount))
          : fmt::format("{} ({})", style.red(printable(failure.path)), printable(failure.mount));
  return fmt::format("{}: {}: {}", place, failure.stage, printable(failure.reason));
}

std::string missing_files(const report& what) {
  return fmt::format("files are missing: {} could not be read",
                     counted(what.mount_failures.size(), "folder, link, name or header",
                             "folders, links, names or headers"));
}

std::string report_text(const report& what, const text_style& style) {
  return writer(what, style).write();
}

}  // namespace overture::cli
