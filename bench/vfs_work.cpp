// SPDX-License-Identifier: Zlib
//
// Opening, mapping and writing.
#include "vfs_parts.hpp"

#include <fcntl.h>
#include <physfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <overture/vfs/file_system.hpp>
#include <overture/vfs/file_writer.hpp>
#include <random>
#include <stdexcept>
#include <thread>

#include "process.hpp"
#include "vfs_tools.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using namespace overture;

// --- Opening -------------------------------------------------------------------------------------

// Opens, reads and closes every `step`-th of the names from `first` on.
void open_all(file_system& files, const std::vector<std::string>& names, std::size_t first,
              std::size_t step) {
  std::byte room[512];
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < names.size(); i += step) {
    const opened_file opened = must(files.open(path_of(names[i])));
    const file_place& place = opened.place();
    const open_source from = must(files.source(place.source));
    const std::span<std::byte> bytes = std::span(room).first(place.read_bytes);
    must(read_fully(*from.os, from.handle, place.offset, bytes));
    sum += must(file_system::packed_part(place, bytes)).size();
  }
  keep(sum);
}

struct mounted_archive {
  explicit mounted_archive(const std::string& path) {
    must(files.mount(path.c_str()).map([](mount_id) {}));
    must(files.freeze());
  }
  file_system files;
};

}  // namespace

void measure_opens(results& out, int rounds) {
  const folder_of_its_own folder;
  std::vector<std::string> names = names_of(100'000);
  const std::string archive = folder.write("a.zip", archive_of(names, std::string(64, 'x')));
  std::shuffle(names.begin(), names.end(), std::mt19937_64(1));
  const auto half = [&](std::size_t which) {
    return [&, which] {
      auto tree = std::make_shared<mounted_archive>(archive);
      return repeated_work{[&, tree, which] { open_all(tree->files, names, which, 2); }, [] {}};
    };
  };
  process first{half(0)};
  process second{half(1)};
  mounted_archive tree(archive);
  std::vector<variant> variants = {
      {"one thread", [&] { open_all(tree.files, names, 0, 1); }},
      {"two threads",
       [&] {
         std::thread other([&] { open_all(tree.files, names, 0, 2); });
         open_all(tree.files, names, 1, 2);
         other.join();
       }},
      {"two processes",
       [&] {
         first.begin();
         second.begin();
         first.finish();
         second.finish();
       }},
  };
  interleave(variants, rounds, "opening");
  const double count = static_cast<double>(names.size());
  const double each_ns = time_of(variants[0], clock::wall).median / count * 1e9;
  out.metric("open + read + close of 100,000 entries, 1 thread, ns each", each_ns);
  out.metric("the same on 2 threads, ns each",
             time_of(variants[1], clock::wall).median / count * 1e9);
  out.goal("2 threads, speed / two processes'", ratio(variants[2], variants[1], clock::wall), 0.97,
           false);

  const std::vector<double> theirs = in_process([&] {
    if (!PHYSFS_init("bench_vfs") || !PHYSFS_mount(archive.c_str(), nullptr, 0)) std::abort();
    // PhysFS moves the entries it finds to the front, so each round asks for other names.
    constexpr std::size_t asked = 3000;
    std::vector<double> ns;
    for (int round = 0; round < 3; ++round) {
      const std::uint64_t begin = now_ns();
      for (std::size_t i = 0; i < asked; ++i) {
        const std::string& name = names[static_cast<std::size_t>(round) * asked + i];
        PHYSFS_File* const file = PHYSFS_openRead(name.c_str());
        char room[64];
        if (!file || PHYSFS_readBytes(file, room, sizeof room) != sizeof room) std::abort();
        PHYSFS_close(file);
      }
      ns.push_back(static_cast<double>(now_ns() - begin) / static_cast<double>(asked));
    }
    return ns;
  });
  const double physfs_ns = spread_of(theirs).median;
  out.metric("physfs, open + read + close, ns each", physfs_ns);
  const double speed = physfs_ns / each_ns;
  out.goal("physfs / open + read + close", {speed, speed, speed}, 10, false);
}

// --- Writing -------------------------------------------------------------------------------------

void measure_writes(results& out, int rounds) {
  constexpr int threads = 4;
  constexpr int files_each = 2000;
  const folder_of_its_own folder;
  const std::string content(2048, 'x');
  const auto clear = [&] {
    fs::remove_all(folder / "w");
    for (int t = 0; t < threads; ++t) fs::create_directories(folder / ("w/" + std::to_string(t)));
  };
  clear();
  file_system files;
  const mount_id mount = must(files.mount((folder / "w").c_str(), {.writable = true}));
  const auto name = [](int thread, int i) {
    return std::to_string(thread) + "/file" + std::to_string(i);
  };
  const auto on_four = [&](auto write) {
    std::vector<std::thread> running;
    running.reserve(threads);
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        for (int i = 0; i < files_each; ++i) write(name(t, i));
      });
    }
    for (std::thread& each : running) each.join();
  };
  // Keeps the folders, because the mount holds its folder open.
  const auto empty = [&] {
    for (int t = 0; t < threads; ++t) {
      for (int i = 0; i < files_each; ++i) fs::remove(folder / ("w/" + name(t, i)));
    }
  };
  std::vector<variant> variants = {
      {"file_writer",
       [&] {
         on_four([&](const std::string& path) {
           file_writer writer = must(
               file_writer::open(files, mount, path_of(path), write_kind::create, {.sync = false}));
           must(writer.write(std::as_bytes(std::span(content))));
           must(writer.commit());
         });
       },
       empty},
      {"open, write, close",
       [&] {
         on_four([&](const std::string& path) {
           const int file = ::open((folder / ("w/" + path)).c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
           if (::write(file, content.data(), content.size()) < 0 || ::close(file) != 0) {
             throw std::runtime_error("cannot write");
           }
         });
       },
       empty},
  };
  interleave(variants, rounds, "writing");
  out.metric("writing 4 x 2,000 files, ms", milliseconds(variants[0]));
  out.goal("writing, speed / open + write + close", ratio(variants[1], variants[0], clock::wall),
           0.9, false);
}

