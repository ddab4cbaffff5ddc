// SPDX-License-Identifier: Zlib
//
// Loads whole games from the page cache: Overture compared with the limits of the machine and with
// what games do.
//
// Without decoding, the reference is the floor: pread, libdeflate and its CRC over all files, on
// the same number of threads, into reused buffers. That is what remains when everything else is
// free. With decoding, it is a plain loop that calls the same libraries.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "load_parts.hpp"
#include "options.hpp"

namespace {

namespace fs = std::filesystem;

using bench::data_set;

struct part {
  const char* name;
  void (*measure)(const data_set&, unsigned, int, bench::results&);
  bool for_each_thread_count;  // otherwise only for the last one
  bool decodes;
  int rounds_max;
};
constexpr int few = 5;  // for parts whose rounds hardly differ, or whose goal is far off
constexpr int any = INT_MAX;
constexpr part parts[] = {
    {"memory", bench::measure_memory, false, true, few},  // first, while this process is small
    {"plain", bench::measure_plain, true, false, any},
    {"decode", bench::measure_decode, false, true, any},
    {"timeline", bench::measure_timeline, false, false, any},
    {"assets", bench::measure_assets, false, true, few},
    {"debug", bench::measure_debug, false, true, few},
    {"pack", bench::measure_pack, false, false, any},
    {"layout", bench::measure_layout, false, false, few},
};

// The data sets in the folder that `./dev games` fills.
std::vector<data_set> known_sets(const fs::path& games) {
  std::vector<data_set> sets;
  const auto add_archives = [&](const char* name, const fs::path& folder, const char* ending,
                                bool deflated, bool decoded) {
    data_set found{name, {}, deflated, decoded};
    if (fs::is_directory(folder)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ending) found.mounts.push_back(entry.path());
      }
    }
    std::sort(found.mounts.begin(), found.mounts.end());
    if (!found.mounts.empty()) {
      sets.push_back(found);
    } else {
      fmt::print(stderr, "{} is missing: no {} in {}; run ./dev games\n", name, ending,
                 folder.string());
    }
  };
  add_archives("openarena", games / "openarena/usr/share/games/openarena/baseoa", ".pk3", true,
               true);
  // Not decoded by default: its images take over ten seconds a load and show nothing new.
  add_archives("supertux.zip", games / "packed", ".zip", true, false);
  add_archives("warzone", games / "warzone/usr/share/games/warzone2100", ".wz", false, true);
  const fs::path supertux = games / "supertux/usr/share/games/supertux2";
  if (fs::is_directory(supertux)) {
    sets.push_back({"supertux", {supertux}, false, false});
  }
  return sets;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string json_path;
  std::string games = bench::default_games_folder();
  std::vector<std::string> only;
  std::vector<std::string> only_parts;
  std::vector<std::string> mounts;
  std::vector<unsigned> thread_counts = {1, 2};
  int rounds = 25;
  bench::options line(
      "Loads whole games from the page cache, compared with the hardware floor and other loaders",
      rounds, json_path);
  line.word("--games", games, "the folder that ./dev games fills");
  line.words("--only", only, "measure only these sets (supertux is decoded only if it is named)",
             {"openarena", "supertux.zip", "warzone", "supertux"});
  line.words("--parts", only_parts,
             "measure only these parts: memory (the peak of a load), plain (no decoding, "
             "compared with the floor and PhysFS), decode (everything decoded and kept), timeline "
             "(the cost of recording), assets (through handles, and beside frames), debug (preset "
             "dev), pack (one ZIP of overture pack), layout (what a player needs first, on a "
             "simulated disk)",
             {"memory", "plain", "decode", "timeline", "assets", "debug", "pack", "layout"});
  line.words("--mount", mounts, "measure this overlay of folders and ZIP files instead");
  line.numbers("--threads", thread_counts,
               "thread counts; all parts except plain use only the last");
  if (const std::optional<int> over = line.parse(argc, argv)) return *over;

  const std::vector<data_set> sets =
      mounts.empty() ? known_sets(games)
                     : std::vector<data_set>{{"given", {mounts.begin(), mounts.end()}, true}};
  if (sets.empty()) {
    fmt::print(stderr, "error: no data in {}; run ./dev games first\n", games);
    return 1;
  }
  bench::results results("load");
  for (const part& each : parts) {
    if (!bench::is_wanted(only_parts, each.name)) continue;
    for (const data_set& data : sets) {
      if (!bench::is_wanted(only, data.name)) continue;
      if (each.decodes && !data.decoded && only.empty()) continue;
      for (const unsigned threads : thread_counts) {
        if (!each.for_each_thread_count && threads != thread_counts.back()) continue;
        each.measure(data, threads, std::min(rounds, each.rounds_max), results);
      }
    }
  }
  return results.finish(json_path);
} catch (const std::exception& failure) {
  fmt::print(stderr, "error: {}\n", failure.what());
  return 1;
}
