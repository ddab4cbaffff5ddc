// SPDX-License-Identifier: Zlib
//
// The tree of folders and archives: look-ups (vfs_lookup.cpp), mounting and freezing
// (vfs_mount.cpp), opening, mapping and writing (vfs_work.cpp).
#include "options.hpp"
#include "vfs_parts.hpp"

int main(int count, char** words) {
  std::vector<std::size_t> entries = {1'000, 10'000, 100'000, 1'000'000};
  int rounds = 9;
  std::string json;
  std::string games = bench::default_games_folder();
  std::vector<std::string> only;
  bench::options line("Measures the tree of folders and archives", rounds, json);
  line.numbers("--entries", entries, "numbers of paths in the tree, for look-ups",
               {.least = 1'000, .most = 4'000'000});
  line.word("--games", games, "the folder that ./dev games fills");
  line.words("--only", only, "measure only these parts",
             {"lookup", "open", "mount", "freeze", "write", "games"});
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  bench::results out("vfs");
  const auto wanted = [&](const char* part) { return bench::is_wanted(only, part); };
  if (wanted("open")) bench::measure_opens(out, rounds);  // first, as it forks
  if (wanted("lookup")) bench::measure_lookups(out, rounds, entries);
  if (wanted("mount")) bench::measure_mounts(out, rounds);
  if (wanted("freeze")) bench::measure_freeze(out, rounds);
  if (wanted("write")) bench::measure_writes(out, rounds);
  if (wanted("games")) bench::measure_games(out, rounds, games);
  return out.finish(json);
}
