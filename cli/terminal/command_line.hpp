// SPDX-License-Identifier: Zlib
//
// command_line: the arguments and help of one command. Every mistake is answered with what is
// wrong, the nearest valid name, and where to find help.
//
// CLI11 does the parsing. Only command_line.cpp includes it, because it takes seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "terminal/help_pages.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace overture::cli {

struct command_text {
  const char* name;           // of the command
  const char* usage;          // after "Usage: "
  const char* description;    // wrapped to the width of the help
  const char* examples = "";  // indented lines, printed as they are
  std::string footer = {};    // after the options, printed as it is
};

// An option or positional argument, as the help shows it.
struct option_text {
  std::string spelling;  // "-q,--quiet", "--threads N", or "MOUNT" for a positional argument
  const char* group;     // its heading in the help
  std::string description;
};

struct word_check {
  // Returns what is wrong with a word, or an empty string.
  std::function<std::string(const std::string& word)> mistake_in = {};
  std::vector<std::string> choices = {};  // all words that are right, if they are few
};

class command_line {
 public:
  using word_handler = std::function<void(const std::string& word)>;

  explicit command_line(const command_text& about);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  // Options, in help order; --help comes last. Giving a word or number twice is a mistake.
  void flag(const option_text& about, bool& into);
  void word(const option_text& about, std::string& into, const word_check& check = {});
  void word(const option_text& about, word_handler take, const word_check& check = {});
  // Repeatable. All takers are called after parsing succeeded, in command-line order.
  void words(const option_text& about, word_handler take, const word_check& check = {});
  // A whole number from `least` to `most`: unsigned, std::uint64_t or int.
  template <class Number>
  void number(const option_text& about, std::uint64_t least, std::uint64_t most, Number& into);

  // While one is set, parse() describes the command there, and the command is over.
  static void describe_to(command_description* into);
  // Returns an exit code if the command is over: help was printed, or an error.
  [[nodiscard]] std::optional<int> parse(const std::vector<std::string>& arguments);
  // Reports a mistake that parse() cannot detect; returns its exit code.
  [[nodiscard]] int usage_error(const std::string& mistake) const;

 private:
  struct bound_handler {
    const CLI::Option* option;
    word_handler take;
  };

  void apply(const word_check& check, CLI::Option& option);
  void describe(command_description& into) const;
  [[nodiscard]] std::string help_text() const;
  [[nodiscard]] std::optional<int> reject_extras() const;
  void deliver() const;

  std::string usage_;
  std::string examples_;
  std::string help_command_;
  std::unique_ptr<CLI::App> app_;
  std::vector<bound_handler> handlers_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;
};

// Accepts only the given words.
[[nodiscard]] word_check one_of(std::vector<std::string> words);

}  // namespace overture::cli
