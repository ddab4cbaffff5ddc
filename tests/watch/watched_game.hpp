// SPDX-License-Identifier: Zlib
//
// What the parts of watched_game share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

using named_functions = std::map<std::string, std::function<void()>>;

// Bad luck, and calls of libraries, by name.
const named_functions& luck();

inline std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}
inline constexpr std::uint64_t a_while_ns = 300'000'000;

inline std::string folder;
inline std::string path_of(const char* name) {
  return folder + '/' + name;
}

inline void print_time(std::uint64_t ns) {
  std::printf("%llu\n", static_cast<unsigned long long>(ns));
  std::fflush(stdout);
}

inline void write_file(const std::string& path, std::size_t bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  const std::vector<char> content(bytes, 'x');
  std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
}

inline void one_read(const char* name) {
  write_file(path_of(name), 10);
  std::FILE* const file = std::fopen(path_of(name).c_str(), "r");
  char room[10];
  if (std::fread(room, 1, sizeof room, file) != sizeof room) std::abort();
  std::fclose(file);
}
