// SPDX-License-Identifier: Zlib
//
// What was watched as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/style.hpp"
#include "watch/findings/finding.hpp"
#include "watch/findings/gain.hpp"
#include "watching/watch_runs.hpp"
#include "watching/watched_machine.hpp"

namespace overture::cli {

struct watch_report {
  const watch::load_view& view;
  std::vector<watch::finding> findings = {};
  std::vector<watch::gain> gains = {};
  watch_repeats repeats = {};
  watched_machine machine = {};
};
// "The median of 5 cold runs: 1.23 s, 1.20 s at least, 1.31 s at most."; empty of a single warm
// one.
[[nodiscard]] std::string repeats_sentence(const watch_repeats& of);
[[nodiscard]] std::string watch_text(const watch_report& what, const text_style& style);
// A line for each process that is not shown.
[[nodiscard]] std::string other_processes_text(const std::vector<watch::watched_process>& all,
                                               std::size_t shown, const text_style& style);

// What such a report begins with.
inline constexpr std::string_view watch_json_beginning = "{\n  \"overture_watch\": ";
[[nodiscard]] std::string watch_json(const watch_report& what);

// The process that a user means: of those that showed frames, or else of all, the one that did
// most.
[[nodiscard]] std::size_t process_to_show(const std::vector<watch::watched_process>& all);

}  // namespace overture::cli
