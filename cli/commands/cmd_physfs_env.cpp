// SPDX-License-Identifier: Zlib
//
// overture physfs-env: runs a game on PhysicsFS with Overture's libphysfs.so.1.
#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "games/game_calls.hpp"
#include "games/game_program.hpp"
#include "games/programs.hpp"
#include "mounts/tree_arguments.hpp"
#include "overture/base/os.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "writing/output_check.hpp"
#include "writing/output_file.hpp"
#include "writing/working_folder.hpp"

namespace overture::cli {

namespace {

constexpr const char* physfs_env_usage = "overture physfs-env [OPTIONS] [--] GAME [ARGS...]";

constexpr const char* physfs_env_examples = R"(  overture physfs-env -- warzone2100 --window
  overture physfs-env --report -- supertux2
  overture physfs-env --json calls.json -- supertux2
)";

const std::string physfs_env_footer = std::string(R"(What it does
  The game gets Overture's libphysfs.so.1 in place of the system's. A game that
  has PhysicsFS linked into it statically cannot have it: that is an error.

  With --report, another library between the game and libphysfs counts the
  calls. When the game ends, also by a signal, the report says what it opened,
  read and looked for, how long each of its threads was inside, and what to
  change in the game. Each call then takes about 0.1 us longer.

Exit status
  that of the game
  2  invalid arguments
  3  the game, or libphysfs, could not be found, or do not go together
  5  output could not be written
)") + environment_footer;

struct physfs_env_arguments {
  bool report = false;
  std::string json;
  std::vector<std::string> game;
  when colour = when::automatic;
  [[nodiscard]] bool counts() const { return report || !json.empty(); }
};

std::optional<int> parse(std::vector<std::string> words, physfs_env_arguments& into) {
  command_line line({.name = "physfs-env",
                     .usage = physfs_env_usage,
                     .description = "Run a game on PhysicsFS with Overture's libphysfs, and report "
                                    "what it calls.",
                     .examples = physfs_env_examples,
                     .footer = physfs_env_footer});
  line.flag({"--report", "Output", "when the game has ended, print what it called"}, into.report);
  line.word({"--json FILE", "Output", "write the report to FILE, as JSON"}, into.json);
  add_colour(line, into.colour);
  into.game = split_off_game(words, 0, {"--color", "--json"});
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.game.empty()) return line.usage_error("give the game: overture physfs-env -- GAME");
  return std::nullopt;
}

int cannot_start(const physfs_game& game, const std::string& why) {
  print_error(fmt::format("{}: cannot start it ({})", printable(game.program), why));
  return exit_mount_failed;
}

// A report of nothing replaces no other one.
int write_json(const std::string& path, known_output& before, const std::vector<game_calls>& all) {
  const result<file_status> old = system_os().status(path.c_str(), true);
  if (all.empty() && old && old->size > 0) {
    print_error(
        fmt::format("{}: there is nothing to report, so it is left as it is", printable(path)));
    return exit_output_failed;
  }
  const std::string text = game_calls_json(all);
  output_file file;
  const result<void> written =
      file.open(path)
          .and_then([&] {
            return write_fully(system_os(), file.file(), 0, std::as_bytes(std::span(text)));
          })
          .and_then([&] { return file.commit(before); });
  if (written) return exit_ok;
  print_error(fmt::format("{}: {}", printable(path), reason_of(written.error())));
  return exit_output_failed;
}

int run_and_report(physfs_game& game, const physfs_env_arguments& arguments,
                   known_output& old_report) {
  const working_folder folder;
  if (!folder.failure()) {
    print_error(fmt::format("no folder for temporary files ({}); name another in TMPDIR",
                            reason_of(folder.failure().error())));
    return exit_output_failed;
  }
  preload(game, game.library_folder + "/libphysfs_report.so");
  game.environment.emplace_back("OVERTURE_PHYSFS_REPORT", folder.path());
  const program_end end = run_program(arguments.game, game.environment);
  if (!end.started) return cannot_start(game, end.why);
  const std::vector<game_calls> all = read_game_calls(folder.path());
  if (all.empty()) {
    print_warning(fmt::format("{} called no function of PhysicsFS", printable(game.program)));
  }
  int printed = exit_ok;
  if (!arguments.json.empty()) printed = write_json(arguments.json, old_report, all);
  const outputs out(arguments.colour);
  for (const game_calls& each : all) {
    if (arguments.report && printed == exit_ok) {
      printed = print('\n' + game_calls_text(each, out.style(stream::out)));
    }
  }
  return printed == exit_ok ? end.status : printed;
}

}  // namespace

int cmd_physfs_env(const std::vector<std::string>& words) {
  physfs_env_arguments arguments;
  if (const std::optional<int> over = parse(words, arguments)) return *over;
  std::optional<physfs_game> game = find_physfs_game(arguments.game.front());
  if (!game) return exit_mount_failed;
  known_output old_report(arguments.json);
  const tree_arguments no_mounts;
  output_check check(no_mounts);
  check.reads("the game", game->program);
  check.writes_like("--json", arguments.json, game_calls_json_beginning);
  if (const int failed = check.run(); failed != exit_ok) return failed;
  if (arguments.counts()) return run_and_report(*game, arguments, old_report);
  return cannot_start(*game, become_program(arguments.game, game->environment));
}

}  // namespace overture::cli
