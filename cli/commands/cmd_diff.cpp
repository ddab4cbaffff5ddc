// SPDX-License-Identifier: Zlib
//
// overture diff: compares two sets of mods: what each overrides and where they conflict.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "commands/command.hpp"
#include "commands/comparison.hpp"
#include "mounts/mounting.hpp"
#include "system/exit_code.hpp"
#include "system/system.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/json_output.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr const char* diff_usage = "overture diff [OPTIONS] LEFT RIGHT";
constexpr int diff_schema = 1;

constexpr const char* diff_examples = R"(  overture diff mods/better_ai.zip mods/hard_mode/
  overture diff --base base.pk3 --base dlc/ mods/ai.zip mods/hard_mode/
  overture diff --base base.pk3 --left a.zip --left b.zip --right c.zip
)";

const std::string diff_footer = std::string(R"(Exit status
  0  compared, whether or not there are differences
  1  some files could not be read, or a folder could not be listed; each is
     listed
  2  invalid arguments
  3  a mount could not be opened
  5  output could not be written, or memory ran out
)") + environment_footer;

struct diff_arguments {
  std::vector<mount_argument> base;
  std::vector<mount_argument> left;
  std::vector<mount_argument> right;
  bool ignore_case = false;
  bool removal_markers = false;
  bool allow_bombs = false;
  bool json = false;
  when colour = when::automatic;
};

std::optional<int> parse_diff(const std::vector<std::string>& words, diff_arguments& into) {
  command_line line({
      .name = "diff",
      .usage = diff_usage,
      .description = "Compare two sets of mods: the files in both, identical or different, the "
                     "files in only one, and which of those override the base game.",
      .examples = diff_examples,
      .footer = diff_footer,
  });
  mount_options mounts(line);
  mounts.add_mount("LEFT", "a folder or an archive", into.left);
  mounts.add_mount("RIGHT", "the folder or archive to compare it with", into.right);
  mounts.add_mounts("--base MOUNT", "the game that both sets modify; repeatable, later ones win",
                    into.base);
  mounts.add_mounts("--left MOUNT", "add a mount to the left set; repeatable, later ones win",
                    into.left);
  mounts.add_mounts("--right MOUNT", "add a mount to the right set; repeatable, later ones win",
                    into.right);
  mounts.add_mount_point();
  mounts.add_password();
  mounts.add_ignore_case(into.ignore_case);
  mounts.add_removal_markers(into.removal_markers);
  mounts.add_allow_bombs(into.allow_bombs);
  add_json(line, into.json);
  add_colour(line, into.colour);
  if (const std::optional<int> over = line.parse(words)) return over;
  if (const std::optional<int> over = mounts.mistake()) return over;
  if (into.left.empty() || into.right.empty()) {
    return line.usage_error("give two folders or archives, or two sets with --left and --right");
  }
  return std::nullopt;
}

struct shown_group {
  std::string title;
  std::vector<std::string> lines;
};

std::string groups_text(const std::vector<shown_group>& groups, const text_style& style) {
  std::string text;
  for (const shown_group& group : groups) {
    if (group.lines.empty()) continue;
    if (!text.empty()) text += '\n';
    text += style.bold(fmt::format("{} ({})", group.title, grouped(group.lines.size()))) + '\n';
    for (const std::string& line : group.lines) text += "  " + line + '\n';
  }
  return text.empty() ? "no files on either side\n" : text;
}

std::string diff_text(const comparison& found, const text_style& style, bool has_base) {
  shown_group unknown{"In both, unreadable", {}};
  shown_group differ{"In both, different", {}};
  shown_group same{"In both, identical", {}};
  for (const shared_file& file : found.both) {
    const std::string line = printable(file.path);
    if (!file.failure.empty()) {
      unknown.lines.push_back(fmt::format("{}: {}", line, printable(file.failure)));
    } else {
      (file.same ? same : differ).lines.push_back(line);
    }
  }
  std::vector<shown_group> groups = {unknown, differ, same};
  const auto add_alone = [&](const char* side, const std::vector<compared_file>& files) {
    shown_group overrides{fmt::format("{} only, overrides the base", side), {}};
    shown_group adds{fmt::format("{} only{}", side, has_base ? ", new" : ""), {}};
    for (const compared_file& file : files) {
      (file.overrides ? overrides : adds).lines.push_back(printable(file.path));
    }
    groups.push_back(overrides);
    groups.push_back(adds);
  };
  const auto add_removed = [&](const char* side, const std::vector<std::string>& paths) {
    shown_group removes{fmt::format("{} removes from the base", side), {}};
    for (const std::string& path : paths) removes.lines.push_back(printable(path));
    groups.push_back(removes);
  };
  add_alone("Left", found.left_alone);
  add_removed("Left", found.left_removes);
  add_alone("Right", found.right_alone);
  add_removed("Right", found.right_removes);
  return groups_text(groups, style);
}

json paths_json(const std::vector<mount_argument>& mounts) {
  json list = json::array();
  for (const mount_argument& mount : mounts) list.push_back(mount.path);
  return list;
}

json alone_json(const std::vector<compared_file>& files) {
  json list = json::array();
  for (const compared_file& file : files) {
    list.push_back({{"path", file.path}, {"overrides", file.overrides}});
  }
  return list;
}

std::string diff_json(const comparison& found, const diff_arguments& arguments) {
  json both = json::array();
  for (const shared_file& file : found.both) {
    json row = {{"path", file.path}, {"overrides", file.overrides}, {"same", file.same}};
    if (!file.failure.empty()) row.set("same", nullptr);
    both.push_back(row);
  }
  return json_text({{"schema", diff_schema},
                    {"base", paths_json(arguments.base)},
                    {"left", paths_json(arguments.left)},
                    {"right", paths_json(arguments.right)},
                    {"both", both},
                    {"left_removes", found.left_removes},
                    {"right_removes", found.right_removes},
                    {"left_alone", alone_json(found.left_alone)},
                    {"right_alone", alone_json(found.right_alone)}});
}

}  // namespace

int cmd_diff(const std::vector<std::string>& words) {
  diff_arguments arguments;
  if (const std::optional<int> over = parse_diff(words, arguments)) return *over;
  const outputs out(arguments.colour);
  const file_system_config config{.ignore_case = arguments.ignore_case};
  file_system base(config);
  file_system left(config);
  file_system right(config);
  const mounting_options how{.removal_markers = arguments.removal_markers,
                             .allow_bombs = arguments.allow_bombs};
  int status = mount_these(base, arguments.base, how);
  status = std::max(status, mount_these(left, arguments.left, how));
  status = std::max(status, mount_these(right, arguments.right, how));
  if (status != exit_ok) return status;
  for (const file_system* const each : {&base, &left, &right}) {
    status = std::max(status, status_of_mounts(*each));
  }

  const result<comparison> compared = compare_trees(base, left, right);
  if (!compared) {
    print_error(fmt::format("cannot compare ({})", reason_of(compared.error())));
    return exit_output_failed;
  }
  const comparison& found = *compared;
  for (const shared_file& file : found.both) {
    if (file.failure.empty()) continue;
    status = std::max(status, exit_for(file.code, exit_files_failed));
    if (arguments.json) {
      print_error(fmt::format("{}: {}", printable(file.path), printable(file.failure)));
    }
  }
  const int outcome =
      print(arguments.json ? diff_json(found, arguments)
                           : diff_text(found, out.style(stream::out), !arguments.base.empty()));
  if (status == exit_output_failed) print_out_of_memory();
  return std::max(outcome, status);
}

}  // namespace overture::cli
