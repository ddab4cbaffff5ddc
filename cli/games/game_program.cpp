// SPDX-License-Identifier: Zlib
#include "games/game_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

std::vector<std::string> listed_libraries(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    constexpr std::string_view arrow = " => ";
    const std::size_t at = line.find(arrow);
    const std::size_t end = line.rfind(" (0x");
    if (at == std::string_view::npos || end == std::string_view::npos) continue;
    const std::size_t begin = at + arrow.size();
    if (end > begin && line[begin] == '/') paths.emplace_back(line.substr(begin, end - begin));
  }
  return paths;
}

game_plan plan_for(const game_look& look, const std::string& program,
                   const std::string& library_folder) {
  const std::string shown = printable(program);
  switch (look.kind) {
    case game_kind::script:
      return {};
    case game_kind::linked: {
      std::error_code failed;
      const bool is_ours = std::filesystem::equivalent(
          look.library, std::filesystem::path(library_folder) / "libphysfs.so.1", failed);
      return {.can_run = true, .preload = failed || !is_ours, .note = {}};
    }
    case game_kind::other_kind:
      return {false, false,
              fmt::format("{} is a program for another processor or of 32 bits; Overture's "
                          "libphysfs cannot be loaded into it",
                          shown)};
    case game_kind::privileged:
      return {false, false,
              fmt::format("{} runs with more rights than yours, and such programs take no library "
                          "from elsewhere",
                          shown)};
    case game_kind::contains:
      return {false, false,
              fmt::format("{} has PhysicsFS linked into it statically: no other library can take "
                          "its place, unless the game is built again with libphysfs.so.1",
                          printable(look.inside))};
    case game_kind::unlinked:
      break;
  }
  return {true, false,
          fmt::format("{} is not linked to libphysfs.so.1: Overture's is used only if it loads "
                      "that library later, or starts a program that does",
                      shown)};
}

std::optional<physfs_game> find_physfs_game(const std::string& name) {
  physfs_game made;
  made.program = find_program(name);
  if (made.program.empty()) {
    print_error(fmt::format("{}: no such program", printable(name)));
    return {};
  }
  made.library_folder = physfs_folder();
  if (made.library_folder.empty()) {
    print_error(
        "libphysfs.so.1 is not where it was installed with this command; name its folder in "
        "OVERTURE_PHYSFS");
    return {};
  }
  const game_plan plan =
      plan_for(look_at_game(made.program, made.library_folder), made.program, made.library_folder);
  if (!plan.can_run) {
    print_error(plan.note);
    return {};
  }
  if (!plan.note.empty()) print_warning(plan.note);
  std::string path = made.library_folder;
  if (const char* const before = std::getenv("LD_LIBRARY_PATH"); before && *before) {
    path += fmt::format(":{}", before);
  }
  made.environment = {{"LD_LIBRARY_PATH", path}};
  if (plan.preload) preload(made, made.library_folder + "/libphysfs.so.1");
  return made;
}

void preload(physfs_game& game, const std::string& library) {
  for (auto& [name, value] : game.environment) {
    if (name != "LD_PRELOAD") continue;
    value = fmt::format("{}:{}", library, value);
    return;
  }
  const char* const before = std::getenv("LD_PRELOAD");
  game.environment.emplace_back(
      "LD_PRELOAD", before && *before ? fmt::format("{}:{}", library, before) : library);
}

std::vector<std::string> split_off_game(std::vector<std::string>& words, std::size_t own_words,
                                        const std::vector<std::string_view>& valued) {
  std::size_t at = 0;
  bool marked = false;
  for (; at < words.size() && !marked; ++at) {
    if (words[at] == "--") {
      marked = true;
    } else if (words[at].starts_with('-')) {
      if (std::find(valued.begin(), valued.end(), words[at]) != valued.end()) ++at;
    } else if (own_words == 0) {
      break;
    } else {
      --own_words;
    }
  }
  at = std::min(at, words.size());
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> game(begin, words.end());
  words.erase(begin - (marked ? 1 : 0), words.end());
  return game;
}

}  // namespace overture::cli
