// SPDX-License-Identifier: Zlib
//
// Mounting and freezing.
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <physfs.h>
#include <unistd.h>

#include "process.hpp"
#include "vfs_parts.hpp"
#include "vfs_tools.hpp"

namespace bench {

namespace fs = std::filesystem;
using namespace overture;

namespace {

struct sized_archive {
  const char* name;  // the number of entries, as text
  std::size_t entries;
  std::string path = {};
};

// The first mount of a process, into memory fresh from the system, as in a game. In a series of
// mounts the smaller ones would reuse the memory of the one before.
sample first_mount(const std::string& archive) {
  const std::vector<double> seconds = in_process([&] {
    (void)malloc_trim(0);  // nor reuses what this process has freed
    file_system files;
    const std::uint64_t begin = now_ns();
    must(files.mount(archive.c_str()).map([](mount_id) {}));
    return std::vector<double>{static_cast<double>(now_ns() - begin) * 1e-9};
  });
  return {.wall_s = seconds.front()};
}

// Reports the times, which are in the order of `sizes`, and what an entry of the largest archive
// costs compared with an entry of each of the others.
void report_sizes(results& out, const std::string& what, const std::vector<variant>& measured,
                  const std::vector<sized_archive>& sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.metric(what + ", " + sizes[i].name + " entries, ms", milliseconds(measured[i]));
  }
  const std::size_t largest = sizes.size() - 1;
  for (std::size_t i = 0; i < largest; ++i) {
    std::vector<double> each = ratios(measured[largest], measured[i], clock::wall);
    for (double& value : each) {
      value *= static_cast<double>(sizes[i].entries) / static_cast<double>(sizes[largest].entries);
    }
    out.goal(what + ", each of " + sizes[largest].name + " / of " + sizes[i].name, spread_of(each),
             1.25);
  }
}

}  // namespace

void measure_mounts(results& out, int rounds) {
  const folder_of_its_own folder;
  std::vector<sized_archive> sizes = {
      {"4,000", 4'000}, {"100,000", 100'000}, {"1,000,000", 1'000'000}};
  std::vector<variant> first(sizes.size());
  std::vector<variant> again;
  for (sized_archive& size : sizes) {
    size.path = folder.write(std::string(size.name) + ".zip", archive_of(names_of(size.entries)));
    again.push_back({"mount", [&size] {
                       file_system files;
                       must(files.mount(size.path.c_str()).map([](mount_id) {}));
                     }});
  }
  const char* const smallest = sizes[0].path.c_str();
  counting_system os;
  {
    file_system files({.os = &os});
    must(files.mount(smallest).map([](mount_id) {}));
    const double calls = static_cast<double>(os.calls);
    out.goal("mount, 4,000 entries, system calls", {calls, calls, calls}, 6);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      first[i].samples.push_back(first_mount(sizes[i].path));
    }
  }
  report_sizes(out, "first mount", first, sizes);

  again.push_back({"physfs",
                   [&] {
                     if (!PHYSFS_mount(smallest, nullptr, 0)) std::abort();
                   },
                   [&] { PHYSFS_unmount(smallest); }});
  if (!PHYSFS_init("bench_vfs")) std::abort();
  interleave(again, rounds, "mounting");
  PHYSFS_deinit();
  report_sizes(out, "mount and unmount", again, sizes);
  out.metric("physfs, mount, 4,000 entries, ms", milliseconds(again.back()));
  out.goal("mount and unmount, 4,000 entries / physfs's mount",
           ratio(again.front(), again.back(), clock::wall), 0.25);
}

void measure_freeze(results& out, int rounds) {
  constexpr int mounts = 200;
  constexpr int files_each = 500;
  const folder_of_its_own folder;
  file_system files;
  std::vector<std::string> folders;
  for (int m = 0; m < mounts; ++m) {
    folders.push_back(folder / ("mod" + std::to_string(m)));
    fs::create_directory(folders.back());
    for (int i = 0; i < files_each; ++i) {
      const std::string name = "/asset" + std::to_string(i) + "_" + std::to_string(m % 50);
      (void)::close(::creat((folders.back() + name).c_str(), 0666));
    }
    must(files.mount(folders.back().c_str()).map([](mount_id) {}));
  }
  std::vector<variant> variants = {
      {"freeze", [&] { must(files.freeze()); }, [&] { files.thaw(); }},
      {"read the folders, hash the names",
       [&] {
         std::uint64_t sum = 0;
         for (const std::string& each : folders) {
           DIR* const opened = ::opendir(each.c_str());
           while (const dirent* const found = ::readdir(opened)) sum += hash64(found->d_name);
           (void)::closedir(opened);
         }
         keep(sum);
       }},
  };
  interleave(variants, rounds, "freezing");
  out.metric("freeze, 100,000 entries in 200 mounts, ms", milliseconds(variants[0]));
  out.goal("freeze / reading the folders and hashing", ratio(variants[0], variants[1], clock::wall),
           2);
}

}  // namespace bench
