// SPDX-License-Identifier: Zlib
//
// What was watched as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terminal/style.hpp"
#include "watch/findings/finding.hpp"

namespace overture::cli {

[[nodiscard]] std::string watch_text(const watch::load_view& view,
                                     const std::vector<watch::finding>& findings,
                                     const text_style& style);
// A line for each process that is not shown.
[[nodiscard]] std::string other_processes_text(const std::vector<watch::watched_process>& all,
                                               std::size_t shown, const text_style& style);

// What such a report begins with.
inline constexpr std::string_view watch_json_beginning = "{\n  \"overture_watch\": ";
[[nodiscard]] std::string watch_json(const watch::load_view& view,
                                     const std::vector<watch::finding>& findings);

// The process that a user means: of those that showed frames, or else of all, the one that did
// most.
[[nodiscard]] std::size_t process_to_show(const std::vector<watch::watched_process>& all);

}  // namespace overture::cli
