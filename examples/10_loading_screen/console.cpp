// SPDX-License-Identifier: Zlib
#include "console.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "frame_times.hpp"
#include "screen.hpp"

using namespace overture;

namespace {

constexpr const char* help =
    "example_10_loading_screen [OPTION...] [FOLDER OR ARCHIVE...]\n"
    "Loads a game's files with a loading screen, and shows their images. Without a folder or\n"
    "archive it loads the sample game of ./dev demo.\n"
    "\n"
    "  --shot FILE       write a picture of the loading screen at half of the load\n"
    "  --menu-shot FILE  write a picture of the menu\n"
    "  --leave           end after the menu was shown once\n"
    "Pictures are PNG, or PPM if the name of the file ends with .ppm.\n";

[[noreturn]] void misuse(std::string_view what) {
  std::fprintf(stderr, "%.*s: no such option, or its value is missing; try --help\n",
               static_cast<int>(what.size()), what.data());
  std::exit(2);
}

double ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

void print_failure(const file_system& files, const error& why) {
  std::array<char, 1024> text;
  const std::size_t length = files.explain(why, text);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(length), text.data());
}

}  // namespace

options read_options(int count, char** values) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string_view value = values[i];
    if (value == "--help") {
      std::fputs(help, stdout);
      std::exit(0);
    } else if (value == "--shot" && i + 1 < count) {
      chosen.shot = values[++i];
    } else if (value == "--menu-shot" && i + 1 < count) {
      chosen.menu_shot = values[++i];
    } else if (value == "--leave") {
      chosen.leaves_menu = true;
    } else if (value.starts_with("--")) {
      misuse(value);
    } else {
      chosen.paths.push_back(values[i]);
    }
  }
  if (chosen.paths.empty()) {
    chosen.paths = {OVERTURE_DEMO "/base.zip", OVERTURE_DEMO "/dlc/rome",
                    OVERTURE_DEMO "/mods/better_ai.zip", OVERTURE_DEMO "/mods/winter",
                    OVERTURE_DEMO "/mods/high_detail.zip"};
  }
  return chosen;
}

int cannot_mount(const char* path, const error& why) {
  std::fprintf(stderr, "%s: %s\n", path, why.reason);
  if (std::string_view(path).starts_with(OVERTURE_DEMO)) {
    std::fputs("./dev demo makes the sample game; or name a game's folders and archives\n", stderr);
  }
  return 1;
}

int cannot_load(const file_system& files, const error& why) {
  print_failure(files, why);
  return 1;
}

int nothing_to_load() {
  std::fputs("there is no file in what was named\n", stderr);
  return 1;
}

int show_menu(screen& on, const load_summary& loaded, const options& chosen) {
  const bool leave = chosen.leaves_menu || on.was_closed();
  do {
    on.draw_menu(loaded.failed);
    if (chosen.menu_shot != nullptr && !on.save(chosen.menu_shot)) return 1;
    on.show(std::chrono::milliseconds(16));
  } while (!leave && chosen.menu_shot == nullptr && !on.was_closed());
  return loaded.failed > 0 ? 1 : 0;
}

void print_result(const file_system& files, const load_scope& load, std::size_t textures,
                  const frame_times& frames) {
  (void)load.for_each_file([&](const loaded_file& file) {
    if (file.failure != nullptr) print_failure(files, *file.failure);
  });
  const load_summary loaded = load.summary();
  std::printf("%llu files, %llu failed, %zu textures in %.3f s\n",
              static_cast<unsigned long long>(loaded.files),
              static_cast<unsigned long long>(loaded.failed), textures, ms(loaded.ns) / 1e3);
  // In parentheses: of the thread's processor time.
  std::printf("%zu frames without drawing: p50 %.2f (%.2f) ms, p99 %.2f (%.2f) ms\n",
              frames.count(), ms(frames.percentile_ns(50)), ms(frames.percentile_cpu_ns(50)),
              ms(frames.percentile_ns(99)), ms(frames.percentile_cpu_ns(99)));
  std::printf("longest pump %.2f (%.2f) ms\n", ms(frames.longest_pump_ns()),
              ms(frames.longest_pump_cpu_ns()));
  std::fflush(stdout);
}
