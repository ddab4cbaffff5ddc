// SPDX-License-Identifier: Zlib
//
// What kind of program a game is, and how it gets Overture's libphysfs.so.1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "games/programs.hpp"

namespace overture::cli {

enum class game_kind : unsigned char {
  script,      // or another file that is no program of its own
  other_kind,  // of another processor, or of 32 bits
  privileged,  // runs with other rights than its user's
  linked,      // to libphysfs.so.1
  contains,    // PhysicsFS itself
  unlinked,    // neither
};

struct game_look {
  game_kind kind = game_kind::unlinked;
  std::string library = {};  // linked: the file that the loader takes
  std::string inside = {};   // contains: the program, or a library of its own
};

// Reads the program, and asks its loader which libraries it gets where `library_folder` comes
// first.
[[nodiscard]] game_look look_at_game(const std::string& program, const std::string& library_folder);

// The paths in what `ld.so --list` prints: "NAME => PATH (0x7f...)". A library without a path is
// left out.
[[nodiscard]] std::vector<std::string> listed_libraries(std::string_view text);

struct game_plan {
  bool can_run = true;
  bool preload = false;  // the library: the game finds its own one first
  std::string note;      // a warning, or why it cannot; empty if there is nothing to say
};
[[nodiscard]] game_plan plan_for(const game_look& look, const std::string& program,
                                 const std::string& library_folder);

// What a game is run with.
struct physfs_game {
  std::string program;                // its real path
  std::string library_folder;         // of libphysfs.so.1
  program_environment environment{};  // with which it gets that library
};
// Finds the game and the library. Prints a warning where that is due; if the game cannot be run
// with it, prints an error and returns nothing.
[[nodiscard]] std::optional<physfs_game> find_physfs_game(const std::string& name);
// Adds a library to those that are loaded first.
void preload(physfs_game& game, const std::string& library);

// Splits a command's own words from those of the game, which begin after "--" or else at the first
// word that is neither an option nor one of `own_words` words of the command. Options in `valued`
// have a value as the next word.
[[nodiscard]] std::vector<std::string> split_off_game(std::vector<std::string>& words,
                                                      std::size_t own_words,
                                                      const std::vector<std::string_view>& valued);

}  // namespace overture::cli
