// SPDX-License-Identifier: Zlib
//
// Look-ups and opens in archives: alone, on two threads, beside an enumeration, under many mods.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>

#include "physfs_parts.hpp"
#include "process.hpp"
#include "vfs_parts.hpp"
#include "vfs_tools.hpp"

namespace bench {
namespace {

using names = std::vector<std::string>;
using steady = std::chrono::steady_clock;

struct question {
  const char* name;
  bool is_missing;
  void (*ask)(const physfs_library&, const names&);
};

void ask_exists(const physfs_library& library, const names& asked) {
  std::uint64_t found = 0;
  for (const std::string& path : asked) found += library.exists(path.c_str()) != 0;
  keep(found);
}

void ask_open(const physfs_library& library, const names& asked) {
  for (const std::string& path : asked) {
    PHYSFS_File* const file = library.openRead(path.c_str());
    library.must(file != nullptr, "open " + path);
    library.close(file);
  }
}

constexpr std::array questions = {question{"exists hit", false, ask_exists},
                                  question{"exists miss", true, ask_exists},
                                  question{"open + close", false, ask_open}};

// The paths of a generated archive in random order, or names that their folders lack. Runs that
// follow each other ask for different ones, as a game does: some libraries find again at once what
// they have just found.
class asked_names {
 public:
  asked_names(names paths, std::size_t each_time, const question& of)
      : paths_(std::move(paths)), each_time_(std::min(each_time, paths_.size())) {
    std::mt19937_64 random{static_cast<std::uint64_t>(&of - questions.data())};
    std::shuffle(paths_.begin(), paths_.end(), random);
    if (of.is_missing) {
      for (std::string& path : paths_) path += ".absent";
    }
  }
  [[nodiscard]] names next() {
    if (at_ + each_time_ > paths_.size()) at_ = 0;
    const auto first = paths_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += each_time_;
    return {first, first + static_cast<std::ptrdiff_t>(each_time_)};
  }

