// SPDX-License-Identifier: Zlib
#include "terminal/help_pages.hpp"

#include <gtest/gtest.h>

#include "commands/command.hpp"

namespace overture::cli::help_pages_test {
namespace {

program_description small_program() {
  command_description command{.name = "load",
                              .summary = "load it's all",
                              .usage = "overture load MOUNT...",
                              .description = ".hidden is a name, C:\\x too",
                              .examples = "  overture load base\n",
                              .footer = "Exit status\n  0  fine\n\nFiles\n  none\n",
                              .options = {}};
  command.options = {{.names = {"MOUNT"}, .description = "a folder", .positional = true},
                     {.names = {"-q", "--quiet"}, .description = "print [nothing]: it's quiet"},
                     {.names = {"--to"}, .value = "DIR", .description = "where"},
                     {.names = {"--order"},
                      .value = "HOW",
                      .description = "by what",
                      .choices = {"bytes", "nocase"}},
                     {.names = {"--threads"}, .value = "N", .description = "how many"}};
  return {.version = "1.2", .introduction = "Two words.\n", .commands = {command}};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(help_pages, man_escapes_what_roff_takes_for_commands) {
  const std::string page = man_page(small_program());
  EXPECT_TRUE(has(page, ".TH OVERTURE 1 \"\" \"Overture 1.2\"\n")) << page;
  EXPECT_TRUE(has(page, "\n\\&.hidden is a name, C:\\ex too\n")) << page;
  EXPECT_TRUE(has(page, ".TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nprint [nothing]: it's quiet\n"))
      << page;
  EXPECT_TRUE(has(page, "\\fB\\-\\-to\\fR \\fIDIR\\fR\nwhere\n")) << page;
  EXPECT_TRUE(has(page, ".I Exit status\n.nf\n  0  fine\n.fi\n.PP\n.I Files\n.nf\n  none\n.fi\n"))
      << page;
}

TEST(help_pages, bash_offers_choices_or_files_or_nothing) {
  const std::string script = bash_completion(small_program());
  EXPECT_TRUE(has(script, "options=\"-q --quiet --to --order --threads\"\n")) << script;
  EXPECT_TRUE(
      has(script, "--order)\n          mapfile -t COMPREPLY < <(compgen -W \"bytes nocase\""))
      << script;
  EXPECT_TRUE(has(script, "--threads)\n          return\n")) << script;
  EXPECT_FALSE(has(script, "--to)")) << script;
}

TEST(help_pages, zsh_quotes_what_its_specifications_take_for_syntax) {
  const std::string script = zsh_completion(small_program());
  EXPECT_TRUE(has(script, "'*--quiet[print \\[nothing\\]\\: it'\\''s quiet]'")) << script;
  EXPECT_TRUE(has(script, "'*--order[by what]:HOW:(bytes nocase)'")) << script;
  EXPECT_TRUE(has(script, "'*--to[where]:DIR:_files -/'")) << script;
}

TEST(help_pages, fish_tells_options_with_a_value_from_flags) {
  const std::string script = fish_completion(small_program());
  const std::string here = "complete -c overture -n '__fish_seen_subcommand_from load'";
  EXPECT_TRUE(has(script, here + " -s q -l quiet -d 'print [nothing]: it\\'s quiet'\n")) << script;
  EXPECT_TRUE(has(script, here + " -l order -x -a 'bytes nocase' -d 'by what'\n")) << script;
  EXPECT_TRUE(has(script, here + " -l to -r -F -d 'where'\n")) << script;
  EXPECT_TRUE(has(script, here + " -l threads -x -d 'how many'\n")) << script;
}

TEST(help_pages, have_every_command_and_its_options) {
  const program_description program = describe_program();
  ASSERT_EQ(program.commands.size(), commands().size());
  const std::string pages[] = {bash_completion(program), zsh_completion(program),
                               fish_completion(program)};
  for (const std::string& page : pages) {
    for (const command_description& command : program.commands) {
      EXPECT_FALSE(command.options.empty()) << command.name;
      EXPECT_TRUE(has(page, command.name)) << page;
    }
    for (const char* const word : {"archives-in", "file-time-max", "removal-markers"}) {
      EXPECT_TRUE(has(page, word)) << word;
    }
  }
}

}  // namespace
}  // namespace overture::cli::help_pages_test
