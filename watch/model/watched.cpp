// SPDX-License-Identifier: Zlib
#include "watch/model/watched.hpp"

#include <fmt/core.h>

#include <iterator>

namespace overture::watch {

namespace {

constexpr zone_row zone_rows[] = {
#define OVERTURE_WATCH_ROW(NAME, LIBRARY, WORK) {#NAME, LIBRARY, zone_work::WORK},
    OVERTURE_WATCH_ZONES(OVERTURE_WATCH_ROW)
#undef OVERTURE_WATCH_ROW
};

constexpr const char* words_of_works[] = {
    "decoding images",
    "decoding sounds",
    "unpacking",
    "loading fonts",
    "uploading textures",
    "compiling shaders",
    "opening a window",
    "opening a device",
    "asking for the addresses of names",
    "other programs",
    "a library that reads files",
};
static_assert(std::size(words_of_works) == zone_works);

constexpr const char* words_of_kinds[] = {
    "nothing",
    "open",
    "read",
    "write",
    "look up",
    "list",
    "map",
    "sync",
    "load a library",
    "a lock",
    "a lock for reading or writing",
    "a condition variable",
    "a semaphore",
    "a futex",
    "the end of a thread",
    "a sleep",
    "file descriptors",
    "a server",
    "waking others",
    "a library",
    "frame",
    "spinning",
    "allocating",
    "seek",
    "close",
};
static_assert(std::size(words_of_kinds) == event_kinds);

constexpr const char* words_of_spins[] = {
    "calls",      "sched_yield()", "a trylock()", "clock_gettime()", "poll() without a time-out",
    "a spin lock"};
static_assert(std::size(words_of_spins) == spin_calls);

}  // namespace

const watched_module* watched_process::module_of(std::uint64_t address) const {
  for (const watched_module& each : modules) {
    if (address >= each.begin && address < each.end) return &each;
  }
  return nullptr;
}

bool watched_process::is_own(std::uint64_t address) const {
  const watched_module* const module = module_of(address);
  if (!module) return false;
  const std::string_view path = module->path;
  return path == program || (!path.starts_with("/usr/lib") && !path.starts_with("/lib"));
}

std::string watched_process::file_at(std::uint64_t address) const {
  const watched_module* const module = module_of(address);
  if (!module) return "code made while it runs";
  const std::size_t slash = module->path.rfind('/');
  return module->path.substr(slash == std::string::npos ? 0 : slash + 1);
}

std::string watched_process::code_at(std::uint64_t address) const {
  const std::string file = file_at(address);
  // As if it were a call that returns to the next byte.
  const auto function = functions.find(address + 1);
  return function == functions.end() ? file : fmt::format("{} in {}", function->second, file);
}

std::string watched_process::place_of(std::uint64_t address) const {
  if (address == 0) return {};
  const watched_module* const module = module_of(address);
  if (!module) return fmt::format("{:#x}", address);
  const std::string_view path = module->path;
  const std::size_t slash = path.rfind('/');
  const std::string_view file = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const auto function = functions.find(address);
  const auto line = lines.find(address);
  const std::string where = line == lines.end() ? "" : fmt::format(" ({})", line->second);
  if (function != functions.end()) return fmt::format("{}{} in {}", function->second, where, file);
  if (line != lines.end()) return fmt::format("{} in {}", line->second, file);
  return fmt::format("{}+{:#x}", file, address - module->begin);
}

const zone_row& zone_of(std::uint32_t number) {
  return zone_rows[number < std::size(zone_rows) ? number : 0];
}

const char* words_of(spin_call call) {
  return words_of_spins[static_cast<std::size_t>(call)];
}

const char* words_of(zone_work work) {
  return words_of_works[static_cast<std::size_t>(work)];
}

const char* words_of(event_kind kind) {
  return words_of_kinds[static_cast<std::size_t>(kind)];
}

}  // namespace overture::watch
