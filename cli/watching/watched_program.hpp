// SPDX-License-Identifier: Zlib
//
// The program that `overture watch` runs, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "games/programs.hpp"
#include "watch/model/watched.hpp"

namespace overture::cli {

// What keeps a program from being watched.
enum class watch_obstacle : unsigned char {
  none,
  is_script,     // none: what it starts is watched
  is_app_image,  // likewise
  other_kind,
  privileged,
  is_static,
  sanitized,
  sandboxed,  // started by snap or Flatpak, apart from this system's libraries
  of_steam,   // likewise, by Steam
};
[[nodiscard]] watch_obstacle obstacle_of(const std::string& program);
// Why it cannot be watched, and what works instead; empty if it can, or can be tried.
[[nodiscard]] std::string reason_against(watch_obstacle obstacle, const std::string& program);
// Likewise when that was tried, and nothing was recorded.
[[nodiscard]] std::string reason_afterwards(watch_obstacle obstacle, const std::string& program,
                                            const std::string& library);

// The library that is preloaded: OVERTURE_WATCH_LIBRARY, or where it is installed or built beside
// this command. Empty if it is not there.
[[nodiscard]] std::string recorder_library();
// A folder in memory, if there is one with room, so that recording does not write to the disk that
// the game reads.
[[nodiscard]] std::string folder_for_recordings();

// When a run ends.
struct watch_until {
  enum class what : unsigned char { exit, frame, menu, idle, time };
  what it = what::exit;
  std::uint64_t ns = 0;  // time
};
// "frame", "menu", "idle", "exit", "12", "2.5"; nothing if it is not one of these.
[[nodiscard]] std::optional<watch_until> until_of(const std::string& word);

struct watch_run {
  program_end end;
  std::uint64_t ended_ns = 0;  // on the monotonic clock
  watch::sampling samples;
  bool started_others = false;  // which were not watched
  bool lacked_room = false;     // for a recording
};
// Runs it with the recorder, whose files go to `folder`.
[[nodiscard]] watch_run run_watched(const std::vector<std::string>& words,
                                    const std::string& library, const std::string& folder,
                                    const watch_until& until, bool follow);

}  // namespace overture::cli
