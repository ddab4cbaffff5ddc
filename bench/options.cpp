// SPDX-License-Identifier: Zlib
#include "options.hpp"

#include <CLI/CLI.hpp>

namespace bench {

options::options(const char* about, int& rounds, std::string& json_path)
    : app_(std::make_unique<CLI::App>(about)) {
  number("--rounds", rounds, "number of rounds");
  word("--json", json_path, "write the results to this JSON file");
}
options::~options() = default;

void options::number_to(const char* name, const char* text, number_range in,
                        const std::string& shown, const std::function<void(std::int64_t)>& set) {
  app_->add_option_function<std::int64_t>(name, set, text)
      ->type_name("N")
      ->check(CLI::Range(in.least, in.most).description(""))
      ->default_str(shown);
}

void options::numbers_to(const char* name, const char* text, number_range in,
                         const std::string& shown,
                         const std::function<void(const std::vector<std::int64_t>&)>& set) {
  app_->add_option_function<std::vector<std::int64_t>>(name, set, text)
      ->type_name("N")
      ->delimiter(',')
      ->check(CLI::Range(in.least, in.most).description(""))
      ->default_str(shown);
}

void options::word(const char* name, std::string& into, const char* text) {
  app_->add_option(name, into, text)->default_str(into);
}

void options::words(const char* name, std::vector<std::string>& into, const char* text,
                    const std::vector<std::string>& known) {
  CLI::Option* const option = app_->add_option(name, into, text);
  if (!known.empty()) option->delimiter(',')->check(CLI::IsMember(known));
}

void options::flag(const char* name, bool& into, const char* text) {
  app_->add_flag(name, into, text);
}

std::optional<int> options::parse(int count, char** words) {
  try {
    app_->parse(count, words);
  } catch (const CLI::ParseError& over) {
    return app_->exit(over);
  }
  return std::nullopt;
}

}  // namespace bench
