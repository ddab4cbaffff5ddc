// SPDX-License-Identifier: Zlib
//
// overture boost: start packs, with which a game on PhysicsFS starts faster from a slow disk.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "games/boosting.hpp"
#include "games/game_program.hpp"
#include "games/programs.hpp"
#include "mounts/tree_arguments.hpp"
#include "overture/base/replace_file.hpp"
#include "system/exit_code.hpp"
#include "terminal/command_line.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/outputs.hpp"
#include "terminal/table.hpp"
#include "terminal/units.hpp"
#include "writing/working_folder.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* boost_usage =
    "overture boost record|run|list|clear|verify [--] [GAME [ARGS...]]";
constexpr const char* boost_help_command = "overture help boost";

constexpr const char* boost_examples = R"(  overture boost record -- supertux2
  overture boost run -- supertux2 --fullscreen
  overture boost list
)";

const std::string boost_footer = std::string(R"(What it does
  record  runs the game once, notes the files that it opens until you end it,
          and writes them into a start pack in that order
  run     runs the game with its pack: one thread reads it from front to back,
          ahead of the game; a file that has changed is read from where it is.
          Record again when the game was updated
  list    shows the packs, and how many of their files are current
  clear   deletes the pack of GAME, or all packs
  verify  reads the pack of GAME, or all, and checks every byte

The game must use PhysicsFS as a shared library. Packs are in
~/.cache/overture/boost, or below $XDG_CACHE_HOME, for the user alone.

Exit status
  0  done; of record and run: that of the game
  1  verify: a pack is damaged
  2  invalid arguments
  3  the game, or libphysfs, could not be found
  5  a pack could not be written or deleted
)") + environment_footer;

struct boost_arguments {
  std::string verb;
  std::vector<std::string> game;  // the program and its arguments
  when colour = when::automatic;
};

std::optional<int> parse(std::vector<std::string> words, boost_arguments& into) {
  command_line line({.name = "boost",
                     .usage = boost_usage,
                     .description = "Record what a game on PhysicsFS reads while it starts, and "
                                    "start it from one file.",
                     .examples = boost_examples,
                     .footer = boost_footer});
  line.word({"WORD", "Arguments", "record, run, list, clear or verify"}, into.verb,
            one_of({"record", "run", "list", "clear", "verify"}));
  add_colour(line, into.colour);
  into.game = split_off_game(words, 1, {"--color"});
  if (const std::optional<int> over = line.parse(words)) return over;
  if (into.verb.empty())
    return line.usage_error("say what to do: record, run, list, clear or verify");
  const bool runs = into.verb == "record" || into.verb == "run";
  if (runs && into.game.empty()) {
    return line.usage_error(fmt::format("give the game: overture boost {} -- GAME", into.verb));
  }
  if (!runs && into.game.size() > (into.verb == "list" ? 0u : 1u)) {
    return print_usage_error(fmt::format("unexpected argument '{}'", printable(into.game.back())),
                             "", boost_help_command);
  }
  return std::nullopt;
}

bool is_there(const std::string& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() != fs::file_type::not_found;
}

// An empty file, on a disk that has room for more.
bool make_log(const std::string& path) {
  std::error_code failed;
  const std::string some(4096, '\0');
  const bool written = bool(std::ofstream(path, std::ios::binary) << some << std::flush);
  if (written) fs::resize_file(path, 0, failed);
  if (!written || failed) fs::remove(path, failed);
  return written && !failed;
}

// Runs the game and returns how it ended, with what it recorded.
program_end run_recorded(const boost_arguments& arguments, physfs_game& game,
                         const std::string& log, std::string& bytes) {
  game.environment.emplace_back("OVERTURE_BOOST_RECORD", log);
  program_end end = run_program(arguments.game, game.environment);
  if (!end.started) return end;
  wait_until_unlocked(log, [&] {
    print_warning(
        fmt::format("{} goes on in the background; the start pack is written when it "
                    "ends, or after Ctrl-C",
                    printable(game.program)));
  });
  std::ifstream file(log, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return end;
}

int record(const boost_arguments& arguments) {
  std::optional<physfs_game> game = find_physfs_game(arguments.game.front());
  if (!game) return exit_mount_failed;
  const std::string folder = pack_folder();
  if (!make_pack_folder(folder)) return exit_output_failed;
  const std::string pack = pack_of(folder, game->program);
  // Each recording has a log of its own, also of the same game at the same time.
  const working_folder own(folder);
  const std::string log = own.path() + "/log";
  if (!own.failure() || !make_log(log)) {
    print_error(fmt::format("{}: cannot write to it; is the disk full?", printable(folder)));
    return exit_output_failed;
  }
  std::string bytes;
  const program_end end = run_recorded(arguments, *game, log, bytes);
  if (!end.started) {
    print_error(fmt::format("{}: cannot start it ({})", printable(game->program), end.why));
    return exit_mount_failed;
  }
  const std::vector<boost_record> records = parse_records(bytes);
  if (records.empty()) {
    print_error(
        fmt::format("{} opened no file with PhysicsFS: it does not use it, or links it "
                    "statically, or ended before a program that it started did; no pack was "
                    "written",
                    printable(game->program)));
    return exit_mount_failed;
  }
  const std::optional<packed_files> done = write_pack(pack, game->program, records);
  if (!done) return exit_output_failed;
  std::string text =
      fmt::format("{}, {} in the start pack of {}", counted(done->files, "file", "files"),
                  human_bytes(static_cast<double>(done->bytes)), printable(game->program));
  if (done->left_out > 0) {
    text += fmt::format("; {} left out: too large, gone, or still changing",
                        counted(done->left_out, "file", "files"));
  }
  const int printed = print(text + "\nstart it with: overture boost run -- " +
                            printable(arguments.game.front()) + '\n');
  return printed == exit_ok ? end.status : printed;
}

// Without a pack that can be used, the game runs all the same.
// The library looks at each file, and reads those that have changed where they lie.
void warn_if_outdated(const std::string& pack, const std::string& game) {
  std::string why;
  const std::optional<pack_state> state = look_at_pack(pack, false, why);
  if (!state || state->files == 0 || state->current > 0) return;
  print_warning(fmt::format(
      "the start pack does not help: none of its {} is as it was recorded; record it again with: "
      "overture boost record -- {}",
      counted(state->files, "file", "files"), printable(game)));
}

int run(const boost_arguments& arguments) {
  std::optional<physfs_game> game = find_physfs_game(arguments.game.front());
  if (!game) return exit_mount_failed;
  const std::string folder = pack_folder();
  const std::string pack = pack_of(folder, game->program);
  std::string why = no_pack_folder;
  if (!folder.empty()) why = is_there(pack) ? why_unusable(pack) : "it has none yet";
  if (why.empty()) {
    warn_if_outdated(pack, arguments.game.front());
    game->environment.emplace_back("OVERTURE_BOOST_PACK", pack);
  } else {
    print_warning(
        fmt::format("{} runs without a start pack ({}); make one with: overture boost "
                    "record -- {}",
                    printable(game->program), why, printable(arguments.game.front())));
  }
  const std::string failed = become_program(arguments.game, game->environment);
  print_error(fmt::format("{}: cannot start it ({})", printable(game->program), failed));
  return exit_mount_failed;
}

std::optional<std::vector<std::string>> all_packs(const std::string& folder) {
  std::vector<std::string> packs;
  if (!is_there(folder)) return packs;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (each.path().extension() == ".pack") packs.push_back(each.path().string());
  }
  if (failed) {
    print_error(fmt::format("{}: cannot list it ({})", printable(folder), failed.message()));
    return {};
  }
  std::sort(packs.begin(), packs.end());
  return packs;
}

