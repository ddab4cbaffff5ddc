// SPDX-License-Identifier: Zlib
//
// A jukebox: plays songs one after the other without a gap, from a folder or an archive.
//
//   example_13_music                                     songs that it makes, the last with a loop
//   example_13_music --alone                             the same on one thread
//   example_13_music data.zip music/1.ogg music/2.ogg    twenty seconds of those
//
// It plays through no device: what it hears must be the melody that it has cut into songs.
#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "melody.hpp"

using namespace overture;
using namespace std::chrono_literals;

namespace {

// The song that plays belongs to the callback, those before and after it to the main thread.
class jukebox {
 public:
  jukebox(file_system& files, std::vector<melody::song> list)
      : files_(files), songs_(std::move(list)) {}

  // In each frame of the game: ends what has been played, and opens the next song ahead.
  void update() {
    for (; ended_ < playing_; ++ended_) songs_[ended_].stream.reset();
    if (opened_ < songs_.size() && opened_ <= ended_ + 1) {
      melody::song& next = songs_[opened_];
      path_buffer room;
      auto opened = normalise(next.path, room).and_then([&](const asset_path& path) {
        return sound_stream::open(files_, path, next.config);
      });
      melody::tell(next.path, opened ? opened->format() : melody::why(files_, opened.error()));
      if (opened) next.stream = std::move(*opened);  // otherwise it is left out
      ++opened_;
    }
    for (std::size_t i = ended_; i < opened_; ++i) {
      if (songs_[i].stream) songs_[i].stream->decode();  // does nothing if a thread decodes
    }
  }

  // In the audio callback: after the last sample of a song comes the first of the next one. Returns
  // what there was; the rest of `to` is silence.
  std::span<const float> fill(std::span<float> to) noexcept {
    std::span<float> rest = to;
    while (!rest.empty() && playing_ < opened_) {
      if (std::optional<sound_stream>& music = songs_[playing_].stream) {
        rest = rest.subspan(music->read(rest) * music->channels());
        if (!music->ended()) break;  // the buffer is full, or the music is late
      }
      ++playing_;
    }
    std::ranges::fill(rest, 0.0f);
    return to.first(to.size() - rest.size());
  }
  sound_stream& playing() noexcept { return *songs_[playing_].stream; }
  bool is_over() const noexcept { return playing_ == songs_.size(); }

 private:
  file_system& files_;
  std::vector<melody::song> songs_;
  std::size_t ended_ = 0;
  std::atomic<std::size_t> opened_{0};   // the main thread counts
  std::atomic<std::size_t> playing_{0};  // the callback counts
};

}  // namespace

int main(int count, char** arguments) {
  const bool is_alone = count == 2;
  const melody::folder made;
  file_system files;
  const auto mounted = files.mount(count < 3 ? made.path() : std::filesystem::path(arguments[1]));
  if (!mounted) return melody::tell(arguments[1], mounted.error().reason);
  sound_thread sounds;
  jukebox box(files, melody::songs({.thread = is_alone ? nullptr : &sounds}, count, arguments));
  melody::card card(count < 3);
  const auto is_over = [&] { return card.is_full() || box.is_over(); };
  const auto play = [&] {
    std::array<float, 512> buffer;
    const std::span<const float> got = box.fill(buffer);
    card.play(got, box.is_over() ? got.size() : buffer.size());
    if (card.goes_back()) box.playing().seek(box.playing().position() - melody::rate);
  };
  box.update();
  if (is_alone) {
    for (; !is_over(); box.update()) play();
  } else {
    std::thread device([&] {
      for (; !is_over(); std::this_thread::sleep_for(1ms)) play();  // 23 ms by a real one
    });
    for (; !is_over(); std::this_thread::sleep_for(5ms)) box.update();
    device.join();
  }
  return card.report();
}
