// SPDX-License-Identifier: Zlib
//
// Path look-ups: frozen, not frozen, and while another thread mounts and unmounts.
//
//   hot      1,000 paths over and over: streamed, and with each look-up waiting for the one before
//   random   paths in random order, compared with the floor (a hash of the path and two random
//            cache lines): with cold caches, and again at once
//   mounts   the same paths in 1, 10, 100 and 200 mounts
//   misses   missing names in folders that exist
//   physfs   PHYSFS_exists on the same archives, for a few thousand of the paths
#include <physfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <overture/vfs/file_system.hpp>
#include <random>
#include <thread>

#include "vfs_parts.hpp"

namespace bench {
namespace {

using namespace overture;

constexpr std::array<std::size_t, 4> mount_counts = {1, 10, 100, 200};
constexpr std::size_t asked_max = 200'000;
using texts = std::vector<std::string>;
using views = std::vector<std::string_view>;

// Paths spread over this many mounts.
struct mounted_tree {
  mounted_tree(const texts& paths, std::size_t mounts) {
    for (std::size_t i = 0; i < mounts; ++i) {
      texts share;
      for (std::size_t j = i; j < paths.size(); j += mounts) share.push_back(paths[j]);
      archives.push_back(archive_of(share));
    }
    for (const std::string& archive : archives) {
      if (!files.mount_memory("zip", std::as_bytes(std::span(archive)))) std::abort();
    }
  }
  texts archives;
  file_system files;
};

// Reads more than a core's caches hold, so that every pass starts cold.
void forget() {
  static const std::vector<std::uint64_t> memory((64u << 20) / sizeof(std::uint64_t), 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < memory.size(); i += 8) sum += memory[i];
  keep(sum);
}

// Nanoseconds for each path, in one pass over `asked`.
template <class Look>
double ns_at_once(const views& asked, Look look) {
  const std::uint64_t begin = now_ns();
  std::uint64_t sum = 0;
  for (const std::string_view path : asked) sum += look(path);
  const std::uint64_t took = now_ns() - begin;
  keep(sum);
  return static_cast<double>(took) / static_cast<double>(asked.size());
}
template <class Look>
double ns_each(const views& asked, Look look) {
  forget();
  return ns_at_once(asked, look);
}

std::uint64_t exists(file_system& files, std::string_view path) {
  return files.exists({path, {hash64(path)}}) ? 1 : 0;
}
std::uint64_t find(file_system& files, std::string_view path) {
  const result<entry_index> found = files.find({path, {hash64(path)}});
  return found ? *found : 0;
}

// Each path depends on the answer for the one before.
double waiting_ns(file_system& files, const views& asked) {
  std::uint64_t answer = 1;
  const std::uint64_t begin = now_ns();
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) answer = exists(files, asked[i + 1 - answer]);
  const std::uint64_t took = now_ns() - begin;
  keep(answer);
  return static_cast<double>(took) / static_cast<double>(asked.size());
}

// The hash of a path and two random cache lines, the second depending on the first, in as much
// memory as the names and slots of this many entries take.
class lookup_floor {
 public:
  lookup_floor(std::size_t entries, std::mt19937_64& random) : lines_each_(entries / 2) {
    lines_.resize(2 * lines_each_);
    for (line& one : lines_) one.value = random();
  }
  double ns(const views& asked) const {
    return ns_at_once(asked, [this](std::string_view path) {
      return lines_[lines_each_ + place(lines_[place(hash64(path))].value)].value;
    });
  }

