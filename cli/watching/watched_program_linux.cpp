// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>

#include "games/program_head.hpp"
#include "terminal/display.hpp"
#include "watch/recorder/kernel_counts.hpp"
#include "watch/recorder/layout.hpp"
#include "watching/program_sampler.hpp"
#include "watching/watched_machine.hpp"
#include "watching/watched_program.hpp"

namespace overture::cli {

namespace fs = std::filesystem;

namespace {

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// By its symbols: a compiler has these names as texts, too.
bool is_sanitized(const std::string& program) {
  const std::string names[] = {"__asan_init", "__hwasan_init", "__msan_init", "__tsan_init"};
  return has_symbol(program, names);
}

// What the heads of all recordings in a folder say so far.
struct progress_seen {
  std::uint64_t frame_ns = 0;  // the first one, on the monotonic clock
  std::uint64_t new_ns = 0;    // the last new file
};

std::uint64_t word_at(std::ifstream& file, std::size_t at) {
  std::uint64_t value = 0;
  file.seekg(static_cast<std::streamoff>(at));
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return file ? value : 0;
}

progress_seen look_at(const std::string& folder) {
  using watch::process_head;
  progress_seen seen;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (each.path().extension() != ".watch") continue;
    std::ifstream file(each.path(), std::ios::binary);
    const std::uint64_t begin = word_at(file, offsetof(process_head, begin_ns));
    const std::uint64_t frame = word_at(file, offsetof(process_head, first_frame_ns));
    const std::uint64_t opened = word_at(file, offsetof(process_head, last_new_ns));
    if (frame != 0) seen.frame_ns = std::max(seen.frame_ns, begin + frame);
    if (opened != 0) seen.new_ns = std::max(seen.new_ns, begin + opened);
  }
  return seen;
}

bool is_over(const watch_until& until, const std::string& folder, std::uint64_t started_ns) {
  constexpr std::uint64_t quiet_ns = 2'000'000'000;
  const std::uint64_t now = monotonic_ns();
  if (until.it == watch_until::what::exit) return false;
  if (until.it == watch_until::what::time) return now - started_ns >= until.ns;
  const progress_seen seen = look_at(folder);
  const bool is_quiet = seen.new_ns != 0 && now >= seen.new_ns + quiet_ns;
  switch (until.it) {
    case watch_until::what::frame:
      return seen.frame_ns != 0;
    case watch_until::what::menu:
      // A program whose frames are not seen has none for long.
      return is_quiet && (seen.frame_ns != 0 || now >= seen.new_ns + 5 * quiet_ns);
    default:
      return is_quiet;
  }
}

// A recording without room for its tables, which its process has given up.
bool is_cut_off(const fs::path& recording) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(recording, failed);
  return !failed && bytes < watch::names_at;
}

bool has_cut_off_recording(const std::string& folder) {
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (each.path().extension() == ".watch" && is_cut_off(each.path())) return true;
  }
  return false;
}

// What the kernel counts of threads that will not end by themselves.
void note_kernel_counts(const std::string& recording) {
  if (is_cut_off(recording)) return;
  const int file = ::open(recording.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const room = ::mmap(nullptr, watch::slots_at, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (room == MAP_FAILED) return;
  auto* const head = static_cast<watch::process_head*>(room);
  auto* const threads =
      reinterpret_cast<watch::thread_entry*>(static_cast<char*>(room) + watch::threads_at);
  const std::uint64_t count = std::min<std::uint64_t>(head->thread_count, watch::threads_max);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (threads[i].number == 0 || threads[i].end_ns != 0) continue;
    watch::read_kernel_counts(threads[i], monotonic_ns() - head->begin_ns, head->pid);
  }
  ::munmap(room, watch::slots_at);
}

void note_all_kernel_counts(const std::string& folder) {
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (each.path().extension() == ".watch") note_kernel_counts(each.path().string());
  }
}

}  // namespace

watch_obstacle obstacle_of(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of({"snap", "flatpak"})) return watch_obstacle::sandboxed;
  if (is_one_of({"steam", "_v2-entry-point", "pressure-vessel-wrap"})) {
    return watch_obstacle::of_steam;
  }
  const program_head head = head_of(program);
  if (!head.is_elf) return watch_obstacle::is_script;
  if (head.is_app_image) return watch_obstacle::is_app_image;
  if (!head.is_native) return watch_obstacle::other_kind;
  if (has_more_rights(program)) return watch_obstacle::privileged;
  if (head.loader.empty()) return watch_obstacle::is_static;
  return is_sanitized(program) ? watch_obstacle::sanitized : watch_obstacle::none;
}

