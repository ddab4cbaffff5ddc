// SPDX-License-Identifier: Zlib
//
// A game and its plug-in that share one Overture.
#include <chrono>
#include <cstdio>
#include <thread>

#include "plug_in.hpp"

namespace {

using namespace overture;

int failures = 0;
void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

class observer final : public wait_observer {
 public:
  void wait_begins(const char* /*reason*/) noexcept override {}
  void wait_ends() noexcept override {}
};

void check_one_copy(const plug_in_calls& other) {
  expect(&other.default_allocator() == &default_allocator(), "they share the default allocator");
  observer mine;
  wait_observer* const before = set_wait_observer(&mine);
  expect(other.current_wait_observer() == &mine, "they share a thread's observer");
  set_wait_observer(before);
}

void check_jobs(const plug_in_calls& other) {
  thread_pool jobs{{.workers = 2}};
  barricade door{barricade::raised};
  std::thread opens([&] { door.lower(); });
  expect(other.sum(jobs, door, 100) == 4950, "a plug-in runs jobs on the game's pool");
  opens.join();
}

void check_interface(const plug_in_calls& other, const char* folder) {
  file_system files;
  expect(files.mount(folder).has_value() && files.freeze().has_value(), "mount and freeze");
  thread_pool jobs{{.workers = 1}};
  read_queue reads{files, {.threads = 1}};
  load_scope scope{files, reads, jobs, {.sink = &other.sink()}};
  expect(scope.start().has_value(), "start");
  while (!scope.wait_for(std::chrono::milliseconds(100))) {
  }
  const load_summary summary = scope.summary();
  expect(summary.files == 0 && summary.failed > 0,
         "the library calls an interface that the plug-in implements");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const plug_in_calls* const other = load_plug_in();
  if (!other) return 3;
  check_one_copy(*other);
  check_jobs(*other);
  check_interface(*other, arguments[1]);
  return failures == 0 ? 0 : 1;
}
