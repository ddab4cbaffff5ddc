#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "messages.hpp"
#include "suggestion.hpp"

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

// The last words of a mistake that CLI11 has found: "NAME: what is wrong".
std::string mistake(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find(':'));
    const bool missing =
        text.find("received 0") != std::string::npos || text.find("missing") != std::string::npos;
    return missing ? name + " needs a value" : name + " was given more than once";
  }
  return text;
}

}  // namespace

std::function<std::string(const std::string&)> whole_number(std::uint64_t least,
                                                            std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, number);
    if (failed == std::errc{} && stop == end && number >= least && number <= most) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
  };
}

std::function<std::string(const std::string&)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return {};
    return fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
  };
}

std::string help_text(const CLI::App& app, const std::string& usage) {
  std::string text = wrapped(app.get_description(), 0) + "\n\nUsage: " + usage + '\n';
  for (const std::string& group : app.get_groups()) {
    const auto options =
        app.get_options([&](const CLI::Option* o) { return o->get_group() == group; });
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
  return text + '\n' + app.get_footer();
}

std::optional<int> parse(CLI::App& app, const std::string& usage,
                         const std::vector<std::string>& arguments) {
  const std::string help_command = "overture help " + app.get_name();
  app.allow_extras();  // found below, where the nearest name is known
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return print(help_text(app, usage));
  } catch (const CLI::ParseError& error) {
    return complain_about_usage(mistake(error), "", help_command);
  }
  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;  // CLI11 leaves it among what it did not understand
    if (!extra.starts_with('-') || extra == "-") {
      return complain_about_usage(fmt::format("'{}' was not expected", extra), "", help_command);
    }
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    const std::string name = extra.substr(0, extra.find('='));
    return complain_about_usage(fmt::format("unknown option '{}'", name), nearest(name, known),
                                help_command);
  }
  return std::nullopt;
}

}  // namespace overture::cli
