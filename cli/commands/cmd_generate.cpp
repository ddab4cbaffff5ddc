// SPDX-License-Identifier: Zlib
//
// overture generate: prints the manual page or completions, for packages.
#include <optional>

#include "commands/command.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

namespace {

constexpr const char* generate_usage = "overture generate WHAT";

constexpr const char* generate_examples = R"(  overture generate man | man -l -
  overture generate bash > ~/.local/share/bash-completion/completions/overture
  overture generate fish > ~/.config/fish/completions/overture.fish
)";

constexpr const char* generate_footer = R"(Exit status
  0  it was printed
  2  invalid arguments
  5  output could not be written, or memory ran out
)";

}  // namespace

int cmd_generate(const std::vector<std::string>& words) {
  std::string what;
  command_line line({
      .name = "generate",
      .usage = generate_usage,
      .description = "Print the manual page of overture, or completions for a shell. An installed "
                     "overture has them already.",
      .examples = generate_examples,
      .footer = generate_footer,
  });
  line.word({"WHAT", "Output", "man, bash, zsh or fish"}, what,
            one_of({"man", "bash", "zsh", "fish"}));
  if (const std::optional<int> over = line.parse(words)) return *over;
  if (what.empty()) return line.usage_error("give one of man, bash, zsh, fish");
  const program_description program = describe_program();
  if (what == "bash") return print(bash_completion(program));
  if (what == "zsh") return print(zsh_completion(program));
  if (what == "fish") return print(fish_completion(program));
  return print(man_page(program));
}

}  // namespace overture::cli
