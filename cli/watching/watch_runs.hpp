// SPDX-License-Identifier: Zlib
//
// Runs of one program, one after the other: what each took, and which of them is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/load_samples.hpp"
#include "report/report_model.hpp"
#include "watch/findings/finding.hpp"
#include "watching/watched_program.hpp"

namespace overture::cli {

// When a run had come to where its user wanted it.
struct run_mark {
  std::uint64_t ns = 0;
  const char* name = "end";  // "frame", "menu", "quiet", "end"
};
[[nodiscard]] const char* name_of(watch::load_end how);
[[nodiscard]] run_mark mark_of(const watch::load_view& view, watch_until::what until);

struct watch_repeats {
  std::vector<run_mark> runs = {};  // in their order
  std::size_t shown = 0;            // the median one
  load_samples samples = {};

  [[nodiscard]] spread times() const;
};

// Whether a run may be the median one of `all`, of which `seen` were run, and `before` of those
// took less. Of an even number the median is the smaller of the two in the middle.
[[nodiscard]] bool can_be_median(std::size_t before, std::size_t seen, std::size_t all);

// Adds what a run took to samples, which `compare` compares. Paths are shown without `home`.
void add_samples_of(const watch::load_view& view, const run_mark& mark, const std::string& home,
                    sample_collector& to);

class watch_runs {
 public:
  struct plan {
    std::size_t runs = 1;
    watch_until::what until = watch_until::what::exit;
    bool is_cold = false;
    std::string home = {};  // that no path is to tell
  };
  explicit watch_runs(plan of) : plan_(std::move(of)) {}

  // The processes of a run, of which there is at least one.
  run_mark add(std::vector<watch::watched_process> all);
  [[nodiscard]] std::size_t count() const { return repeats_.runs.size(); }

  struct shown_run {
    std::vector<watch::watched_process> processes;
    watch_repeats repeats;
  };
  // After at least one run. That of the runs there were, if they are fewer than was wanted.
  [[nodiscard]] shown_run finish() &&;

 private:
  [[nodiscard]] std::size_t shorter_than(std::size_t run) const;

  plan plan_;
  std::string program_;
  // Those that can be the median one.
  std::map<std::size_t, std::vector<watch::watched_process>> kept_;
  sample_collector samples_;
  watch_repeats repeats_;
};

// What a run read, for --cold: files that it opened, and code.
struct read_files {
  std::vector<std::string> content = {};
  std::vector<std::string> code = {};  // programs and libraries
};
[[nodiscard]] read_files files_read(const std::vector<watch::watched_process>& processes);

}  // namespace overture::cli