 private:
  struct alignas(64) line {
    std::uint64_t value;
  };
  [[nodiscard]] std::size_t place(std::uint64_t value) const {
    return (value >> 32) * lines_each_ >> 32;
  }
  std::size_t lines_each_;
  std::vector<line> lines_;
};

std::string name_of_count(std::size_t count) {
  return count % 1'000'000 == 0 ? std::to_string(count / 1'000'000) + "M"
                                : std::to_string(count / 1'000) + "k";
}

double median(const std::vector<double>& of) {
  return spread_of(of).median;
}

// All measurements with this many entries.
class lookup_rounds {
 public:
  lookup_rounds(std::size_t entries, int rounds) : entries_(entries), rounds_(rounds) {
    for (std::size_t i = 0; i < entries; ++i) {
      const std::string folder = "folder" + std::to_string(i % 500) + "/some/";
      paths_.push_back(folder + "name" + std::to_string(i) + ".dat");
      if (i < asked_max) absent_.push_back(folder + "miss" + std::to_string(i) + ".dat");
    }
    hits_.assign(paths_.begin(), paths_.end());
    misses_.assign(absent_.begin(), absent_.end());
    for (views* const asked : {&hits_, &misses_}) {
      std::shuffle(asked->begin(), asked->end(), random_);
      asked->resize(std::min(asked->size(), asked_max));
    }
    const auto hot = static_cast<std::ptrdiff_t>(std::min<std::size_t>(1000, hits_.size()));
    for (int i = 0; i < 50; ++i) hot_.insert(hot_.end(), hits_.begin(), hits_.begin() + hot);
  }

  void frozen(results& out);
  void live(results& out);
  void physfs(results& out, std::size_t mounts);

 private:
  [[nodiscard]] std::string title(const std::string& state) const {
    return state + ", " + name_of_count(entries_) + " entries, ";
  }
  void hot(results& out, const std::string& state, file_system& files, bool is_frozen);
  [[nodiscard]] double ns_while_mounting(file_system& files);

  std::size_t entries_;
  int rounds_;
  std::mt19937_64 random_{1};
  texts paths_, absent_;
  views hits_, misses_, hot_;
};

void lookup_rounds::hot(results& out, const std::string& state, file_system& files,
                        bool is_frozen) {
  std::vector<double> streamed, waiting;
  for (int round = 0; round < rounds_; ++round) {
    streamed.push_back(ns_at_once(hot_, [&](std::string_view path) {
      return is_frozen ? find(files, path) : exists(files, path);
    }));
    waiting.push_back(waiting_ns(files, hot_));
  }
  out.goal(title(state) + "hot set streamed, ns", spread_of(streamed), 60);
  out.goal(title(state) + "hot set waiting for the last, ns", spread_of(waiting), 100);
}

void lookup_rounds::frozen(results& out) {
  std::vector<std::unique_ptr<mounted_tree>> trees;
  trees.reserve(mount_counts.size());
  for (const std::size_t mounts : mount_counts) {
    trees.push_back(std::make_unique<mounted_tree>(paths_, mounts));
    if (!trees.back()->files.freeze()) std::abort();
  }
  const lookup_floor floor(entries_, random_);
  std::vector<double> floor_ns, ns[2][mount_counts.size()], again_floor, again_frozen;
  for (int round = 0; round < rounds_; ++round) {
    forget();
    floor_ns.push_back(floor.ns(hits_));
    again_floor.push_back(floor.ns(hits_));
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const auto look = [&](std::string_view path) { return find(trees[i]->files, path); };
      ns[0][i].push_back(ns_each(hits_, look));
      if (i == 0) again_frozen.push_back(ns_at_once(hits_, look));
      ns[1][i].push_back(ns_each(misses_, look));
    }
  }
  out.metric(title("floor") + "ns", median(floor_ns));
  for (const int missing : {0, 1}) {
    const std::string what = missing != 0 ? "misses" : "hits";
    for (std::size_t i = 0; i < trees.size(); ++i) {
      out.metric(title("frozen") + std::to_string(mount_counts[i]) + " mounts, " + what + ", ns",
                 median(ns[missing][i]));
    }
    out.goal(title("frozen") + what + " in 1 mount / floor", ratio(ns[missing][0], floor_ns), 1.5);
    out.goal(title("frozen") + what + " in 200 mounts / floor", ratio(ns[missing][3], floor_ns),
             1.5);
    out.goal(title("frozen") + what + ", 200 mounts / 1", ratio(ns[missing][3], ns[missing][0]),
             1.1);
  }
  out.metric(title("floor") + "again at once, ns", median(again_floor));
  out.metric(title("frozen") + "again at once, ns", median(again_frozen));
  out.goal(title("frozen") + "again at once / floor", ratio(again_frozen, again_floor), 1.5);
  if (entries_ == 100'000) hot(out, "frozen", trees[0]->files, true);
}

double lookup_rounds::ns_while_mounting(file_system& files) {
  texts names(1000);
  for (std::string& name : names) name = "other/" + std::to_string(random_());
  const std::string other = archive_of(names);
  std::atomic<bool> over{false};
  std::thread mounting([&] {
    while (!over) {
      const auto id = files.mount_memory("zip", std::as_bytes(std::span(other)));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (id) (void)files.unmount(*id);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    sum += ns_each(hits_, [&](std::string_view path) { return exists(files, path); }) / 5;
  }
  over = true;
  mounting.join();
  return sum;
}

void lookup_rounds::live(results& out) {
  mounted_tree still(paths_, 1);
  if (!still.files.freeze()) std::abort();
  std::vector<std::unique_ptr<mounted_tree>> trees;
  trees.reserve(mount_counts.size());
  for (const std::size_t mounts : mount_counts) {
    trees.push_back(std::make_unique<mounted_tree>(paths_, mounts));
  }
  std::vector<double> ns[mount_counts.size()], missed[mount_counts.size()], busy, frozen, again[3];
  const auto look_still = [&](std::string_view path) { return find(still.files, path); };
  for (int round = 0; round < rounds_; ++round) {
    frozen.push_back(ns_each(hits_, look_still));
    again[0].push_back(ns_at_once(hits_, look_still));
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const auto look = [&](std::string_view path) { return exists(trees[i]->files, path); };
      ns[i].push_back(ns_each(hits_, look));
      if (i == 0) again[1].push_back(ns_at_once(hits_, look));
      if (i == 3) again[2].push_back(ns_at_once(hits_, look));
      missed[i].push_back(ns_each(misses_, look));
    }
    busy.push_back(ns_while_mounting(trees[0]->files));
  }
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const std::string mounts = std::to_string(mount_counts[i]) + " mounts, ";
    out.metric(title("live") + mounts + "hits, ns", median(ns[i]));
    out.metric(title("live") + mounts + "misses, ns", median(missed[i]));
  }
  out.goal(title("live") + "hits, 200 mounts / 1", ratio(ns[3], ns[0]), 1.1);
  out.goal(title("live") + "misses, 200 mounts / 1", ratio(missed[3], missed[0]), 1.1);
  out.goal(title("live") + "hits / frozen", ratio(ns[0], frozen), 1.5);
  out.goal(title("live") + "hits while another thread mounts / frozen", ratio(busy, frozen), 1.5);
  out.metric(title("live") + "again at once, ns", median(again[1]));
  out.goal(title("live") + "again at once / frozen", ratio(again[1], again[0]), 1.5);
  out.goal(title("live") + "again at once, 200 mounts / 1", ratio(again[2], again[1]), 1.1);
  hot(out, "live", trees[0]->files, false);
}

void lookup_rounds::physfs(results& out, std::size_t mounts) {
  const std::size_t asked = std::min<std::size_t>(hits_.size(), 3000);
  const views few(hits_.begin(), hits_.begin() + static_cast<std::ptrdiff_t>(asked));
  const mounted_tree tree(paths_, mounts);
  if (!PHYSFS_init("bench_vfs")) return;
  bool mounted = true;
  for (const std::string& archive : tree.archives) {
    const std::string name = "a" + std::to_string(&archive - tree.archives.data()) + ".zip";
    mounted = mounted && PHYSFS_mountMemory(archive.data(), archive.size(), nullptr, name.c_str(),
                                            nullptr, 1) != 0;
  }
  if (mounted) {
    out.metric(title("physfs") + std::to_string(mounts) + " mounts, hits, ns",
               ns_each(few, [](std::string_view path) {
                 return static_cast<std::uint64_t>(PHYSFS_exists(std::string(path).c_str()));
               }));
  }
  PHYSFS_deinit();
}

}  // namespace

void measure_lookups(results& out, int rounds, const std::vector<std::size_t>& entries) {
  for (const std::size_t count : entries) {
    lookup_rounds measured(count, rounds);
    measured.frozen(out);
    if (count == 100'000) measured.live(out);
    // With more, PhysFS takes minutes to mount: each entry walks a chain of all those before it.
    if (count <= 100'000) {
      for (const std::size_t mounts : {1u, 200u}) measured.physfs(out, mounts);
    }
  }
}

}  // namespace bench
