// SPDX-License-Identifier: Zlib
//
// A melody that is cut into songs, and a sound card that listens for the cuts.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "overture/overture.hpp"
#include "overture/sounds/sound_stream.hpp"

namespace melody {

using namespace overture;

inline constexpr std::uint32_t rate = 22'050;  // a tone of 220 Hz returns each tenth of a second

inline float sample_at(std::uint64_t frame) {
  const double turns = 220.0 * static_cast<double>(frame % rate) / rate;
  return 0.5f * static_cast<float>(std::sin(6.283185307179586 * turns));
}

// A folder of its own below the one for temporary files, removed at the end.
class folder {
 public:
  folder()
      : path_(std::filesystem::temp_directory_path() /
              ("overture_example_13_" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(path_);
    write("1_intro.wav", 0, 1);
    write("2_verse.wav", 1, 1);
    write("3_theme.wav", 2, 2);
  }
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  // `seconds` of the melody.
  void write(const char* name, std::uint64_t begin, std::uint32_t seconds) const {
    const std::uint32_t frames = seconds * rate;
    std::string file;
    const auto put = [&file](std::uint32_t value, int bytes) {
      for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
    };
    file += "RIFF";
    put(36 + 2 * frames, 4);
    file += "WAVEfmt ";
    put(16, 4), put(1, 2), put(1, 2), put(rate, 4), put(2 * rate, 4), put(2, 2), put(16, 2);
    file += "data";
    put(2 * frames, 4);
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
      const float exact = sample_at(begin * rate + frame);
      const auto sample = static_cast<std::int32_t>(std::lround(exact * 32767));
      put(static_cast<std::uint32_t>(sample), 2);
    }
    std::ofstream(path_ / name, std::ios::binary) << file;
  }

  std::filesystem::path path_;
};

struct song {
  std::string path;
  sound_stream_config config;
  std::optional<sound_stream> stream = std::nullopt;
};

// Those of the folder, or those of the command line.
inline std::vector<song> songs(sound_stream_config config, int count, char** arguments) {
  std::vector<song> list;
  for (int i = 2; i < count; ++i) list.push_back({arguments[i], config});
  if (!list.empty()) return list;
  list.push_back({"1_intro.wav", config});
  list.push_back({"2_verse.wav", config});
  config.repeat = sound_repeat::always;
  config.loop_begin = rate / 2;
  list.push_back({"3_theme.wav", config});
  return list;
}

inline std::string why(const file_system& files, const error& failure) {
  char text[400] = "";
  return {text, files.explain(failure, text)};
}

inline int tell(std::string_view about, std::string_view what) {
  std::cout << about << ": " << what << '\n';
  return 1;
}

// Stands for a sound card.
class card {
 public:
  explicit card(bool knows_melody) : knows_melody_(knows_melody) {}

  // What the callback has filled, and how much it should have.
  void play(std::span<const float> samples, std::size_t wanted) {
    is_seeking_ = is_seeking_ && samples.empty();
    if (samples.size() != wanted && !is_seeking_ && !is_full()) ++late_;
    for (const float sample : samples) {
      if (knows_melody_ && std::abs(sample - sample_at(heard_)) > 0.0002f) ++clicks_;
      ++heard_;
    }
  }
  // Once, in the theme: the melody is the same a second before.
  [[nodiscard]] bool goes_back() {
    if (!knows_melody_ || heard_ < std::uint64_t{5} * rate || std::exchange(went_back_, true))
      return false;
    is_seeking_ = true;
    return true;
  }
  [[nodiscard]] bool is_full() const {
    return heard_ >= (knows_melody_ ? 8 * rate : 20 * 2 * 44'100);
  }
  [[nodiscard]] int report() const {
    std::cout << heard_ << " samples, " << clicks_ << " clicks, late " << late_ << " times\n";
    return clicks_ == 0 ? 0 : 1;
  }

 private:
  bool knows_melody_;
  bool went_back_ = false;
  bool is_seeking_ = false;  // silent, which is not late
  std::atomic<std::uint64_t> heard_{0};
  std::uint64_t clicks_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace melody
