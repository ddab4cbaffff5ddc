// SPDX-License-Identifier: Zlib
//
// The parts of bench_physfs: libraries with PhysicsFS's interface, side by side in one process.
#pragma once

#define PHYSFS_DEPRECATED
#include <physfs.h>

#include <functional>
#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

// The functions of one library.
struct physfs_library {
  std::string name;  // "ours", "system" or "main", which is a newer version than the system's
  decltype(&PHYSFS_init) init;
  decltype(&PHYSFS_deinit) deinit;
  decltype(&PHYSFS_mount) mount;
  decltype(&PHYSFS_unmount) unmount;
  decltype(&PHYSFS_exists) exists;
  decltype(&PHYSFS_stat) stat;
  decltype(&PHYSFS_enumerate) enumerate;
  decltype(&PHYSFS_openRead) openRead;
  decltype(&PHYSFS_close) close;
  decltype(&PHYSFS_readBytes) readBytes;
  decltype(&PHYSFS_seek) seek;
  decltype(&PHYSFS_tell) tell;
  decltype(&PHYSFS_eof) eof;
  decltype(&PHYSFS_fileLength) fileLength;
  decltype(&PHYSFS_setBuffer) setBuffer;
  decltype(&PHYSFS_getLastErrorCode) getLastErrorCode;
  decltype(&PHYSFS_getErrorByCode) getErrorByCode;

  // Throws if the library lacks a function.
  physfs_library(std::string called, const std::string& path);
  // Throws with the library's last error unless `succeeded`.
  void must(bool succeeded, const std::string& what) const;
};
using physfs_libraries = std::vector<physfs_library>;

// A library that is initialised and has mounts, of which later ones win.
class physfs_session {
 public:
  physfs_session(const physfs_library& library, const std::vector<std::string>& mounts);
  ~physfs_session();
  physfs_session(physfs_session&& other) noexcept : library_(other.library_) {
    other.library_ = nullptr;
  }
  physfs_session& operator=(physfs_session&&) = delete;

 private:
  const physfs_library* library_;
};
std::vector<physfs_session> sessions_of(const physfs_libraries& libraries,
                                        const std::vector<std::string>& mounts);

// What is measured, how many operations a run has, and how many times faster than the other
// libraries ours is meant to be.
struct physfs_work {
  std::string name;
  double operations = 1;
  double over_system = 1;
  double over_main = 1;
};

// Runs the work with each library in turn, and reports nanoseconds for each operation and how many
// times faster ours is: processor time, because one thread with warm files never waits.
void compare(results& out, int rounds, const physfs_libraries& libraries, const physfs_work& work,
             const std::function<void(const physfs_library&)>& run,
             const std::function<void(const physfs_library&)>& after = {});
// The same for numbers that are measured already, in the order of the libraries: nanoseconds of an
// operation, one for each round.
void report(results& out, const physfs_libraries& libraries, const physfs_work& work,
            const std::vector<std::vector<double>>& ns);

void measure_physfs_lookups(results& out, int rounds, const physfs_libraries& libraries);
// Forks, so no other thread may be running.
void measure_physfs_threads(results& out, int rounds, const physfs_libraries& libraries);
void measure_physfs_mounts(results& out, int rounds, const physfs_libraries& libraries,
                           const std::string& games);
void measure_physfs_reads(results& out, int rounds, const physfs_libraries& libraries);
void measure_physfs_enumeration(results& out, int rounds, const physfs_libraries& libraries);
void measure_physfs_mods(results& out, int rounds, const physfs_libraries& libraries);
void measure_physfs_games(results& out, int rounds, const physfs_libraries& libraries,
                          const std::string& games);

}  // namespace bench
