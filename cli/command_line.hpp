// The command line of one command: what it takes, help in one form, and every mistake answered
// with what was wrong, the nearest name, and where help is.
//
// CLI11 does the parsing and is in command_line.cpp only: to compile it takes seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace overture::cli {

struct command_text {
  const char* name;         // of the command
  const char* usage;        // behind "Usage: "
  const char* description;  // what it does
  std::string footer;       // what follows the options, as it is
};

// An option, or the words that stand alone, as the help shows them.
struct option_text {
  std::string spelling;  // "-q,--quiet", "--threads N", or "MOUNT" for words that stand alone
  const char* group;     // the heading that it stands under
  std::string description;
};

class command_line {
 public:
  using taker = std::function<void(const std::string& word)>;
  // Says what is wrong with a word; empty if nothing is.
  using word_check = std::function<std::string(const std::string& word)>;

  explicit command_line(const command_text& about);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  // The options, in the order of the help; --help is behind them. A word or a number given twice is
  // a mistake.
  void flag(const option_text& about, bool& into);
  void word(const option_text& about, std::string& into, const word_check& check = {});
  void word(const option_text& about, taker take, const word_check& check = {});
  // Any number of them. All takers are called in the order of the words on the command line, once
  // the whole of it has been understood.
  void words(const option_text& about, taker take);
  // A whole number from `least` to `most`: unsigned, std::uint64_t or int.
  template <class Number>
  void number(const option_text& about, std::uint64_t least, std::uint64_t most, Number& into);

  // An exit code if the command is over: help was printed, or there is a mistake.
  [[nodiscard]] std::optional<int> parse(const std::vector<std::string>& arguments);
  // Complains about what parse() cannot see, and returns the exit code for it.
  [[nodiscard]] int refuse(const std::string& mistake) const;

 private:
  struct taken {
    const CLI::Option* option;
    taker take;
  };

  [[nodiscard]] std::string help_text() const;
  [[nodiscard]] std::optional<int> refuse_extras() const;
  void hand_over() const;

  std::string usage_;
  std::string help_command_;
  std::unique_ptr<CLI::App> app_;
  std::vector<taken> takers_;
};

// Checks that a word is one of a few.
[[nodiscard]] command_line::word_check one_of(std::vector<std::string> words);

}  // namespace overture::cli
