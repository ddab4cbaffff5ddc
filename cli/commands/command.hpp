// SPDX-License-Identifier: Zlib
//
// The commands of `overture`. Each is one file (cmd_NAME.cpp), declared here and listed in the
// table of command.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/help_pages.hpp"

namespace overture::cli {

struct command {
  const char* name;
  const char* summary;
  // `arguments` are those after the command's name. Returns an exit_code.
  int (*run)(const std::vector<std::string>& arguments);
};

[[nodiscard]] std::span<const command> commands();

int cmd_boost(const std::vector<std::string>& words);
int cmd_cat(const std::vector<std::string>& words);
int cmd_check(const std::vector<std::string>& words);
int cmd_compare(const std::vector<std::string>& words);
int cmd_diff(const std::vector<std::string>& words);
int cmd_extract(const std::vector<std::string>& words);
int cmd_formats(const std::vector<std::string>& words);
int cmd_generate(const std::vector<std::string>& words);
int cmd_load(const std::vector<std::string>& words);
int cmd_ls(const std::vector<std::string>& words);
int cmd_pack(const std::vector<std::string>& words);
int cmd_physfs_env(const std::vector<std::string>& words);
int cmd_report(const std::vector<std::string>& words);
int cmd_save_bench(const std::vector<std::string>& words);
int cmd_watch(const std::vector<std::string>& words);
int cmd_which(const std::vector<std::string>& words);

// All of the program, from its own words, for help_pages.hpp.
[[nodiscard]] program_description describe_program();

// The whole program. `arguments` are without the program's name. Returns an exit_code.
int run_command(const std::vector<std::string>& arguments);

}  // namespace overture::cli
