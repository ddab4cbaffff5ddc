// SPDX-License-Identifier: Zlib
//
// The command line of a benchmark. Hides CLI11, so that it is compiled only once.
//
//   bench::options line("Measures ...", set.rounds, json_path);
//   line.words("--only", set.only, "these parts", {"reads", "writes"});
//   if (const std::optional<int> over = line.parse(argc, argv)) return *over;
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

// The folder that `./dev games` fills: OVERTURE_GAMES, or the default of ./dev.
[[nodiscard]] inline std::string default_games_folder() {
  const char* const named = std::getenv("OVERTURE_GAMES");
  return named != nullptr ? named : ".cache/games";
}

// Whether to measure a part: all are measured if none is named.
[[nodiscard]] inline bool is_wanted(const std::vector<std::string>& named,
                                    const std::string& part) {
  return named.empty() || std::find(named.begin(), named.end(), part) != named.end();
}

struct number_range {
  std::int64_t least = 1;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

// An option that is not given leaves its variable alone, and the help shows that value as the
// default. The variables must outlive parse().
class options {
 public:
  // Adds --rounds and --json, which every benchmark has.
  options(const char* about, int& rounds, std::string& json_path);
  options(const options&) = delete;
  options& operator=(const options&) = delete;
  ~options();

  template <class Number>
  void number(const char* name, Number& into, const char* text, number_range in = {}) {
    number_to(name, text, in, std::to_string(into),
              [&into](std::int64_t given) { into = static_cast<Number>(given); });
  }
  // Several, separated by commas or spaces.
  template <class Number>
  void numbers(const char* name, std::vector<Number>& into, const char* text,
               number_range in = {}) {
    std::string shown;
    for (const Number each : into) shown += (shown.empty() ? "" : ",") + std::to_string(each);
    numbers_to(name, text, in, shown, [&into](const std::vector<std::int64_t>& given) {
      into.clear();
      for (const std::int64_t each : given) into.push_back(static_cast<Number>(each));
    });
  }
  void word(const char* name, std::string& into, const char* text);
  // Words from `known`, separated by commas or spaces. Without `known` any, separated by spaces.
  void words(const char* name, std::vector<std::string>& into, const char* text,
             const std::vector<std::string>& known = {});
  void flag(const char* name, bool& into, const char* text);

  // Returns an exit code if the program should end: the help was printed, or an argument is wrong.
  [[nodiscard]] std::optional<int> parse(int count, char** words);

 private:
  void number_to(const char* name, const char* text, number_range in, const std::string& shown,
                 const std::function<void(std::int64_t)>& set);
  void numbers_to(const char* name, const char* text, number_range in, const std::string& shown,
                  const std::function<void(const std::vector<std::int64_t>&)>& set);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace bench
