// A whole game, warm: Overture beside the floor of the hardware and beside PhysFS.
//
// The floor is pread, libdeflate and its CRC over all files, on the same number of threads, into
// buffers that are used again: what remains when everything else costs nothing. Overture does the
// same work (no decoding) and all the rest with it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <overture/overture.hpp>

#include "harness.hpp"
#include "references.hpp"

namespace {

namespace fs = std::filesystem;

struct data_set {
  std::string name;
  std::vector<fs::path> mounts;
  bool deflated = false;
};

// One configuration of Overture, used again for each round as a game would keep it.
class overture_load {
 public:
  overture_load(const std::vector<fs::path>& mounts, unsigned threads, bool recorded)
      : record_(recorded ? std::make_unique<overture::timeline>() : nullptr),
        jobs_({.workers = threads - 1, .record = record_.get()}),
        reads_(files_, {.threads = 4, .record = record_.get()}) {
    for (const fs::path& mount : mounts) check(files_.mount(mount.c_str()));
    check(files_.freeze());
  }

  void run(bool decode) {
    if (record_) check(record_->attach_thread("main"));
    overture::load_scope load(files_, reads_, jobs_, {.decode = decode, .buffers = &buffers_});
    check(load.start());
    while (!load.wait_for(std::chrono::seconds(10))) {
    }
    if (record_) record_->detach_thread();
    summary_ = load.summary();
    if (summary_.failed != 0 && !decode) throw std::runtime_error("files failed to load");
  }
  [[nodiscard]] const overture::load_summary& summary() const { return summary_; }

 private:
  template <class T>
  static void check(const overture::result<T>& outcome) {
    if (!outcome) throw std::runtime_error(outcome.error().reason);
  }
  overture::file_system files_;
  std::unique_ptr<overture::timeline> record_;
  overture::thread_pool jobs_;
  overture::read_queue reads_;
  overture::buffer_pool buffers_{{.kept_bytes_max = 256u << 20}};
  overture::load_summary summary_;
};

void measure_set(const data_set& data, unsigned threads, int rounds, bench::results& results) {
  bench::floor_reference floor(data.mounts);
  const bench::physfs_reference physfs(data.mounts);
  overture_load ours(data.mounts, threads, false);
  std::vector<bench::variant> variants = {
      {"overture", [&] { ours.run(false); }},
      {"floor", [&] { (void)floor.run(threads); }},
      {"physfs", [&] { (void)physfs.run(threads); }},
      {"physfs, 1 thread", [&] { (void)physfs.run(1); }},
  };
  bench::interleave(variants, rounds);
  using bench::clock;
  const std::string prefix = fmt::format("{}, {} threads: ", data.name, threads);
  for (const bench::variant& each : variants) {
    results.metric(prefix + each.name + " wall ms", time_of(each, clock::wall).median * 1e3);
    results.metric(prefix + each.name + " cpu ms", time_of(each, clock::cpu).median * 1e3);
  }
  results.metric(prefix + "files", static_cast<double>(ours.summary().files));
  results.metric(prefix + "unpacked MB", static_cast<double>(ours.summary().bytes) / 1e6);
  const bench::variant& self = variants[0];
  const double cpu_goal = data.deflated ? 1.05 : 1.10;
  results.goal(prefix + "cpu, x floor", ratio(self, variants[1], clock::cpu), cpu_goal);
  results.goal(prefix + "wall, x floor", ratio(self, variants[1], clock::wall), 1.10);
  const bench::spread to_physfs = ratio(variants[2], self, clock::wall);
  const bench::spread to_one_thread = ratio(variants[3], self, clock::wall);
  if (!data.deflated) {
    // Reading is all there is to do here: what PhysFS could be beaten by is its overhead.
    results.metric(prefix + "x faster than PhysFS", to_physfs.median);
    return;
  }
  results.goal(prefix + "x faster than PhysFS", to_physfs, 1.6, false);
  if (threads > 1) {
    results.goal(prefix + "x faster than PhysFS on one thread", to_one_thread, 3.0, false);
  }
}

void measure_timeline(const data_set& data, unsigned threads, int rounds, bench::results& results) {
  overture_load off(data.mounts, threads, false);
  overture_load on(data.mounts, threads, true);
  std::vector<bench::variant> variants = {
      {"on", [&] { on.run(false); }},
      {"off", [&] { off.run(false); }},
  };
  bench::interleave(variants, rounds);
  results.goal(fmt::format("{}, {} threads: timeline on / off, cpu", data.name, threads),
               ratio(variants[0], variants[1], bench::clock::cpu), 1.01);
}

// Sets under the folder that `./dev games` fills.
std::vector<data_set> known_sets(const fs::path& games) {
  std::vector<data_set> sets;
  const auto add_archives = [&](const char* name, const fs::path& folder, const char* ending,
                                bool deflated) {
    data_set found{name, {}, deflated};
    if (fs::is_directory(folder)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ending) found.mounts.push_back(entry.path());
      }
    }
    std::sort(found.mounts.begin(), found.mounts.end());
    if (!found.mounts.empty()) sets.push_back(found);
  };
  add_archives("openarena", games / "openarena/usr/share/games/openarena/baseoa", ".pk3", true);
  add_archives("supertux.zip", games / "packed", ".zip", true);
  add_archives("warzone", games / "warzone/usr/share/games/warzone2100", ".wz", false);
  const fs::path supertux = games / "supertux/usr/share/games/supertux2";
  if (fs::is_directory(supertux)) sets.push_back({"supertux", {supertux}, false});
  return sets;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Loads whole games, warm, beside the floor of the hardware and PhysFS");
  std::string json_path;
  std::string games = ".cache/games";
  std::vector<std::string> only;
  std::vector<std::string> mounts;
  std::vector<unsigned> thread_counts = {1, 2};
  int rounds = 25;
  app.add_option("--json", json_path, "write the results to this file");
  app.add_option("--games", games, "the folder that ./dev games fills")->envname("OVERTURE_GAMES");
  app.add_option("--only", only, "measure these sets only");
  app.add_option("--mount", mounts, "measure this overlay of folders and ZIPs instead");
  app.add_option("--threads", thread_counts, "numbers of threads");
  app.add_option("--rounds", rounds, "interleaved rounds")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  std::vector<data_set> sets = known_sets(games);
  if (!mounts.empty()) sets = {{"given", {mounts.begin(), mounts.end()}, true}};
  if (sets.empty()) {
    fmt::print(stderr, "error: no data in {}; run ./dev games first\n", games);
    return 1;
  }
  bench::results results("load");
  for (const data_set& data : sets) {
    if (!only.empty() && std::find(only.begin(), only.end(), data.name) == only.end()) continue;
    for (const unsigned threads : thread_counts) measure_set(data, threads, rounds, results);
    measure_timeline(data, thread_counts.back(), rounds, results);
  }
  return results.finish(json_path);
} catch (const std::exception& failure) {
  fmt::print(stderr, "error: {}\n", failure.what());
  return 1;
}