 private:
  names paths_;
  std::size_t each_time_;
  std::size_t at_ = 0;
};

// Nanoseconds of processor time.
double ns_of(const std::function<void()>& run, std::size_t operations) {
  const double begin = cpu_seconds();
  run();
  return (cpu_seconds() - begin) * 1e9 / static_cast<double>(operations);
}

}  // namespace

void measure_physfs_lookups(results& out, int rounds, const physfs_libraries& libraries) {
  const folder_of_its_own folder;
  struct size {
    const char* name;
    std::size_t entries, asked;
    double over_system, over_main;
  };
  for (const size& each : {size{"4k", 4'000, 4'000, 3, 2}, size{"100k", 100'000, 300, 100, 50}}) {
    const names paths = names_of(each.entries);
    const std::string archive =
        folder.write(std::string(each.name) + ".zip", archive_of(paths, "some content"));
    const std::vector<physfs_session> begun = sessions_of(libraries, {archive});
    for (const question& of : questions) {
      asked_names all(paths, each.asked, of);
      names asked = all.next();
      std::size_t runs = 0;
      compare(
          out, rounds, libraries,
          {std::string(of.name) + ", " + each.name + " entries", static_cast<double>(asked.size()),
           each.over_system, each.over_main},
          [&](const physfs_library& library) { of.ask(library, asked); },
          [&](const physfs_library&) {
            if (++runs % libraries.size() == 0) asked = all.next();
          });
    }
  }
}

void measure_physfs_threads(results& out, int rounds, const physfs_libraries& libraries) {
  const folder_of_its_own folder;
  const names paths = names_of(4'000);
  const std::string archive = folder.write("4k.zip", archive_of(paths, "some content"));
  for (const question& of : questions) {
    const names asked = asked_names(paths, 4'000, of).next();
    const auto ask = [&](const physfs_library& library) {
      for (int i = 0; i < 4; ++i) of.ask(library, asked);
    };
    const auto prepare = [&](const physfs_library& library) -> repeated_work {
      const auto begun = std::make_shared<physfs_session>(library, names{archive});
      return {[&, begun] { ask(library); }, [] {}};
    };
    // Two processes that share nothing show what the machine can do at once.
    std::vector<std::unique_ptr<process>> processes;
    for (const physfs_library& library : libraries) {
      for (int i = 0; i < 2; ++i) {
        processes.push_back(std::make_unique<process>([&] { return prepare(library); }));
      }
    }
    const std::vector<physfs_session> begun = sessions_of(libraries, {archive});
    std::vector<variant> variants;
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      const physfs_library& library = libraries[i];
      const std::array both = {processes[2 * i].get(), processes[2 * i + 1].get()};
      variants.push_back({library.name + ", two processes",
                          [=] {
                            for (process* const each : both) each->begin();
                            for (process* const each : both) each->finish();
                          },
                          [=] {
                            for (process* const each : both) each->settle();
                          }});
      variants.push_back({library.name + ", two threads", [&ask, &library] {
                            on_threads(2, 2, [&](unsigned, std::size_t) { ask(library); });
                          }});
    }
    interleave(variants, rounds, std::string(of.name) + " on two threads");
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      const std::string name = std::string(of.name) + ", 2 threads, " + libraries[i].name +
                               ": speed-up, x the machine's own";
      out.metric(name + ", by the clock",
                 ratio(variants[2 * i], variants[2 * i + 1], clock::wall).median);
      if (libraries[i].name == "ours") {
        out.goal(name, ratio(variants[2 * i], variants[2 * i + 1], clock::cpu), 0.95, false);
      }
    }
  }
}

namespace {

// Enumerates a large folder several times in a thread of its own.
class enumerations {
 public:
  enumerations(const physfs_library& library, const char* folder, int count)
      : left_(count), thread_([this, &library, folder] {
          has_begun_ = true;
          for (; left_ > 0; --left_) library.enumerate(folder, visit, nullptr);
        }) {
    while (!has_begun_) std::this_thread::yield();
  }
  ~enumerations() { thread_.join(); }
  enumerations(const enumerations&) = delete;
  enumerations& operator=(const enumerations&) = delete;
  [[nodiscard]] bool are_over() const { return left_ == 0; }

 private:
  static PHYSFS_EnumerateCallbackResult visit(void*, const char*, const char*) {
    return PHYSFS_ENUM_OK;
  }
  std::atomic<bool> has_begun_{false};
  std::atomic<int> left_;
  std::thread thread_;
};

struct open_times {
  double median, longest;
};

// Nanoseconds of an open and a close: of a thousand, or of all while the enumerations last. The
// clock goes on while a thread has no processor, which the median leaves out.
open_times times_of_opens(const physfs_library& library, const names& asked,
                          const enumerations* beside) {
  std::vector<double> all;
  auto before = steady::now();
  do {
    PHYSFS_File* const file = library.openRead(asked[all.size() % asked.size()].c_str());
    library.must(file != nullptr, "open");
    library.close(file);
    const auto after = steady::now();
    all.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    before = after;
  } while (beside ? !beside->are_over() : all.size() < 1'000);
  return {spread_of(all).median, *std::max_element(all.begin(), all.end())};
}

}  // namespace

void measure_physfs_enumeration(results& out, int rounds, const physfs_libraries& libraries) {
  const folder_of_its_own folder;
  names many;
  for (int i = 0; i < 100'000; ++i) many.push_back("many/name" + std::to_string(i));
  const names paths = names_of(1'000);
  const names mounts = {folder.write("many.zip", archive_of(many)),
                        folder.write("1k.zip", archive_of(paths, "some content"))};
  for (const physfs_library& library : libraries) {
    const physfs_session begun(library, mounts);
    std::vector<double> alone, beside, longest;
    // The original takes seconds for each enumeration.
    const bool is_ours = library.name == "ours";
    for (int round = 0; round < (is_ours ? rounds : 1); ++round) {
      alone.push_back(times_of_opens(library, paths, nullptr).median);
      const enumerations others(library, "many", is_ours ? 3 : 1);
      const open_times times = times_of_opens(library, paths, &others);
      beside.push_back(times.median);
      longest.push_back(times.longest);
    }
    out.metric("open + close alone, " + library.name + ", ns", spread_of(alone).median);
    const std::string name = "open + close while 100k names are enumerated, " + library.name;
    out.metric(name + ", the longest, ns", spread_of(longest).median);
    if (is_ours) {
      out.goal(name + ": x alone", ratio(beside, alone), 1.1);
    } else {
      out.metric(name + ": x alone", ratio(beside, alone).median);
    }
  }
}

void measure_physfs_mods(results& out, int rounds, const physfs_libraries& libraries) {
  const folder_of_its_own folder;
  const names paths = names_of(4'000);
  const std::string base = folder.write("base.zip", archive_of(paths, "some content"));
  names mods;
  for (int m = 0; m < 100; ++m) {
    const std::string name = "mod" + std::to_string(m);
    names own;
    // In folders that the base game has too.
    for (int i = 0; i < 100; ++i) own.push_back("folder" + std::to_string(i) + "/some/" + name);
    mods.push_back(folder.write(name + ".zip", archive_of(own)));
  }
  const std::vector<physfs_session> begun = sessions_of(libraries, {base});
  for (const question& of : questions) {
    asked_names all(paths, 1'000, of);
    std::vector<std::vector<double>> without(libraries.size()), first(without), under(without);
    const auto ns_of_next = [&](const physfs_library& library) {
      const names asked = all.next();
      return ns_of([&] { of.ask(library, asked); }, asked.size());
    };
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < libraries.size(); ++i) {
        const physfs_library& library = libraries[i];
        (void)ns_of_next(library);
        without[i].push_back(ns_of_next(library));
        for (const std::string& mod : mods) {
          library.must(library.mount(mod.c_str(), nullptr, 0) != 0, "mount " + mod);
        }
        first[i].push_back(ns_of_next(library));
        under[i].push_back(ns_of_next(library));
        for (const std::string& mod : mods) library.unmount(mod.c_str());
      }
    }
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      const std::string what = std::string(of.name) + " under 100 mods, " + libraries[i].name;
      out.metric(what + ", the first 1,000, ns", spread_of(first[i]).median);
      out.metric(what + ", the next 1,000, ns", spread_of(under[i]).median);
      if (libraries[i].name == "ours") {
        out.goal(what + ": x without", ratio(under[i], without[i]), 1.1);
      } else {
        out.metric(what + ": x without", ratio(under[i], without[i]).median);
      }
    }
  }
}

}  // namespace bench
