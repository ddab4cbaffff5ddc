// What a benchmark is told on its command line. CLI11 is behind it, so that it is compiled once.
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

// The folder that `./dev games` fills: OVERTURE_GAMES, or what ./dev takes without it.
[[nodiscard]] inline std::string default_games_folder() {
  const char* const named = std::getenv("OVERTURE_GAMES");
  return named != nullptr ? named : ".cache/games";
}

// Whether a part is to be measured: all are, if none is named.
[[nodiscard]] inline bool is_wanted(const std::vector<std::string>& named,
                                    const std::string& part) {
  return named.empty() || std::find(named.begin(), named.end(), part) != named.end();
}

struct number_range {
  std::int64_t least = 1;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

// What is not given keeps the value it has, which the help shows. All of it must outlive parse().
class options {
 public:
  // With --rounds and --json, which all of them have.
  options(const char* about, int& rounds, std::string& json_path);
  options(const options&) = delete;
  options& operator=(const options&) = delete;
  ~options();

  template <class Number>
  void number(const char* name, Number& into, const char* text, number_range in = {}) {
    number_to(name, text, in, std::to_string(into),
              [&into](std::int64_t given) { into = static_cast<Number>(given); });
  }
  // Several, with commas or spaces between.
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
  // Of `known`, with commas or spaces between; without those any, with spaces.
  void words(const char* name, std::vector<std::string>& into, const char* text,
             const std::vector<std::string>& known = {});
  void flag(const char* name, bool& into, const char* text);

  // An exit code if there is nothing more to do: help was printed, or there is a mistake.
  [[nodiscard]] std::optional<int> parse(int count, char** words);

 private:
  void number_to(const char* name, const char* text, number_range in, const std::string& shown,
                 const std::function<void(std::int64_t)>& set);
  void numbers_to(const char* name, const char* text, number_range in, const std::string& shown,
                  const std::function<void(const std::vector<std::int64_t>&)>& set);

  std::unique_ptr<CLI::App> app_;
};

}  // namespace bench
