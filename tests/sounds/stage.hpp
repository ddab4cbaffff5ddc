// SPDX-License-Identifier: Zlib
//
// Songs in a tree, opened and played.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archives/zip/mounted_zip.hpp"
#include "overture/sounds/sound_stream.hpp"
#include "sounds/songs.hpp"

namespace overture::test {

using namespace literals;

// An archive with one song, stored as "stored" and deflated as "packed".
class stage {
 public:
  explicit stage(const bytes& song) : tree(archive(song)) {}

  [[nodiscard]] result<sound_stream> try_open(const sound_stream_config& config = {},
                                              asset_path path = "stored"_path) {
    return sound_stream::open(tree.files, path, config);
  }
  [[nodiscard]] sound_stream open(const sound_stream_config& config = {},
                                  asset_path path = "stored"_path) {
    result<sound_stream> opened = try_open(config, path);
    if (!opened) {
      ADD_FAILURE() << opened.error().reason;
      std::abort();
    }
    return *std::move(opened);
  }

  mounted tree;

 private:
  static zip_writer archive(const bytes& song) {
    const std::string text(reinterpret_cast<const char*>(song.data()), song.size());
    zip_writer zip;
    zip.add({.name = "stored", .data = text});
    zip.add({.name = "packed", .data = text, .method = zip_deflated});
    return zip;
  }
};

// Plays up to `frames_max` frames of a stream that decodes by itself, `at_once` at a time.
template <class Sample>
std::vector<Sample> play(sound_stream& stream, std::size_t frames_max = SIZE_MAX,
                         std::size_t at_once = 700) {
  std::vector<Sample> heard;
  std::vector<Sample> block;
  // After a seek the first read only makes room.
  for (int empty = 0; !stream.ended() && frames_max != 0 && empty < 2;) {
    stream.decode();
    block.resize(std::min(at_once, frames_max) * stream.channels());
    const std::size_t got = stream.read(std::span(block));
    heard.insert(heard.end(), block.begin(),
                 block.begin() + static_cast<std::ptrdiff_t>(got * stream.channels()));
    frames_max -= got;
    empty = got == 0 ? empty + 1 : 0;
  }
  return heard;
}

// The part of a song.
template <class Sample>
std::vector<Sample> part(const std::vector<Sample>& song, std::size_t channels, std::size_t first,
                         std::size_t frames = SIZE_MAX) {
  const std::size_t begin = std::min(first * channels, song.size());
  const std::size_t count = std::min(frames, song.size() / channels - begin / channels) * channels;
  return {song.begin() + static_cast<std::ptrdiff_t>(begin),
          song.begin() + static_cast<std::ptrdiff_t>(begin + count)};
}

// The largest difference of two parts of the same length.
template <class Sample>
double difference(const std::vector<Sample>& a, const std::vector<Sample>& b) {
  if (a.size() != b.size()) return 1e9;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return most;
}

}  // namespace overture::test
