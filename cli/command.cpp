#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exit_code.hpp"
#include "messages.hpp"
#include "overture/base/version.hpp"
#include "suggestion.hpp"

namespace overture::cli {

namespace {

constexpr command table[] = {
    {"load", "load a game on every core, and say where the time went", cmd_load},
    {"ls", "list a folder of the merged tree", cmd_ls},
    {"cat", "write one file of it to standard output", cmd_cat},
    {"which", "say which mounts have a path, and who wins", cmd_which},
    {"extract", "write the merged tree, or a part of it, as files", cmd_extract},
    {"check", "verify the checksum of every file on every core", cmd_check},
    {"diff", "compare two sets of mods: what each overrides", cmd_diff},
    {"save-bench", "save and load a million objects, and say where the time went", cmd_save_bench},
};

std::string general_help() {
  std::string text =
      "overture: loads games, and shows where the time goes\n"
      "\n"
      "Usage: overture COMMAND [ARGUMENTS]\n"
      "\n"
      "Commands\n";
  for (const command& each : table) text += fmt::format("  {:<22}{}\n", each.name, each.summary);
  text +=
      "  help [COMMAND]        this text, or all about a command\n"
      "\n"
      "Options\n"
      "  -h, --help            this text\n"
      "  -V, --version         the version\n"
      "\n"
      "Example: overture load base.pk3 dlc/ mods/better_ai.zip\n";
  return text;
}

const command* find_command(std::string_view name) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [name](const command& each) { return each.name == name; });
  return found == std::end(table) ? nullptr : found;
}

int unknown(const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    known = {"--help", "--version", "-h", "-V"};
  } else {
    known = {"help"};
    for (const command& each : table) known.emplace_back(each.name);
  }
  return complain_about_usage(
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
  return table;
}

int run_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    say(general_help());
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
