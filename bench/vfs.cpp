// The tree of folders and archives: looking up (vfs_lookup.cpp), mounting and freezing
// (vfs_mount.cpp), opening, mapping and writing (vfs_work.cpp).
#include <CLI/CLI.hpp>

#include "vfs_parts.hpp"

int main(int count, char** words) {
  std::vector<std::size_t> entries = {1'000, 10'000, 100'000, 1'000'000};
  int rounds = 9;
  std::string json;
  std::string games;
  std::string part = "all";
  CLI::App app{"The tree of folders and archives."};
  app.add_option("--entries", entries, "look-ups: paths in the tree, several numbers")
      ->check(CLI::Range(1'000, 4'000'000));
  app.add_option("--rounds", rounds);
  app.add_option("--json", json);
  app.add_option("--games", games, "the folder that `./dev games` fills");
  app.add_option("--part", part, "all, lookup, open, mount, freeze, write or games");
  CLI11_PARSE(app, count, words);
  bench::results out("vfs");
  const auto wanted = [&](const char* one) { return part == "all" || part == one; };
  if (wanted("open")) bench::measure_opens(out, rounds);  // first: it makes processes
  if (wanted("lookup")) bench::measure_lookups(out, rounds, entries);
  if (wanted("mount")) bench::measure_mounts(out, rounds);
  if (wanted("freeze")) bench::measure_freeze(out, rounds);
  if (wanted("write")) bench::measure_writes(out, rounds);
  if (wanted("games")) bench::measure_games(out, rounds, games);
  return out.finish(json);
}
