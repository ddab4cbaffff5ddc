// SPDX-License-Identifier: Zlib
#include "commands/command.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "overture/base/version.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/messages.hpp"
#include "terminal/suggestion.hpp"

namespace overture::cli {

namespace {

constexpr command all_commands[] = {
    {"load", "load everything on all cores and report where the time went", cmd_load},
    {"report", "make the report or the page of a load that is over", cmd_report},
    {"compare", "say what got slower between two loads", cmd_compare},
    {"check", "verify the checksum of every file", cmd_check},
    {"ls", "list a folder of the merged tree", cmd_ls},
    {"cat", "print one file", cmd_cat},
    {"which", "show which mounts have a path and which one wins", cmd_which},
    {"diff", "compare two sets of mods", cmd_diff},
    {"extract", "write the merged tree, or a part of it, to a folder", cmd_extract},
    {"pack", "write the merged tree as one ZIP", cmd_pack},
#if OVERTURE_WATCHES
    {"watch", "run any program and say what it does while it loads", cmd_watch},
#endif
#if OVERTURE_RUNS_GAMES
    {"boost", "start a game on PhysicsFS from one file", cmd_boost},
    {"physfs-env", "run a game on PhysicsFS with Overture's library", cmd_physfs_env},
#endif
    {"formats", "list the archives and files that can be read", cmd_formats},
    {"generate", "print the manual page, or completions for a shell", cmd_generate},
    {"save-bench", "benchmark saving and loading a million objects", cmd_save_bench},
};

constexpr const char* introduction =
    "Folders and archives are mounted over each other into one tree: the base game,\n"
    "then DLC, then mods. Where several have the same file, the last one wins.\n";

std::string general_help() {
  std::string text = fmt::format("Load games and see where the time goes.\n\n{}", introduction);
  text +=
      "\n"
      "Usage: overture COMMAND [OPTIONS] MOUNT...\n"
      "\n"
      "Examples\n"
      "  overture load base.pk3 dlc/rome/ mods/better_ai.zip\n"
      "  overture which maps/rome.txt base.pk3 dlc/rome/ mods/better_ai.zip\n"
      "\n"
      "Commands\n";
  for (const command& each : all_commands)
    text += fmt::format("  {:<16}{}\n", each.name, each.summary);
  text +=
      "\n"
      "Options\n"
      "  -h, --help      print this help\n"
      "  -V, --version   print the version\n"
      "\n"
      "'overture help COMMAND' explains a command and its options.\n";
  return text;
}

const command* find_command(std::string_view name) {
  const auto* const found = std::find_if(std::begin(all_commands), std::end(all_commands),
                                         [name](const command& each) { return each.name == name; });
  return found == std::end(all_commands) ? nullptr : found;
}

int unknown(const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    known = {"--help", "--version", "-h", "-V"};
  } else {
    known = {"help"};
    for (const command& each : all_commands) known.emplace_back(each.name);
  }
  return print_usage_error(
      fmt::format("unknown {} '{}'", word.starts_with('-') ? "option" : "command", word),
      nearest(word, known), "overture help");
}

int help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return print(general_help());
  const command* const about = find_command(arguments.front());
  return about ? about->run({"--help"}) : unknown(arguments.front());
}

}  // namespace

std::span<const command> commands() {
  return all_commands;
}

program_description describe_program() {
  program_description program{.version = version, .introduction = introduction, .commands = {}};
  for (const command& each : all_commands) {
    command_description about;
    command_line::describe_to(&about);
    (void)each.run({});
    command_line::describe_to(nullptr);
    about.summary = each.summary;
    program.commands.push_back(std::move(about));
  }
  return program;
}

int run_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_to_stderr(general_help());
    return exit_usage;
  }
  const std::string& first = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (first == "-h" || first == "--help" || first == "help") return help(rest);
  if (first == "-V" || first == "--version") return print(fmt::format("overture {}\n", version));
  const command* const asked = find_command(first);
  return asked ? asked->run(rest) : unknown(first);
}

}  // namespace overture::cli
