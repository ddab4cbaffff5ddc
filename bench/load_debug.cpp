// SPDX-License-Identifier: Zlib
//
// Runs the commands of two presets in turn. The times come from the command's own report.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "load_parts.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string output_of(const std::string& command) {
  struct close_pipe {
    void operator()(FILE* pipe) const { (void)pclose(pipe); }
  };
  const std::unique_ptr<FILE, close_pipe> pipe(popen(command.c_str(), "r"));
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe.get())) {
    text.append(piece, got);
  }
  return text;
}

// The time from the first file to the last, and the CPU time of all threads.
sample load_by_command(const fs::path& overture, const data_set& data, unsigned threads,
                       bool decode) {
  std::string command =
      fmt::format("{} load --json --threads {}", quoted(overture.string()), threads);
  if (!decode) command += " --no-decode";
  for (const fs::path& mount : data.mounts) command += ' ' + quoted(mount.string());
  const nlohmann::json report = nlohmann::json::parse(output_of(command));
  sample taken{report.at("seconds").get<double>(), 0};
  for (const nlohmann::json& core : report.at("cores")) {
    taken.cpu_s += core.at("cpu_seconds").get<double>();
  }
  return taken;
}

}  // namespace

void measure_debug(const data_set& data, unsigned threads, int rounds, results& into) {
  const fs::path builds = fs::read_symlink("/proc/self/exe").parent_path() / "../..";
  const fs::path release = builds / "release/bin/overture";
  const fs::path debug = builds / "dev/bin/overture";
  if (!fs::exists(debug) || !fs::exists(release)) {
    fmt::print(stderr,
               "debug: needs the command in two presets; run ./dev build bin/overture && "
               "./dev build --preset dev bin/overture\n");
    return;
  }
  for (const bool decode : {false, true}) {
    std::vector<double> wall[2];
    std::vector<double> cpu[2];
    for (int round = 0; round <= rounds; ++round) {
      for (int build = 0; build < 2; ++build) {
        const sample taken = load_by_command(build == 0 ? debug : release, data, threads, decode);
        if (round == 0) continue;
        wall[build].push_back(taken.wall_s);
        cpu[build].push_back(taken.cpu_s);
      }
    }
    const std::string prefix = fmt::format("{}, {} threads, preset dev{}: ", data.name, threads,
                                           decode ? ", decoded" : "");
    into.metric(prefix + "wall ms", spread_of(wall[0]).median * 1e3);
    into.metric(prefix + "release wall ms", spread_of(wall[1]).median * 1e3);
    into.goal(prefix + "wall, x release", ratio(wall[0], wall[1]), 6);
    into.goal(prefix + "cpu, x release", ratio(cpu[0], cpu[1]), 6);
  }
}

}  // namespace bench
