// The arguments that say what is mounted, and others that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "overture/file_system.hpp"
#include "style.hpp"

namespace overture::cli {

struct mount_argument {
  std::string path;
  std::string at;             // the mount point
  std::string password = {};  // of its encrypted files
  friend bool operator==(const mount_argument&, const mount_argument&) = default;
};

struct tree_arguments {
  std::vector<mount_argument> mounts;
  std::vector<mount_argument> archives_in;
  bool first_wins = false;
  bool ignore_case = false;
  bool removal_markers = false;

  [[nodiscard]] file_system_config config() const {
    return {.first_wins = first_wins, .ignore_case = ignore_case};
  }
  [[nodiscard]] bool empty() const { return mounts.empty() && archives_in.empty(); }
};

// Options that name mounts. --mount-point and --password hold for the mounts behind them on the
// command line, so those are collected in its order, by take() when everything is parsed.
class mount_options_parser {
 public:
  explicit mount_options_parser(CLI::App& app) : app_(app) {}

  // MOUNT, --archives-in, --mount-point, --password, --first-wins, --ignore-case,
  // --removal-markers.
  void add_tree(tree_arguments& into);
  // A positional argument or an option of mounts; `takes_many` for those that may be repeated.
  CLI::Option* add(const std::string& name, const std::string& description,
                   std::vector<mount_argument>& into, bool takes_many = true);
  void add_mount_point();
  void add_password();
  void add_ignore_case(bool& into);
  void add_removal_markers(bool& into);
  // The exit code of a complaint if one of those options has no mount behind it.
  [[nodiscard]] std::optional<int> take(const std::string& help_command) const;

 private:
  struct collected {
    CLI::Option* option;
    std::vector<mount_argument>* into;
  };

  CLI::App& app_;
  CLI::Option* point_ = nullptr;
  CLI::Option* password_ = nullptr;
  std::vector<collected> collected_;
};

// --json
void add_json(CLI::App& app, bool& into);
// --color, --progress
void add_colour(CLI::App& app, when& into);
void add_progress(CLI::App& app, when& into);
// -q, --quiet
void add_quiet(CLI::App& app, bool& into, const std::string& description);
// --threads
void add_threads(CLI::App& app, unsigned& into);
// --help
void add_help(CLI::App& app);

// The environment's part of a help's footer, without --progress.
inline constexpr const char* environment_footer = R"(
Environment
  NO_COLOR, TERM=dumb     no colours
  COLUMNS                 the width, where the terminal does not tell
)";

}  // namespace overture::cli
