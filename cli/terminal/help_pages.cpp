// SPDX-License-Identifier: Zlib
#include "terminal/help_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace overture::cli {

namespace {

bool takes_a_path(const option_description& option) {
  return option.choices.empty() && (option.positional || option.value == "DIR" ||
                                    option.value == "FILE" || option.value == "MOUNT");
}

// Every option that a shell completes, of one command.
std::vector<const option_description*> named_options(const command_description& command) {
  std::vector<const option_description*> named;
  for (const option_description& option : command.options) {
    if (!option.positional) named.push_back(&option);
  }
  return named;
}

std::string in_single_quotes(const std::string& text, const char* quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += quote;
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

// --- man -----------------------------------------------------------------------------------------

// Text that roff prints as it is.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string preformatted(const std::string& text) {
  std::string shown = ".nf\n" + roff(text);
  if (!shown.ends_with('\n')) shown += '\n';
  return shown + ".fi\n";
}

// The footer of a command: paragraphs, each with a heading in its first line.
std::string man_footer(const std::string& footer) {
  std::string text;
  std::istringstream lines(footer);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool heading = !line.empty() && line.front() != ' ';
    if (inside && (heading || line.empty())) text += ".fi\n";
    if (heading) text += fmt::format(".PP\n.I {}\n.nf\n", roff(line));
    if (heading || line.empty()) {
      inside = heading;
    } else {
      if (!inside) text += ".nf\n";
      inside = true;
      text += roff(line) + '\n';
    }
  }
  if (inside) text += ".fi\n";
  return text;
}

std::string man_option(const option_description& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  return fmt::format(".TP\n{}\n{}\n", names, roff(option.description));
}

std::string man_command(const command_description& command) {
  std::string text = fmt::format(".SS {}\n.B {}\n.PP\n{}\n", roff(command.name),
                                 roff(command.usage), roff(command.description));
  for (const option_description& option : command.options) text += man_option(option);
  if (!command.examples.empty()) text += ".PP\n.I Examples\n" + preformatted(command.examples);
  return text + man_footer(command.footer);
}

// --- Shells --------------------------------------------------------------------------------------

std::string words_of(const std::vector<const option_description*>& options) {
  std::vector<std::string> words;
  for (const option_description* const option : options) {
    words.insert(words.end(), option->names.begin(), option->names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string names_of(const program_description& program) {
  std::vector<std::string> names{"help"};
  for (const command_description& command : program.commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// In zsh's specifications brackets and colons mean something.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const option_description& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  if (option.value == "DIR") return "_files -/";
  return takes_a_path(option) ? "_files" : " ";
}

}  // namespace

std::string man_page(const program_description& program) {
  std::string text = fmt::format(
      ".TH OVERTURE 1 \"\" \"Overture {}\"\n.SH NAME\noverture \\- load games and see where the "
      "time goes\n.SH SYNOPSIS\n.B overture\n.I COMMAND\n[\\fIOPTIONS\\fR] \\fIMOUNT\\fR...\n"
      ".SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      program.version, roff(program.introduction));
  for (const command_description& command : program.commands) text += man_command(command);
  return text;
}

std::string bash_completion(const program_description& program) {
  std::string text = fmt::format(R"(# bash completion for overture
_overture() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "{} --help --version" -- "$word")
    return
  fi
  case $command in
)",
                                 names_of(program));
  for (const command_description& command : program.commands) {
    const auto named = named_options(command);
    text += fmt::format("    {})\n      options=\"{}\"\n", command.name, words_of(named));
    std::string cases;
    for (const option_description* const option : named) {
      if (option->value.empty() || takes_a_path(*option)) continue;
      cases += fmt::format("        {})\n", fmt::join(option->names, " | "));
      // Nothing is offered where only the user can know.
      if (!option->choices.empty()) {
        cases += fmt::format("          mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$word\")\n",
                             fmt::join(option->choices, " "));
      }
      cases += "          return\n          ;;\n";
    }
    if (!cases.empty()) text += "      case $before in\n" + cases + "      esac\n";
    text += "      ;;\n";
  }
  return text + fmt::format(R"(    help)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$word")
      return
      ;;
  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}}
complete -F _overture overture
)",
                            names_of(program));
}

std::string zsh_completion(const program_description& program) {
  std::string text = "#compdef overture\n\n_overture() {\n  local -a commands\n  commands=(\n";
  text += "    'help:explain a command and its options'\n";
  for (const command_description& command : program.commands) {
    text += fmt::format(
        "    {}\n",
        in_single_quotes(zsh_text(command.name) + ':' + zsh_text(command.summary), "'\\''"));
  }
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
      "    help) _describe command commands ;;\n";
  for (const command_description& command : program.commands) {
    text += fmt::format("    {})\n      _arguments -S", command.name);
    for (const option_description* const option : named_options(command)) {
      for (const std::string& name : option->names) {
        std::string spec = fmt::format("*{}[{}]", name, zsh_text(option->description));
        if (!option->value.empty()) {
          spec += fmt::format(":{}:{}", zsh_text(option->value), zsh_action(*option));
        }
        text += " \\\n        " + in_single_quotes(spec, "'\\''");
      }
    }
    text += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return text + "  esac\n}\n\n_overture \"$@\"\n";
}

std::string fish_completion(const program_description& program) {
  const auto quoted = [](const std::string& text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '\\') escaped += '\\';
      escaped += c;
    }
    return in_single_quotes(escaped, "\\'");
  };
  std::string text = "# fish completion for overture\n";
  const std::string first = "complete -c overture -n __fish_use_subcommand -f -a ";
  text += first + "help -d 'explain a command and its options'\n";
  for (const command_description& command : program.commands) {
    text += fmt::format("{}{} -d {}\n", first, command.name, quoted(command.summary));
  }
  text += fmt::format("complete -c overture -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                      names_of(program));
  for (const command_description& command : program.commands) {
    const std::string here =
        fmt::format("complete -c overture -n '__fish_seen_subcommand_from {}'", command.name);
    for (const option_description* const option : named_options(command)) {
      std::string line = here;
      for (const std::string& name : option->names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option->choices.empty()) {
        line += fmt::format(" -x -a '{}'", fmt::join(option->choices, " "));
      } else if (takes_a_path(*option)) {
        line += " -r -F";
      } else if (!option->value.empty()) {
        line += " -x";
      }
      text += fmt::format("{} -d {}\n", line, quoted(option->description));
    }
  }
  return text;
}

}  // namespace overture::cli
