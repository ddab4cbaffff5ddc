// SPDX-License-Identifier: Zlib
//
// The manual page and the completions for shells, from the same descriptions as --help.
#pragma once

#include <string>
#include <vector>

namespace overture::cli {

struct option_description {
  std::vector<std::string> names = {};  // "-q", "--quiet"; of a positional argument "MOUNT"
  std::string value = {};               // the name of its value, such as "DIR", or empty
  std::string group = {};               // its heading in the help
  std::string description = {};
  std::vector<std::string> choices = {};  // what the value may be, or empty
  bool positional = false;
};

struct command_description {
  std::string name = {};
  std::string summary = {};
  std::string usage = {};
  std::string description = {};
  std::string examples = {};
  std::string footer = {};
  std::vector<option_description> options = {};
};

struct program_description {
  std::string version = {};
  std::string introduction = {};  // paragraphs
  std::vector<command_description> commands = {};
};

[[nodiscard]] std::string man_page(const program_description& program);
[[nodiscard]] std::string bash_completion(const program_description& program);
[[nodiscard]] std::string zsh_completion(const program_description& program);
[[nodiscard]] std::string fish_completion(const program_description& program);

}  // namespace overture::cli
