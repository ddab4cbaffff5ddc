// SPDX-License-Identifier: Zlib
#include "mounts/tree_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "overture/base/glob.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"
#include "terminal/display.hpp"

namespace overture::cli {

namespace {

constexpr const char* mounts_group = "Mounts";
constexpr const char* output_group = "Output";

void add_when(command_line& line, const char* name, const char* description, when& into) {
  line.word(
      {fmt::format("{} WHEN", name), output_group, description},
      [&into](const std::string& word) {
        into = word == "always" ? when::always : word == "never" ? when::never : when::automatic;
      },
      one_of({"auto", "always", "never"}));
}

// What is wrong with a mount point, or an empty string.
std::string mistake_in_mount_point(const std::string& point) {
  path_buffer room;
  const result<asset_path> path = normalise(point, room);
  if (path) return {};
  return fmt::format("--mount-point '{}': {}; give a path such as gfx/fonts", printable(point),
                     path.error().reason);
}

}  // namespace

command_line::word_handler mount_options::mount_handler(std::vector<mount_argument>& into,
                                                        bool archives_in) {
  return [this, &into, archives_in](const std::string& path) {
    into.push_back({path, point_, password_, names_, archives_in});
    unused_ = nullptr;
    any_ = true;
  };
}

void mount_options::add_mount(const std::string& spelling, const std::string& description,
                              std::vector<mount_argument>& into) {
  line_.word({spelling, mounts_group, description}, mount_handler(into));
}

void mount_options::add_mounts(const std::string& spelling, const std::string& description,
                               std::vector<mount_argument>& into) {
  line_.words({spelling, mounts_group, description}, mount_handler(into));
}

void mount_options::add_mount_point() {
  line_.words({"--mount-point PATH", mounts_group,
               "mount everything after this option at PATH in the tree ('/' is the root); "
               "repeatable"},
              [this](const std::string& point) {
                if (wrong_point_.empty()) wrong_point_ = mistake_in_mount_point(point);
                point_ = point;
                unused_ = "--mount-point";
              });
}

void mount_options::add_password() {
  line_.words({"--password WORD", mounts_group,
               "password of encrypted files in the archives after this option; repeatable"},
              [this](const std::string& password) {
                password_ = password;
                unused_ = "--password";
              });
}

void mount_options::add_name_encoding() {
  constexpr std::array all{name_encoding::cp437, name_encoding::latin1, name_encoding::windows_1251,
                           name_encoding::windows_1252, name_encoding::cp932};
  std::vector<std::string> words;
  words.reserve(all.size());
  for (const name_encoding each : all) words.emplace_back(to_string(each));
  line_.words(
      {"--name-encoding NAME", mounts_group,
       "character set of names that are not UTF-8 in the archives after this option: "
       "cp437 (the default), cp932 (Japanese), cp1251 (Cyrillic), cp1252, latin1; "
       "repeatable"},
      [this, all](const std::string& word) {
        for (const name_encoding each : all) {
          if (to_string(each) == word) names_ = each;
        }
        unused_ = "--name-encoding";
      },
      one_of(words));
}

void mount_options::add_order(archive_order& into) {
  line_.word(
      {"--order HOW", mounts_group,
       "sort --archives-in by name: nocase (the default, as most games do), bytes, or "
       "natural (pak9 before pak10)"},
      [&into](const std::string& word) {
        into = word == "bytes"     ? archive_order::bytes
               : word == "natural" ? archive_order::natural
                                   : archive_order::nocase;
      },
      one_of({"bytes", "nocase", "natural"}));
}

void mount_options::add_tree(tree_arguments& into) {
  add_mounts("MOUNT", "a folder or an archive; later mounts win", into.mounts);
  line_.words({"--archives-in DIR", mounts_group,
               "mount every archive in DIR, sorted by name; a MOUNT after it wins; repeatable"},
              mount_handler(into.mounts, true));
  add_order(into.order);
  add_mount_point();
  add_password();
  add_name_encoding();
  line_.flag({"--first-wins", mounts_group, "let earlier mounts win"}, into.first_wins);
  add_ignore_case(into.ignore_case);
  add_removal_markers(into.removal_markers);
  add_allow_bombs(into.allow_bombs);
}

void mount_options::add_removal_markers(bool& into) {
  line_.flag({"--removal-markers", mounts_group,
              "a file .wh.NAME removes NAME from the mounts it overrides"},
             into);
}

void mount_options::add_allow_bombs(bool& into) {
  line_.flag({"--allow-bombs", mounts_group,
              "read files, too, that unpack to more than 64 MiB and 1,100 times their packed size, "
              "or more than 16 GiB and 100 times"},
             into);
}

void mount_options::add_ignore_case(bool& into) {
  line_.flag({"--ignore-case", mounts_group, "ignore case in paths, and show them folded"}, into);
}

std::optional<int> mount_options::mistake() const {
  if (!wrong_point_.empty()) return line_.usage_error(wrong_point_);
  if (!unused_ || !any_) return std::nullopt;
  return line_.usage_error(fmt::format(
      "{} applies to the mounts after it, but none follows; move it before a MOUNT", unused_));
}

void add_json(command_line& line, bool& into) {
  line.flag({"--json", output_group, "print one JSON object instead of text"}, into);
}

void add_colour(command_line& line, when& into) {
  add_when(line, "--color", "use colours: auto (on terminals), always, never", into);
}

void add_progress(command_line& line, when& into) {
  add_when(line, "--progress", "show progress: auto (on terminals), always, never", into);
}

void add_quiet(command_line& line, bool& into, const std::string& description) {
  line.flag({"-q,--quiet", output_group, description}, into);
}

void add_threads(command_line& line, unsigned& into) {
  line.number({"--threads N", "Loading",
               "threads that unpack and decode, including the main thread (default: one per "
               "processor)"},
              1, limits::pool_workers_max + 1, into);
}

void add_exclude(command_line& line, const char* group, std::vector<std::string>& into) {
  line.words({"--exclude GLOB", group,
              "leave out the files that match, such as '*.bak', in any folder, or 'docs/**'; "
              "repeatable"},
             [&into](const std::string& glob) { into.push_back(glob); },
             {.mistake_in = [](const std::string& glob) -> std::string {
               if (glob.find_first_not_of('/') != std::string::npos) return {};
               return "give a pattern, such as '*.bak'";
             }});
}

bool matches_any(const std::vector<std::string>& globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(),
                     [path](const std::string& glob) { return matches_glob(glob, path); });
}

void add_file_time_max(command_line& line, std::uint64_t& seconds) {
  static constexpr std::uint64_t day = 86'400;
  line.number({"--file-time-max SECONDS", "Loading",
               "give up a file that takes longer (default: no limit)"},
              1, day, seconds);
}

}  // namespace overture::cli