// --- Games ---------------------------------------------------------------------------------------

namespace {

std::vector<std::string> all_paths(file_system& files) {
  std::vector<std::string> paths;
  must(files.walk({}, [&](const folder_item& item) {
    paths.emplace_back(item.path);
    return true;
  }));
  return paths;
}

// Reads one byte of each page, the least that a user of the data does.
std::uint64_t touch(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 4096) sum += std::to_integer<unsigned>(bytes[i]);
  return sum;
}

void measure_warzone(results& out, int rounds, const std::string& archive) {
  counting_system os;
  file_system files({.os = &os});
  must(files.mount(archive.c_str(), {.immutable_source = true}).map([](mount_id) {}));
  os.calls = 0;
  const std::vector<std::string> paths = all_paths(files);
  for (const std::string& path : paths) must(files.stat(path_of(path)).map([](file_stat) {}));
  const double calls = static_cast<double>(os.calls);
  out.goal("base.wz, walk and stat, system calls", {calls, calls, calls}, 0);
  os.calls = 0;
  buffer_pool buffers;
  for (const std::string& path : paths) {
    must(files.read_all(path_of(path), buffers).map([](const blob&) {}));
  }
  const double reads = static_cast<double>(os.calls) / static_cast<double>(paths.size());
  out.goal("base.wz, load all, system calls for each file", {reads, reads, reads}, 1);

  std::vector<std::byte> room;
  std::vector<variant> variants = {
      {"map",
       [&] {
         std::uint64_t sum = 0;
         for (const std::string& path : paths) sum += touch(must(files.map(path_of(path))).span());
         keep(sum);
       }},
      {"read",
       [&] {
         std::uint64_t sum = 0;
         for (const std::string& path : paths) {
           const opened_file opened = must(files.open(path_of(path)));
           const file_place& place = opened.place();
           const open_source from = must(files.source(place.source));
           if (room.size() < place.read_bytes) room.resize(place.read_bytes);
           const std::span<std::byte> bytes = std::span(room).first(place.read_bytes);
           must(read_fully(*from.os, from.handle, place.offset, bytes));
           sum += touch(bytes);
         }
         keep(sum);
       }},
  };
  interleave(variants, rounds, "base.wz");
  out.metric("base.wz, map and touch all pages, ms", milliseconds(variants[0]));
  out.metric("base.wz, read into one buffer and touch, ms", milliseconds(variants[1]));
  out.goal("base.wz, map, speed / a copying read", ratio(variants[1], variants[0], clock::wall), 2,
           false);
}

