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

// What it does is in other findings: the start of the program, looks at the clock. The recorder is
// no part of the game.
bool is_told_elsewhere(std::string_view file) {
  return file.starts_with("ld-linux") || file.find("vdso") != std::string_view::npos ||
         file == recorder_file;
}

// Of the language: what it does there is the caller's.
bool is_of_language(std::string_view file) {
  return file.starts_with("libc.so") || file.starts_with("libm.so") ||
         file.starts_with("libstdc++.so") || file.starts_with("libc++.so");
}

// Of exceptions alone. `code` is as code_at() gives it.
bool is_of_exceptions(std::string_view code) {
  constexpr std::string_view beginnings[] = {
      "__cxa_throw",     "__cxa_rethrow",     "__cxa_allocate_exception", "__cxa_free_exception",
      "__cxa_end_catch", "__cxa_begin_catch", "__gxx_personality",        "_Unwind_RaiseException"};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view each) { return code.starts_with(each); });
}

// What a throw runs, and a list of callers for a log, too. `code` of a function without a name is
// just the file.
bool unwinds(std::string_view file, std::string_view code) {
  const bool is_unwinder = file.starts_with("libgcc_s.so") || file.starts_with("libunwind.so");
  return code.starts_with("_dl_find_object") ||
         (is_unwinder && (code == file || code.starts_with("_Unwind_")));
}

struct code_sums {
  std::uint64_t ns = 0;
  std::uint64_t libc_ns = 0;                         // of it
  std::map<std::string, std::uint64_t> by_function;  // of the file
  std::map<std::string, std::uint64_t> of_language;  // functions that those called
};

struct main_code {
  // By the file that called, where that is known of a library of the language.
  std::map<std::string, code_sums> by_file;
  std::uint64_t throw_ns = 0;                     // in no file's sums
  std::map<std::string, std::uint64_t> throwers;  // those that are known
};

bool throws(const load_view& view, const watched_thread& main) {
  bool found = false;
  each_sample_outside(main, view.end_ns(), [&](const thread_sample& each) {
    found = found || is_of_exceptions(view.process.code_at(each.address));
  });
  return found;
}

main_code code_of_main(const load_view& view, const watched_thread& main) {
  const watched_process& process = view.process;
  const bool main_throws = throws(view, main);
  main_code found;
  each_sample_outside(main, view.end_ns(), [&](const thread_sample& each) {
    const std::string file = process.file_at(each.address);
    const std::string code = process.code_at(each.address);
    if (main_throws && (is_of_exceptions(code) || unwinds(file, code))) {
      found.throw_ns += process.sample_ns;
      // An unwinder has places on its stack that called nothing.
      if (each.caller != 0 && code.starts_with("__cxa_")) {
        found.throwers[process.code_at(each.caller - 1)] += process.sample_ns;
      }
      return;
    }
    const bool is_called = each.caller != 0 && is_of_language(file);
    const std::uint64_t place = is_called ? each.caller - 1 : each.address;
    const std::string owner = is_called ? process.file_at(place) : file;
    const std::string function = process.code_at(place);
    code_sums& sums = found.by_file[owner];
    sums.ns += process.sample_ns;
    if (file.starts_with("libc.so")) sums.libc_ns += process.sample_ns;
    sums.by_function[function == owner ? "functions without a name" : function] +=
        process.sample_ns;
    if (is_called) sums.of_language[code] += process.sample_ns;
  });
  return found;
}

std::string functions_text(const std::map<std::string, std::uint64_t>& by_function) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [function, ns] : largest_first(by_function)) {
    if (count++ == functions_told) break;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", function, time_text(ns));
  }
  return text;
}

// Most of it in functions that look for the end of a text: sscanf() calls rawmemchr().
bool searches_for_ends(const code_sums& sums) {
  std::uint64_t ns = 0;
  for (const auto& [function, each] : sums.of_language) {
    const bool is_search = function.find("rawmemchr") != std::string::npos ||
                           function.find("strlen") != std::string::npos;
    if (is_search) ns += each;
  }
  return ns > sums.ns / 2;
}

// What exceptions cost beside unwinding, such as their messages, is in the code that throws.
void find_exceptions(const main_code& code, std::vector<finding>& to) {
  if (code.throw_ns == 0) return;
  finding made{.kind = finding_kind::exceptions,
               .ns = code.throw_ns,
               .what = "The game throws exceptions over and over.",
               .evidence = {"By samples, of the main thread in what unwinds its stack."},
               .advice =
                   "A throw takes microseconds, and its message more. Return what is "
                   "expected, such as a text that is no number, and throw the rest."};
  if (!code.throwers.empty()) {
    made.evidence.push_back(
        fmt::format("Thrown in {}.", largest_first(code.throwers).front().first));
  }
  to.push_back(made);
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
  const bool spins = std::any_of(to.begin(), to.end(), [](const finding& each) {
    return each.kind == finding_kind::spinning;
  });
  if (spins) return;
  const watched_thread& thread =
      view.process.threads[static_cast<std::size_t>(main - view.threads.data())];
  const main_code code = code_of_main(view, thread);
  find_exceptions(code, to);
  std::uint64_t libc_ns = 0;
  for (const auto& [file, sums] : code.by_file) libc_ns += sums.libc_ns;
  const double allocating = std::min(
      1.0, static_cast<double>(main->allocate_ns) / std::max(static_cast<double>(libc_ns), 1.0));
  for (const auto& [file, sums] : code.by_file) {
    // What it allocates is told elsewhere.
    const auto told = static_cast<std::uint64_t>(static_cast<double>(sums.libc_ns) * allocating);
    const std::uint64_t ns = sums.ns - told;
    const bool is_felt = ns >= view.end_ns() / share_min;
    if (!is_felt || is_driver(file) || is_told_elsewhere(file)) continue;
    finding made{.kind = finding_kind::computing,
                 .ns = ns,
                 .what = fmt::format("The main thread computes, in {}.", file),
                 .evidence = {fmt::format("By samples: {}.", functions_text(sums.by_function))},
                 .advice =
                     "Prepare what it computes when the game is built, keep it between "
                     "starts, or do it on another thread."};
    if (searches_for_ends(sums)) {
      made.advice =
          "sscanf() looks for the end of the whole text at each call, and strlen() does, too: walk "
          "through it with strtod(), strtol() or std::from_chars(), and keep its length.";
    }
    if (!sums.of_language.empty()) {
      made.evidence.push_back(
          fmt::format("Of that in what these call: {}.", functions_text(sums.of_language)));
    }
    to.push_back(made);
  }
}

}  // namespace overture::watch