// Whether a pack is that of a game, which may be gone: by its path, or by its name alone.
bool is_pack_of(const std::string& pack, const std::string& game) {
  std::string why;
  const std::optional<pack_state> state = look_at_pack(pack, false, why);
  if (!state) return false;
  const fs::path program(state->program);
  std::error_code failed;
  return program.filename() == game || program == fs::absolute(game, failed).lexically_normal();
}

// The packs of the game, or all packs. Prints an error and returns nothing if the game has none.
std::optional<std::vector<std::string>> chosen(const boost_arguments& arguments) {
  const std::string folder = pack_folder();
  if (folder.empty()) {
    print_error(no_pack_folder);
    return {};
  }
  std::optional<std::vector<std::string>> packs = all_packs(folder);
  if (!packs || arguments.game.empty()) return packs;
  const std::string& game = arguments.game.front();
  const std::string program = find_program(game);
  if (!program.empty() && is_there(pack_of(folder, program))) return {{pack_of(folder, program)}};
  std::erase_if(*packs, [&](const std::string& pack) { return !is_pack_of(pack, game); });
  if (!packs->empty()) return packs;
  print_error(fmt::format("{} has no start pack", printable(game)));
  return {};
}

int show(const boost_arguments& arguments, bool verify) {
  const std::optional<std::vector<std::string>> packs = chosen(arguments);
  if (!packs) return exit_mount_failed;
  if (packs->empty())
    return print("no start packs; make one with: overture boost record -- GAME\n");
  table rows({{"files"}, {"current"}, {"size"}, {"state", align::left}, {"game", align::left}});
  bool damaged = false;
  for (const std::string& pack : *packs) {
    std::string why;
    const std::optional<pack_state> state = look_at_pack(pack, verify, why);
    if (!state) {
      damaged = true;
      rows.add({{"-"}, {"-"}, {"-"}, {why}, {printable(pack)}});
      continue;
    }
    damaged = damaged || state->damaged > 0;
    std::string text = verify ? "verified" : "";
    if (state->current < state->files / 2) text = "outdated: record it again";
    if (state->damaged > 0) text = fmt::format("{} damaged", state->damaged);
    rows.add({{fmt::format("{}", state->files)},
              {fmt::format("{}", state->current)},
              {human_bytes(static_cast<double>(state->bytes))},
              {text},
              {printable(state->program)}});
  }
  const outputs out(arguments.colour);
  const int printed = print(rows.render(out.style(stream::out)));
  return printed == exit_ok && verify && damaged ? exit_files_failed : printed;
}

bool remove_file(const fs::path& path) {
  std::error_code failed;
  fs::remove(path, failed);
  if (!failed) return true;
  print_error(fmt::format("{}: cannot delete it ({})", printable(path.string()), failed.message()));
  return false;
}

// Without a game, also what recordings that were killed have left.
int clear(const boost_arguments& arguments) {
  const std::optional<std::vector<std::string>> packs = chosen(arguments);
  if (!packs) return exit_mount_failed;
  for (const std::string& pack : *packs) {
    if (!remove_file(pack)) return exit_output_failed;
  }
  if (arguments.game.empty()) (void)sweep_temporaries(system_os(), pack_folder().c_str());
  return print(fmt::format("{} deleted\n", counted(packs->size(), "start pack", "start packs")));
}

}  // namespace

int cmd_boost(const std::vector<std::string>& words) {
  boost_arguments arguments;
  if (const std::optional<int> over = parse(words, arguments)) return *over;
  if (arguments.verb == "record") return record(arguments);
  if (arguments.verb == "run") return run(arguments);
  if (arguments.verb == "clear") return clear(arguments);
  return show(arguments, arguments.verb == "verify");
}

}  // namespace overture::cli
