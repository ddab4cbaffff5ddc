// What all commands want from CLI11: help in one form, and every mistake answered with what was
// wrong, the nearest name, and where help is.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace overture::cli {

// Checks that an option's value is a whole number from `least` to `most`.
[[nodiscard]] std::function<std::string(const std::string&)> whole_number(std::uint64_t least,
                                                                          std::uint64_t most);
// Checks that it is one of a few words.
[[nodiscard]] std::function<std::string(const std::string&)> one_of(std::vector<std::string> words);

// The help of one command: its description, usage, options by group, and footer.
[[nodiscard]] std::string help_text(const CLI::App& app, const std::string& usage);

// Parses `arguments`. An exit code if the command is over: help was printed, or there is a mistake.
[[nodiscard]] std::optional<int> parse(CLI::App& app, const std::string& usage,
                                       const std::vector<std::string>& arguments);

}  // namespace overture::cli
