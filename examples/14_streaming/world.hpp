// SPDX-License-Identifier: Zlib
//
// A world to stream: its tiles as files, and a map of them on the console.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace world {

inline constexpr int side = 48;  // tiles

inline std::string path_of_tile(int x, int y) {
  return "tiles/" + std::to_string(x) + "_" + std::to_string(y) + ".txt";
}

// A folder of its own below the one for temporary files, removed at the end. Each tile is a text
// that names its ground; there are a few of those, which tiles share.
class folder {
 public:
  folder() : path_(std::filesystem::temp_directory_path() / "overture_example_14") {
    std::filesystem::create_directories(path_ / "tiles");
    std::filesystem::create_directories(path_ / "grounds");
    constexpr std::array names = {"grass", "sand", "rock", "water"};
    for (const char* name : names) {
      std::ofstream(path_ / "grounds" / name) << std::string(200'000, name[0]);
    }
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const auto ground = static_cast<std::size_t>(x / 5 + y / 7) % names.size();
        std::ofstream(path_ / path_of_tile(x, y)) << "grounds/" << names[ground];
      }
    }
  }
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Draws sign(x, y) for each tile.
template <class Sign>
void draw(Sign sign) {
  std::string text;
  for (int y = 0; y < side; y += 2) {
    for (int x = 0; x < side; ++x) text += sign(x, y);
    text += '\n';
  }
  std::printf("%s\n", text.c_str());
}

}  // namespace world
