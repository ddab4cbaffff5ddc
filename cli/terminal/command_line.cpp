// SPDX-License-Identifier: Zlib
#include "terminal/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "system/exit_code.hpp"
#include "terminal/messages.hpp"
#include "terminal/suggestion.hpp"

namespace overture::cli {

namespace {

constexpr std::size_t help_columns = 79;
constexpr std::size_t description_column = 26;

std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::size_t used = indent;
  for (std::string word; words >> word;) {
    if (used > indent && used + 1 + word.size() > help_columns) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
    }
    if (used > indent) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines;
}

std::string option_names(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("--{}, ", name);
  if (names.empty()) return option.get_name(true);
  names.resize(names.size() - 2);
  const std::string value = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  return value.empty() ? names : names + ' ' + value;
}

// CLI11's message for a mistake, in our words: "NAME: what is wrong".
std::string mistake(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find(':'));
    const bool missing =
        text.find("received 0") != std::string::npos || text.find("missing") != std::string::npos;
    return missing ? name + " needs a value" : name + " may be given only once";
  }
  return text;
}

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{} || stop != end) return std::nullopt;
  return number;
}

word_check whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
    const std::optional<std::uint64_t> number = number_in(text);
    if (number && *number >= least && *number <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  }};
}

// Set while commands are described instead of run, which one thread does.
command_description* described_to = nullptr;

// "--threads N" is "--threads" to CLI11, and "N" the name of its value.
std::string names_of(const option_text& about) {
  return about.spelling.substr(0, about.spelling.find(' '));
}

CLI::Option& described(CLI::Option* option, const option_text& about) {
  const std::size_t space = about.spelling.find(' ');
  if (space != std::string::npos) option->type_name(about.spelling.substr(space + 1));
  option->description(about.description)->group(about.group);
  return *option;
}

// Ends a word in brackets, which CLI11 would take for a list: "[v2]" may be a folder.
constexpr char end_of_brackets = '\1';

// "--to=" gives an empty value. CLI11 would take the next word for it.
std::vector<std::string> protect(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  bool options = true;
  for (const std::string& each : arguments) {
    options = options && each != "--";
    const bool is_empty = options && each.starts_with("--") && each.find('=') == each.size() - 1;
    words.push_back(is_empty ? each.substr(0, each.size() - 1) : each);
    if (each.starts_with('[') && each.ends_with(']')) words.back() += end_of_brackets;
    if (is_empty) words.emplace_back();
  }
  return words;
}

}  // namespace

command_line::command_line(const command_text& about)
    : usage_(about.usage),
      examples_(about.examples),
      help_command_(fmt::format("overture help {}", about.name)),
      app_(std::make_unique<CLI::App>(about.description, about.name)) {
  app_->footer(about.footer);
  app_->allow_windows_style_options(false);  // "/data/base.zip" is a path
  app_->allow_extras();                      // reject_extras() reports them, with suggestions
}

command_line::~command_line() = default;

void command_line::apply(const word_check& check, CLI::Option& option) {
  if (check.mistake_in) option.check(check.mistake_in);
  // A variable of a script that is not set would turn the option off.
  if (!check.mistake_in && !option.get_positional()) {
    option.check([](const std::string& word) {
      return std::string(word.empty() ? "the value is empty; give one, or leave the option out"
                                      : "");
    });
  }
  if (!check.choices.empty()) choices_[&option] = check.choices;
}

void command_line::flag(const option_text& about, bool& into) {
  described(app_->add_flag(names_of(about), into), about);
}

void command_line::word(const option_text& about, std::string& into, const word_check& check) {
  word(about, [&into](const std::string& given) { into = given; }, check);
}

void command_line::word(const option_text& about, word_handler take, const word_check& check) {
  CLI::Option& option = described(
      app_->add_option_function<std::string>(names_of(about), [](const std::string&) {}), about);
  apply(check, option);
  handlers_.push_back({&option, std::move(take)});
}

void command_line::words(const option_text& about, word_handler take, const word_check& check) {
  CLI::Option& option = described(app_->add_option_function<std::vector<std::string>>(
                                      names_of(about), [](const std::vector<std::string>&) {}),
                                  about);
  if (!option.get_positional()) option.allow_extra_args(false);
  apply(check, option);
  handlers_.push_back({&option, std::move(take)});
}