// One solid block of 1,000 files, read in the order of their names and then backwards.
void measure_solid(results& out) {
  const folder_of_its_own folder;
  for (int i = 0; i < 1000; ++i) {
    (void)folder.write("f" + std::to_string(i), std::to_string(i) + std::string(4000, 'x'));
  }
  const std::string archive = folder / "a.7z";
  const std::string make =
      "cd '" + (folder / "") +
      "' && $(command -v 7zz || command -v 7z) a -bd -ms=on a.7z 'f*' >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) {
    std::fprintf(stderr, "neither 7zz nor 7z is installed: skipped\n");
    return;
  }
  counting_system os;
  file_system files({.os = &os});
  must(files.mount(archive.c_str()).map([](mount_id) {}));
  std::vector<std::string> paths = all_paths(files);
  os.calls = 0;
  buffer_pool buffers;
  const std::uint64_t begin = now_ns();
  for (int backwards = 0; backwards < 2; ++backwards) {
    for (const std::string& path : paths) {
      must(files.read_all(path_of(path), buffers).map([](const blob&) {}));
    }
    std::reverse(paths.begin(), paths.end());
  }
  out.metric("7z, 1,000 files of one block, twice, ms",
             static_cast<double>(now_ns() - begin) / 1e6);
  const double calls = static_cast<double>(os.calls);
  out.goal("7z, 1,000 files of one block, twice: reads of the archive", {calls, calls, calls}, 2);
}

void measure_mods(results& out, int rounds, const std::string& archive) {
  file_system plain;
  must(plain.mount(archive.c_str()).map([](mount_id) {}));
  const std::vector<std::string> paths = all_paths(plain);
  file_system modded;
  must(modded.mount(archive.c_str()).map([](mount_id) {}));
  buffer_pool buffers;
  std::vector<std::string> mods;
  for (std::size_t m = 0; m < 100; ++m) {
    // Each mod overrides a file with the same bytes, so that loading is the same work.
    const std::string& path = paths[m * paths.size() / 100];
    const blob bytes = must(plain.read_all(path_of(path), buffers));
    mods.push_back(archive_of({path}, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  for (const std::string& mod : mods) {
    must(modded.mount_memory("mod", std::as_bytes(std::span(mod))).map([](mount_id) {}));
  }
  must(plain.freeze());
  must(modded.freeze());
  const auto load = [&](file_system& files) {
    return [&] {
      for (const std::string& path : paths)
        must(files.read_all(path_of(path), buffers).map([](const blob&) {}));
    };
  };
  std::vector<variant> variants = {{"100 mods", load(modded)}, {"none", load(plain)}};
  interleave(variants, rounds, "mods");
  out.goal("supertux, load with 100 mods / with none", ratio(variants[0], variants[1], clock::cpu),
           1.1);
}

}  // namespace

void measure_games(results& out, int rounds, const std::string& games) {
  measure_solid(out);
  const auto with = [&](const std::string& archive, auto measure) {
    if (fs::exists(archive)) return measure(out, rounds, archive);
    std::fprintf(stderr, "%s is missing: skipped\n", archive.c_str());
  };
  with(games + "/warzone/usr/share/games/warzone2100/base.wz", measure_warzone);
  with(games + "/packed/supertux.zip", measure_mods);
}

}  // namespace bench
