// The merged tree: looking up paths frozen, not frozen and while another thread mounts; and with
// vfs_work.cpp opening, mounting, freezing, mapping and writing.
//
//   hot      1,000 of the paths, again and again: streamed, and each waiting for the last
//   random   all paths in random order, beside the floor: the path's hash and two random lines
//   mounts   the same paths in 1, 10, 100 and 200 mounts
//   physfs   PHYSFS_exists over the same single archive, some thousand of the paths
#include <physfs.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <overture/file_system.hpp>
#include <random>
#include <thread>

#include "vfs_parts.hpp"

namespace {

using namespace overture;
using bench::archive_of;
using bench::keep;
using clock_type = std::chrono::steady_clock;

struct settings {
  std::size_t entries = 65'000;
  int rounds = 9;
  std::string json;
  std::string games;
  std::string part = "all";
};

// Paths spread over so many mounts.
struct mounted_tree {
  mounted_tree(const std::vector<std::string>& paths, std::size_t mounts) {
    for (std::size_t i = 0; i < mounts; ++i) {
      std::vector<std::string> share;
      for (std::size_t j = i; j < paths.size(); j += mounts) share.push_back(paths[j]);
      archives.push_back(archive_of(share));
    }
    for (const std::string& archive : archives) {
      if (!files.mount_memory("zip", std::as_bytes(std::span(archive)))) std::abort();
    }
  }
  std::vector<std::string> archives;
  file_system files;
};

// Nanoseconds for each of `asked`, once.
template <class Look>
double ns_each(const std::vector<std::string_view>& asked, Look look) {
  const auto begin = clock_type::now();
  std::uint64_t sum = 0;
  for (const std::string_view path : asked) sum += look(path);
  const std::chrono::duration<double, std::nano> took = clock_type::now() - begin;
  keep(sum);
  return took.count() / static_cast<double>(asked.size());
}

std::uint64_t exists(file_system& files, std::string_view path) {
  return files.exists({path, {hash64(path)}}) ? 1 : 0;
}
std::uint64_t find(file_system& files, std::string_view path) {
  const result<entry_index> found = files.find({path, {hash64(path)}});
  return found ? *found : 0;
}

class lookup_bench {
 public:
  explicit lookup_bench(const settings& with) : with_(with) {
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < with.entries; ++i) {
      paths_.push_back("folder" + std::to_string(i % 500) + "/some/name" + std::to_string(i) +
                       ".dat");
    }
    random_.assign(paths_.begin(), paths_.end());
    std::shuffle(random_.begin(), random_.end(), random);
    for (int i = 0; i < 50; ++i) hot_.insert(hot_.end(), random_.begin(), random_.begin() + 1000);
    for (std::string& name : other_names_) name = "other/" + std::to_string(random());
    lines_.resize(2 * lines_each);
    for (line& one : lines_) one.value = random();
  }
  void run(bench::results& out);

 private:
  // As much memory as the names and as the slots of the default number of entries take.
  static constexpr std::size_t lines_each = 1u << 15;
  struct alignas(64) line {
    std::uint64_t value;
  };
  double floor_ns() {
    return ns_each(random_, [this](std::string_view path) {
      const std::uint64_t first = lines_[hash64(path) % lines_each].value;
      return lines_[lines_each + first % lines_each].value;
    });
  }
  // The next path depends on the answer for the last.
  double waiting_ns(file_system& files) {
    std::uint64_t answer = 1;
    const std::vector<std::string_view>& asked = hot_;
    const auto begin = clock_type::now();
    for (std::size_t i = 0; i + 1 < asked.size(); ++i)
      answer = exists(files, asked[i + 1 - answer]);
    const std::chrono::duration<double, std::nano> took = clock_type::now() - begin;
    keep(answer);
    return took.count() / static_cast<double>(asked.size());
  }
  void physfs(bench::results& out, const std::string& archive);

  settings with_;
  std::vector<std::string> paths_;
  std::vector<std::string_view> random_;
  std::vector<std::string_view> hot_;
  std::vector<std::string> other_names_ = std::vector<std::string>(1000);
  std::vector<line> lines_;
};

void lookup_bench::physfs(bench::results& out, const std::string& archive) {
  const std::vector<std::string_view> few(random_.begin(), random_.begin() + 3000);
  if (!PHYSFS_init("bench_vfs")) return;
  if (PHYSFS_mountMemory(archive.data(), archive.size(), nullptr, "a.zip", nullptr, 0)) {
    out.metric("physfs, 1 mount, random, ns", ns_each(few, [](std::string_view path) {
                 return static_cast<std::uint64_t>(PHYSFS_exists(std::string(path).c_str()));
               }));
  }
  PHYSFS_deinit();
}

