// SPDX-License-Identifier: Zlib
//
// What `overture watch` costs the program that it watches: this program runs itself with the
// recorder and without it, in turns, and each run prints what one call took.
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.hpp"
#include "options.hpp"

namespace bench {
namespace {

constexpr const char* work_variable = "BENCH_WATCH_WORK";

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// The least of several turns.
double ns_of_a_call(int calls, const std::function<void()>& call) {
  double least = 1e18;
  for (int turn = 0; turn < 15; ++turn) {
    const double begin = now_ns();
    for (int i = 0; i < calls; ++i) call();
    least = std::min(least, (now_ns() - begin) / calls);
  }
  return least;
}

double lock_and_unlock() {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  return ns_of_a_call(1'000'000, [&] {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  });
}

double reads_at_places() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::array<char, 128> room{};
  long place = 0;
  const double ns = ns_of_a_call(20'000, [&] {
    place = (place + 4096) % 65536;  // none follows the one before
    if (pread(file, room.data(), room.size(), place) < 0) std::abort();
  });
  close(file);
  return ns;
}

double bytes_of_a_file() {
  std::FILE* const file = std::fopen("/proc/self/exe", "rb");
  const double ns = ns_of_a_call(20'000, [&] {
    char byte = 0;
    if (std::fread(&byte, 1, 1, file) != 1) std::abort();
  });
  std::fclose(file);
  return ns;
}

double look_ups() {
  struct stat status{};
  return ns_of_a_call(20'000, [&] { (void)stat("/proc/self/exe", &status); });
}

double blocks() {
  return ns_of_a_call(1'000'000, [] {
    void* block = std::malloc(55);
    asm volatile("" : "+r"(block) : : "memory");  // or a compiler leaves both out
    std::free(block);
  });
}

double clock_reads() {
  return ns_of_a_call(1'000'000, [] { (void)now_ns(); });
}

struct work {
  const char* name;
  double (*run)();
};
constexpr work works[] = {{"lock", lock_and_unlock}, {"read", reads_at_places},
                          {"byte", bytes_of_a_file}, {"look up", look_ups},
                          {"clock", clock_reads},    {"block", blocks}};

double in_program(const std::string& name, bool is_watched) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string command = fmt::format("{}='{}' '{}'", work_variable, name, program);
  const std::string folder = "/dev/shm/bench_watch";
  if (is_watched) {
    std::filesystem::create_directories(folder);
    command = fmt::format("LD_PRELOAD='{}' OVERTURE_WATCH='{}' OVERTURE_WATCH_FOLLOW=1 {}",
                          BENCH_RECORDER, folder, command);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
  double ns = 0;
  if (!output || std::fscanf(output.get(), "%lf", &ns) != 1) {
    throw std::runtime_error("cannot run " + program);
  }
  if (is_watched) std::filesystem::remove_all(folder);
  return ns;
}

int run(int count, char** words) {
  int rounds = 9;
  std::string json_path;
  options line("Measures what the recorder of overture watch costs.", rounds, json_path);
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  std::vector<std::vector<double>> more(std::size(works));
  std::vector<std::vector<double>> alone(std::size(works));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < std::size(works); ++i) {
      alone[i].push_back(in_program(works[i].name, false));
      more[i].push_back(in_program(works[i].name, true) - alone[i].back());
    }
  }
  results out("watch");
  for (std::size_t i = 0; i < std::size(works); ++i) {
    out.metric(fmt::format("{}: ns", works[i].name), spread_of(alone[i]).median);
    out.metric(fmt::format("{}: ns more", works[i].name), spread_of(more[i]).median);
  }
  const double clocks = 2 * spread_of(alone[4]).median;
  std::vector<double> beyond;
  for (const double each : more[1]) beyond.push_back(each - clocks);
  out.goal("lock that is free: ns more", spread_of(more[0]), 15);
  out.goal("block that is made and freed: ns more", spread_of(more[5]), 10);
  out.goal("recorded read: ns beyond two looks at the clock", spread_of(beyond), 20);
  return out.finish(json_path);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  if (const char* const name = std::getenv(bench::work_variable)) {
    for (const bench::work& each : bench::works) {
      if (std::string(each.name) == name) std::printf("%.3f\n", each.run());
    }
    return 0;
  }
  return bench::run(count, words);
}
