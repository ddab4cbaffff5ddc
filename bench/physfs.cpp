// SPDX-License-Identifier: Zlib
//
// Libraries with PhysicsFS's interface: ours, the system's, and a newer version of the original if
// OVERTURE_PEERS has it. Without ours, the others are measured.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "options.hpp"
#include "physfs_parts.hpp"

namespace {

#ifndef BENCH_PHYSFS_OURS
#define BENCH_PHYSFS_OURS ""
#endif

std::string main_of_peers() {
  const char* const peers = std::getenv("OVERTURE_PEERS");
  const std::string path = std::string(peers ? peers : "") + "/physfs/build/libphysfs.so.1";
  return peers && std::filesystem::exists(path) ? path : "";
}

int measure(int count, char** words) {
  using namespace bench;
  int rounds = 7;
  std::string json, games = default_games_folder();
  std::string ours = BENCH_PHYSFS_OURS, system = BENCH_PHYSFS_SYSTEM, newer = main_of_peers();
  std::vector<std::string> only;
  bench::options line("Measures libraries with PhysicsFS's interface", rounds, json);
  line.word("--ours", ours, "our library");
  line.word("--system", system, "the system's library");
  line.word("--main", newer, "a library built from the original's main branch");
  line.word("--games", games, "the folder that ./dev games fills");
  line.words("--only", only, "measure only these parts",
             {"lookup", "threads", "mount", "read", "enumerate", "mods", "games"});
  if (const std::optional<int> over = line.parse(count, words)) return *over;

  physfs_libraries libraries;
  for (const auto& [name, path] : {std::pair("ours", ours), {"system", system}, {"main", newer}}) {
    if (!path.empty()) libraries.emplace_back(name, path);
  }
  results out("physfs");
  const auto wanted = [&](const char* part) { return is_wanted(only, part); };
  if (wanted("threads")) measure_physfs_threads(out, rounds, libraries);
  if (wanted("lookup")) measure_physfs_lookups(out, rounds, libraries);
  if (wanted("mount")) measure_physfs_mounts(out, rounds, libraries, games);
  if (wanted("read")) measure_physfs_reads(out, rounds, libraries);
  if (wanted("enumerate")) measure_physfs_enumeration(out, rounds, libraries);
  if (wanted("mods")) measure_physfs_mods(out, rounds, libraries);
  if (wanted("games")) measure_physfs_games(out, rounds, libraries, games);
  return out.finish(json);
}

}  // namespace

int main(int count, char** words) {
  try {
    return measure(count, words);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return 1;
  }
}