// Parsed here, because CLI11 reads 010 as octal.
template <class Number>
void command_line::number(const option_text& about, std::uint64_t least, std::uint64_t most,
                          Number& into) {
  word(
      about,
      [&into](const std::string& given) {
        into = static_cast<Number>(number_in(given).value_or(0));
      },
      whole_number(least, most));
}

template void command_line::number(const option_text&, std::uint64_t, std::uint64_t, unsigned&);
template void command_line::number(const option_text&, std::uint64_t, std::uint64_t,
                                   std::uint64_t&);
template void command_line::number(const option_text&, std::uint64_t, std::uint64_t, int&);

void command_line::describe_to(command_description* into) {
  described_to = into;
}

void command_line::describe(command_description& into) const {
  into.name = app_->get_name();
  into.usage = usage_;
  into.description = app_->get_description();
  into.examples = examples_;
  into.footer = app_->get_footer();
  for (const CLI::Option* const option : app_->get_options()) {
    option_description about;
    about.group = option->get_group();
    about.description = option->get_description();
    about.positional = option->get_positional();
    if (about.positional) about.names.push_back(option->get_name(true));
    for (const std::string& name : option->get_snames()) about.names.push_back('-' + name);
    for (const std::string& name : option->get_lnames()) about.names.push_back("--" + name);
    if (!about.positional && option->get_items_expected_max() > 0) {
      about.value = option->get_type_name();
    }
    if (const auto found = choices_.find(option); found != choices_.end()) {
      about.choices = found->second;
    }
    into.options.push_back(std::move(about));
  }
}

std::optional<int> command_line::parse(const std::vector<std::string>& arguments) {
  app_->set_help_flag("-h,--help", "print this help")->group("Help");
  if (described_to != nullptr) {
    describe(*described_to);
    return exit_ok;
  }
  std::vector<std::string> words = protect(arguments);
  std::reverse(words.begin(), words.end());
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return print(help_text());
  } catch (const CLI::ParseError& error) {
    return usage_error(mistake(error));
  }
  if (const std::optional<int> over = reject_extras()) return over;
  deliver();
  return std::nullopt;
}

int command_line::usage_error(const std::string& mistake) const {
  return print_usage_error(mistake, "", help_command_);
}

std::optional<int> command_line::reject_extras() const {
  for (const std::string& extra : app_->remaining()) {
    if (extra == "--") continue;  // CLI11 reports it as an extra
    if (!extra.starts_with('-') || extra == "-") {
      return usage_error(fmt::format("unexpected argument '{}'", extra));
    }
    std::vector<std::string> known;
    for (const CLI::Option* option : app_->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    const std::string name = extra.substr(0, extra.find('='));
    return print_usage_error(fmt::format("unknown option '{}'", name), nearest(name, known),
                             help_command_);
  }
  return std::nullopt;
}

// Not done in CLI11's own callbacks: they do not see the order of words of different options.
void command_line::deliver() const {
  std::map<const CLI::Option*, std::size_t> handed;
  for (const CLI::Option* const option : app_->parse_order()) {
    const std::size_t number = handed[option]++;
    for (const bound_handler& each : handlers_) {
      if (each.option != option) continue;
      std::string word = option->results()[number];
      if (word.ends_with(end_of_brackets)) word.pop_back();
      each.take(word);
    }
  }
}

std::string command_line::help_text() const {
  std::string text = wrapped(app_->get_description(), 0) + "\n\nUsage: " + usage_ + '\n';
  if (!examples_.empty()) text += "\nExamples\n" + examples_;
  for (const std::string& group : app_->get_groups()) {
    const auto options =
        app_->get_options([&](const CLI::Option* o) { return o->get_group() == group; });
    if (group.empty() || options.empty()) continue;
    text += fmt::format("\n{}\n", group);
    for (const CLI::Option* option : options) {
      std::string line = "  " + option_names(*option);
      if (line.size() + 2 > description_column) {
        text += line + '\n';
        line.clear();
      }
      line.resize(description_column, ' ');
      text += line + wrapped(option->get_description(), description_column) + '\n';
    }
  }
  if (!app_->get_footer().empty()) text += '\n' + app_->get_footer();
  return text;
}

word_check one_of(std::vector<std::string> words) {
  const auto mistake_in = [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return {};
    return fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
  };
  return {mistake_in, std::move(words)};
}

}  // namespace overture::cli
