// SPDX-License-Identifier: Zlib
//
// The arguments that name mounts, and other options that several commands share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mounts/archive_order.hpp"
#include "overture/vfs/file_system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

struct mount_argument {
  std::string path;
  std::string at;             // mount point
  std::string password = {};  // of its encrypted files
  name_encoding names = name_encoding::cp437;
  bool archives_in = false;  // not the folder itself is mounted, but every archive in it
  friend bool operator==(const mount_argument&, const mount_argument&) = default;
};

struct tree_arguments {
  std::vector<mount_argument> mounts;
  bool first_wins = false;
  bool ignore_case = false;
  bool removal_markers = false;
  bool allow_bombs = false;
  archive_order order = archive_order::nocase;

  [[nodiscard]] file_system_config config() const {
    return {.first_wins = first_wins, .ignore_case = ignore_case};
  }
  [[nodiscard]] bool empty() const { return mounts.empty(); }
};

// Arguments that name mounts. --mount-point, --password and --name-encoding apply to the mounts
// after them.
class mount_options {
 public:
  explicit mount_options(command_line& line) : line_(line) {}
  mount_options(const mount_options&) = delete;  // callbacks of the command line point to this
  mount_options& operator=(const mount_options&) = delete;

  // MOUNT, --archives-in, --order, --mount-point, --password, --name-encoding, --first-wins,
  // --ignore-case, --removal-markers, --allow-bombs.
  void add_tree(tree_arguments& into);
  // A single mount; a repeatable one.
  void add_mount(const std::string& spelling, const std::string& description,
                 std::vector<mount_argument>& into);
  void add_mounts(const std::string& spelling, const std::string& description,
                  std::vector<mount_argument>& into);
  void add_mount_point();
  void add_password();
  void add_name_encoding();
  void add_order(archive_order& into);
  void add_ignore_case(bool& into);
  void add_removal_markers(bool& into);
  void add_allow_bombs(bool& into);
  // After parsing: reports an option that is invalid or has no mount after it, and returns the exit
  // code.
  [[nodiscard]] std::optional<int> mistake() const;

 private:
  [[nodiscard]] command_line::word_handler mount_handler(std::vector<mount_argument>& into,
                                                         bool archives_in = false);

  command_line& line_;
  std::string point_;
  std::string password_;
  name_encoding names_ = name_encoding::cp437;
  std::string wrong_point_;       // what is wrong with the first invalid mount point
  const char* unused_ = nullptr;  // the last option, until a mount follows
  bool any_ = false;              // a mount was given
};

// --json
void add_json(command_line& line, bool& into);
// --color, --progress
void add_colour(command_line& line, when& into);
void add_progress(command_line& line, when& into);
// -q, --quiet
void add_quiet(command_line& line, bool& into, const std::string& description);
// --threads
void add_threads(command_line& line, unsigned& into);
// --exclude
void add_exclude(command_line& line, const char* group, std::vector<std::string>& into);
[[nodiscard]] bool matches_any(const std::vector<std::string>& globs, std::string_view path);
void add_file_time_max(command_line& line, std::uint64_t& seconds);

// For the footer of commands without --progress.
inline constexpr const char* environment_footer = R"(
Environment
  NO_COLOR, TERM=dumb     no colours
  COLUMNS                 output width, if the terminal does not report one
)";

}  // namespace overture::cli
