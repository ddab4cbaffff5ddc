// SPDX-License-Identifier: Zlib
//
// The first program of a new user of Overture: mounts a folder and loads it. Shared by the projects
// beside it, which differ in how they find the library.
#include <overture/overture.hpp>

#include <chrono>
#include <cstdio>

int main(int count, char** arguments) {
  using namespace overture;
  if (count != 2) return 2;

  file_system files;
  if (!files.mount(arguments[1])) return 3;
  if (!files.freeze()) return 4;

  thread_pool jobs{{.workers = 1}};
  read_queue reads{files, {.threads = 1}};
  load_scope scope{files, reads, jobs};
  if (!scope.start()) return 5;
  while (!scope.wait_for(std::chrono::milliseconds(100))) {
  }

  const load_summary summary = scope.summary();
  std::printf("overture %s loaded %llu files\n", version,
              static_cast<unsigned long long>(summary.files));
  return summary.files > 0 && summary.failed == 0 ? 0 : 1;
}