std::string reason_against(watch_obstacle obstacle, const std::string& program) {
  const std::string shown = printable(program);
  switch (obstacle) {
    case watch_obstacle::none:
    case watch_obstacle::is_script:
    case watch_obstacle::is_app_image:
      break;
    case watch_obstacle::other_kind:
      return fmt::format(
          "{} is a program for another processor or of 32 bits; what watches it "
          "cannot be loaded into it",
          shown);
    case watch_obstacle::privileged:
      return fmt::format(
          "{} runs with more rights than yours, and such programs take no library "
          "from elsewhere; watch a copy of it without them",
          shown);
    case watch_obstacle::is_static:
      return fmt::format(
          "{} is linked statically, so its calls do not pass any library; build it "
          "with shared libraries, or use perf",
          shown);
    case watch_obstacle::sanitized:
      return fmt::format(
          "{} is built with a sanitizer, which takes the place of the same "
          "functions; watch a build without it",
          shown);
    case watch_obstacle::sandboxed:
      return fmt::format(
          "{} starts programs apart from this system's libraries; watch the "
          "program inside, from a shell there",
          shown);
    case watch_obstacle::of_steam:
      return fmt::format(
          "{} starts games in a container, apart from this system's libraries; watch the game's "
          "own program, with SteamAppId=NUMBER in the environment, or in the shell that the "
          "launch option PRESSURE_VESSEL_SHELL=instead %command% opens",
          shown);
  }
  return {};
}

std::string reason_afterwards(watch_obstacle obstacle, const std::string& program,
                              const std::string& library) {
  const std::string shown = printable(program);
  if (obstacle == watch_obstacle::is_app_image) {
    return fmt::format(
        "{} is an AppImage, and what it started was not watched; take it apart with "
        "{} --appimage-extract, and watch squashfs-root/AppRun",
        shown, shown);
  }
  return fmt::format("{} was not watched: its loader did not take the library {}", shown,
                     printable(library));
}

std::string recorder_library() {
  std::vector<fs::path> places;
  std::error_code failed;
  if (const char* const told = std::getenv("OVERTURE_WATCH_LIBRARY")) places.emplace_back(told);
  const fs::path own = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (!failed) {
    places.push_back(own / "lib" / "watch" / "liboverture-watch.so");
    for (const char* const each : {OVERTURE_LIBDIR, "lib", "lib64"}) {
      places.push_back(own / each / "overture" / "liboverture-watch.so");
    }
  }
  for (const fs::path& each : places) {
    if (fs::exists(each, failed)) return fs::absolute(each, failed).string();
  }
  return {};
}

std::string folder_for_recordings() {
  constexpr const char* in_memory = "/dev/shm";
  constexpr std::uint64_t room_min = std::uint64_t{256} << 20;
  struct statvfs room{};
  const bool has_room =
      ::statvfs(in_memory, &room) == 0 && std::uint64_t{room.f_bavail} * room.f_frsize >= room_min;
  const bool is_asked_for = std::getenv("TMPDIR") != nullptr;
  if (has_room && !is_asked_for && ::access(in_memory, W_OK | X_OK) == 0) return in_memory;
  std::error_code failed;
  const fs::path usual = fs::temp_directory_path(failed);
  return failed ? "/tmp" : usual.string();
}

std::optional<watch_until> until_of(const std::string& word) {
  using what = watch_until::what;
  if (word == "exit") return watch_until{};
  if (word == "frame") return watch_until{.it = what::frame};
  if (word == "menu") return watch_until{.it = what::menu};
  if (word == "idle") return watch_until{.it = what::idle};
  double seconds = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, seconds, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || seconds <= 0 || seconds >= 1e6) return {};
  return watch_until{.it = what::time, .ns = static_cast<std::uint64_t>(seconds * 1e9)};
}

watch_run run_watched(const std::vector<std::string>& words, const std::string& library,
                      const std::string& folder, const watch_until& until, bool follow) {
  watch_run made;
  program_sampler sampler;
  sampler.attach();  // takes milliseconds, none of them the program's
  const char* const before = std::getenv("LD_PRELOAD");
  const std::uint64_t started_ns = monotonic_ns();
  const program_environment environment = {
      {"LD_PRELOAD", before && *before ? fmt::format("{}:{}", library, before) : library},
      {watch::folder_variable, folder},
      {watch::parent_variable, std::to_string(::getpid())},
      {watch::started_variable, std::to_string(started_ns)},
      {watch::follow_variable, follow ? "1" : "0"},
  };
  const auto should_end = [&] {
    sampler.drain();
    if (!is_over(until, folder, started_ns)) return false;
    note_all_kernel_counts(folder);
    return true;
  };
  made.end = run_program(words, environment, {.should_end = should_end});
  made.ended_ns = monotonic_ns();
  made.samples = sampler.take();
  made.samples.fault_ns = page_fault_ns();
  std::error_code failed;
  made.lacked_room = has_cut_off_recording(folder);
  made.started_others = fs::exists(fs::path(folder) / watch::others_file, failed);
  return made;
}

}  // namespace overture::cli