void lookup_bench::run(bench::results& out) {
  std::vector<std::unique_ptr<mounted_tree>> live;
  std::vector<std::unique_ptr<mounted_tree>> frozen;
  for (const std::size_t mounts : {1u, 10u, 100u, 200u}) {
    live.push_back(std::make_unique<mounted_tree>(paths_, mounts));
    frozen.push_back(std::make_unique<mounted_tree>(paths_, mounts));
    if (!frozen.back()->files.freeze()) std::abort();
  }
  const std::string other = archive_of(other_names_);
  std::vector<double> floor, all[2][4], busy, hot[2], waiting[2];
  const auto look = [](file_system& files, bool is_frozen) {
    return [&files, is_frozen](std::string_view path) {
      return is_frozen ? find(files, path) : exists(files, path);
    };
  };
  for (int round = 0; round < with_.rounds; ++round) {
    floor.push_back(floor_ns());
    for (std::size_t i = 0; i < 4; ++i) {
      for (const bool is_frozen : {false, true}) {
        file_system& files = (is_frozen ? frozen : live)[i]->files;
        all[is_frozen][i].push_back(ns_each(random_, look(files, is_frozen)));
      }
    }
    std::atomic<bool> over{false};
    std::thread mounting([&] {
      while (!over) {
        const auto id = live[0]->files.mount_memory("zip", std::as_bytes(std::span(other)));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (id) (void)live[0]->files.unmount(*id);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    double sum = 0;
    for (int i = 0; i < 5; ++i) sum += ns_each(random_, look(live[0]->files, false)) / 5;
    busy.push_back(sum);
    over = true;
    mounting.join();
    for (const bool is_frozen : {false, true}) {
      file_system& files = (is_frozen ? frozen : live)[0]->files;
      hot[is_frozen].push_back(ns_each(hot_, look(files, is_frozen)));
      waiting[is_frozen].push_back(waiting_ns(files));
    }
  }
  const auto median = [](const std::vector<double>& of) { return bench::spread_of(of).median; };
  out.metric("floor, random, ns", median(floor));
  for (const bool is_frozen : {false, true}) {
    const std::string state = is_frozen ? "frozen" : "live";
    const char* const counts[] = {"1", "10", "100", "200"};
    for (std::size_t i = 0; i < 4; ++i) {
      out.metric(state + ", " + counts[i] + " mounts, random, ns", median(all[is_frozen][i]));
    }
    out.goal(state + ", hot set streamed, ns", bench::spread_of(hot[is_frozen]), 60);
    out.goal(state + ", hot set waiting for the last, ns", bench::spread_of(waiting[is_frozen]),
             100);
    out.goal(state + ", random / floor", bench::ratio(all[is_frozen][0], floor), 1.5);
    out.goal(state + ", 200 mounts / 1", bench::ratio(all[is_frozen][3], all[is_frozen][0]), 1.1);
  }
  out.goal("live while another thread mounts / frozen", bench::ratio(busy, all[true][0]), 1.5);
  physfs(out, live[0]->archives[0]);
}

}  // namespace

int main(int count, char** words) {
  settings with;
  CLI::App app{"The tree of folders and archives."};
  app.add_option("--entries", with.entries, "paths in the tree, at most 65000");
  app.add_option("--rounds", with.rounds);
  app.add_option("--json", with.json);
  app.add_option("--games", with.games, "the folder that `./dev games` fills");
  app.add_option("--part", with.part, "all, lookup, open, mount, freeze, write or games");
  CLI11_PARSE(app, count, words);
  with.entries = std::clamp<std::size_t>(with.entries, 1000, 65'000);
  bench::results out("vfs");
  const auto wanted = [&](const char* part) { return with.part == "all" || with.part == part; };
  if (wanted("open")) bench::measure_opens(out, with.rounds);  // first: it makes processes
  if (wanted("lookup")) lookup_bench(with).run(out);
  if (wanted("mount")) bench::measure_mounts(out, with.rounds);
  if (wanted("freeze")) bench::measure_freeze(out, with.rounds);
  if (wanted("write")) bench::measure_writes(out, with.rounds);
  if (wanted("games") && !with.games.empty()) {
    bench::measure_games(out, with.rounds, with.games);
  }
  return out.finish(with.json);
}
