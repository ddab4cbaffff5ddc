// SPDX-License-Identifier: Zlib
//
// Where the main thread computes, by samples: in the driver of graphics, in the program or in a
// library of it.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "watch/findings/finding.hpp"
#include "watch/findings/words.hpp"

namespace overture::watch {

namespace {

constexpr std::uint64_t share_min = 10;  // of the load, one in so many
constexpr std::size_t functions_told = 4;

bool is_driver(std::string_view file) {
  constexpr std::string_view beginnings[] = {"libLLVM",   "libgallium", "libGLX_", "libEGL_",
                                             "libnvidia", "libvulkan_", "libMesa", "libglapi"};
  for (const std::string_view each : beginnings) {
    if (file.starts_with(each)) return true;
  }
  return file.find("_dri.so") != std::string_view::npos;
}

// What it does is in other findings: the start of the program, looks at the clock.
bool is_told_elsewhere(std::string_view file) {
  return file.starts_with("ld-linux") || file.find("vdso") != std::string_view::npos;
}

std::string functions_of(const load_view& view, const watched_thread& of, const std::string& file) {
  std::map<std::string, std::uint64_t> by_function;
  for (const thread_sample& each : of.samples) {
    if (each.at_ns >= view.end_ns()) break;
    if (view.process.file_at(each.address) != file) continue;
    const std::string place = view.process.code_at(each.address);
    by_function[place == file ? "functions without a name" : place] += view.process.sample_ns;
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [function, ns] : largest_first(by_function)) {
    if (count++ == functions_told) break;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", function, time_text(ns));
  }
  return text;
}

}  // namespace

std::map<std::string, std::uint64_t> driver_code(const thread_use& of) {
  std::map<std::string, std::uint64_t> found;
  for (const auto& [file, ns] : of.code_ns) {
    if (is_driver(file)) found[file] = ns;
  }
  return found;
}

void find_computing(const load_view& view, std::vector<finding>& to) {
  const thread_use* const main = view.main();
  if (!main) return;
  const watched_thread& thread =
      view.process.threads[static_cast<std::size_t>(main - view.threads.data())];
  const bool spins = std::any_of(to.begin(), to.end(), [](const finding& each) {
    return each.kind == finding_kind::spinning;
  });
  for (const auto& [file, sampled_ns] : main->code_ns) {
    // What it allocates is told elsewhere.
    const std::uint64_t allocating = file.starts_with("libc.so") ? main->allocate_ns : 0;
    const std::uint64_t ns = sampled_ns - std::min(sampled_ns, allocating);
    const bool is_felt = ns >= view.end_ns() / share_min;
    if (spins || !is_felt || is_driver(file) || is_told_elsewhere(file)) continue;
    to.push_back({.kind = finding_kind::computing,
                  .ns = ns,
                  .what = fmt::format("The main thread computes, in {}.", file),
                  .evidence = {fmt::format("By samples: {}.", functions_of(view, thread, file))},
                  .advice = "Prepare what it computes when the game is built, keep it between "
                            "starts, or do it on another thread; a profiler says who calls."});
  }
}

}  // namespace overture::watch
