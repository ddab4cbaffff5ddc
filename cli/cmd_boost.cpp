// overture boost: start packs, with which a game on PhysicsFS starts faster from a slow disk.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "boosting.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "display.hpp"
#include "exit_code.hpp"
#include "game_program.hpp"
#include "messages.hpp"
#include "outputs.hpp"
#include "programs.hpp"
#include "table.hpp"
#include "tree_arguments.hpp"
#include "units.hpp"

namespace overture::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* usage = "overture boost record|run|list|clear|verify [--] [GAME [ARGS...]]";
constexpr const char* help_command = "overture help boost";

constexpr const char* examples = R"(  overture boost record -- supertux2
  overture boost run -- supertux2 --fullscreen
  overture boost list
)";

const std::string footer = std::string(R"(What it does
  record  runs the game once, notes the files that it opens until you end it,
          and writes them into a start pack in that order
  run     runs the game with its pack: one thread reads it from front to back,
          ahead of the game; a file that has changed is read from where it is
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
                     .usage = usage,
                     .description = "Record what a game on PhysicsFS reads while it starts, and "
                                    "start it from one file.",
                     .examples = examples,
                     .footer = footer});
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
                             "", help_command);
  }
  return std::nullopt;
}

// The game, and its pack.
struct setting {
  physfs_game game;
  std::string pack;
};

std::optional<setting> prepare(const std::string& name) {
  std::optional<physfs_game> game = find_physfs_game(name);
  const std::string folder = game ? pack_folder() : "";
  if (folder.empty()) return {};
  const std::string pack = pack_of(folder, game->program);
  return setting{*std::move(game), pack};
}

int record(const boost_arguments& arguments) {
  std::optional<setting> how = prepare(arguments.game.front());
  if (!how) return exit_mount_failed;
  const std::string log = how->pack + ".log";
  std::error_code ignored;
  fs::remove(log, ignored);
  how->game.environment.emplace_back("OVERTURE_BOOST_RECORD", log);
  const program_end end = run_program(arguments.game, how->game.environment);
  if (!end.started) {
    print_error(fmt::format("{}: cannot start it ({})", printable(how->game.program), end.why));
    return exit_mount_failed;
  }
  std::ifstream file(log, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  fs::remove(log, ignored);
  const std::vector<boost_record> records = parse_records(bytes);
  if (records.empty()) {
    print_error(
        fmt::format("{} opened no file with PhysicsFS: it does not use it, or links it "
                    "statically; no pack was written",
                    printable(how->game.program)));
    return exit_mount_failed;
  }
  const std::optional<packed_files> done = write_pack(how->pack, how->game.program, records);
  if (!done) return exit_output_failed;
  std::string text =
      fmt::format("{}, {} in the start pack of {}", counted(done->files, "file", "files"),
                  human_bytes(static_cast<double>(done->bytes)), printable(how->game.program));
  if (done->left_out > 0) {
    text += fmt::format("; {} left out: too large, gone, or still changing",
                        counted(done->left_out, "file", "files"));
  }
  const int printed = print(text + "\nstart it with: overture boost run -- " +
                            printable(arguments.game.front()) + '\n');
  return printed == exit_ok ? end.status : printed;
}

int run(const boost_arguments& arguments) {
  std::optional<setting> how = prepare(arguments.game.front());
  if (!how) return exit_mount_failed;
  if (!fs::exists(how->pack)) {
    print_warning(
        fmt::format("{} has no start pack and runs without one; make one with: overture "
                    "boost record -- {}",
                    printable(how->game.program), printable(arguments.game.front())));
  }
  how->game.environment.emplace_back("OVERTURE_BOOST_PACK", how->pack);
  const std::string why = become_program(arguments.game, how->game.environment);
  print_error(fmt::format("{}: cannot start it ({})", printable(how->game.program), why));
  return exit_mount_failed;
}

// The packs of the game, or all packs. Prints an error and returns nothing if the game has none.
std::optional<std::vector<std::string>> chosen(const boost_arguments& arguments) {
  const std::string folder = pack_folder();
  if (folder.empty()) return {};
  std::vector<std::string> packs;
  if (!arguments.game.empty()) {
    const std::string program = find_program(arguments.game.front());
    packs.push_back(pack_of(folder, program));
    if (program.empty() || !fs::exists(packs.front())) {
      print_error(fmt::format("{} has no start pack", printable(arguments.game.front())));
      return {};
    }
    return packs;
  }
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

int show(const boost_arguments& arguments, bool verify) {
  const std::optional<std::vector<std::string>> packs = chosen(arguments);
  if (!packs) return exit_mount_failed;
  if (packs->empty())
    return print("no start packs; make one with: overture boost record -- GAME\n");
  using align = table::align;
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

int clear(const boost_arguments& arguments) {
  const std::optional<std::vector<std::string>> packs = chosen(arguments);
  if (!packs) return exit_mount_failed;
  for (const std::string& pack : *packs) {
    std::error_code failed;
    fs::remove(pack, failed);
    if (!failed) continue;
    print_error(fmt::format("{}: cannot delete it ({})", printable(pack), failed.message()));
    return exit_output_failed;
  }
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
